import { expect, test } from "vitest";
import { lookObstacle } from "../../../lambdas/capabilities/look/look-bound.ts";
import type { OperationRecord } from "../../../lambdas/records/records.ts";
import { operationRecord } from "../../messages/records.ts";

const NOW = Date.parse("2026-11-21T10:00:30.000Z");

const look = (second: number, more: Partial<OperationRecord> & { readonly userId?: string } = {}) => {
  const { userId = "U0OPERATOR", ...fields } = more;
  return operationRecord({
    id: `why-${String(second).padStart(8, "0")}`,
    request: { command: "why", node: `web-${second}` },
    asker: { userId, userName: "olivia", channel: "C0WINDOWS" },
    requestedAt: new Date(Date.parse("2026-11-21T10:00:00.000Z") + second * 1_000).toISOString(),
    ...fields,
  });
};
const looks = (count: number, userOf: (at: number) => string = () => "U0OPERATOR") =>
  Array.from({ length: count }, (_, at) => look(at, { userId: userOf(at) }));

test("The fourth look of a person waits and names the three, another person's does not", () => {
  const [fourth, other] = [look(9), look(9, { userId: "U0READER" })];
  expect(lookObstacle(fourth, [...looks(2), fourth], NOW)).toBeNull();
  const words = lookObstacle(fourth, [...looks(3), fourth], NOW);
  expect(words).toContain("3 looks of yours still run");
  expect(words).toContain("web-0");
  expect(lookObstacle(other, [...looks(3), other], NOW)).toBeNull();
});

test("Of looks that begin together the earliest run", () => {
  const together = looks(6);
  expect(together.filter((one) => lookObstacle(one, together, NOW) === null)).toHaveLength(3);
});

test("Twenty looks of all people run at once", () => {
  const everybody = looks(20, (at) => `U0PERSON${at}`);
  const next = look(25);
  expect(lookObstacle(next, everybody, NOW)).toContain("20 looks still run in this cluster");
  expect(lookObstacle(next, everybody.slice(1), NOW)).toBeNull();
});

test("Neither a change nor a look that lost its end long ago is one that runs", () => {
  const drains = looks(20).map((one) => ({ ...one, request: { command: "drain", node: "w", dryRun: false } as const }));
  expect(lookObstacle(look(25), drains, NOW)).toBeNull();
  expect(lookObstacle(look(25), looks(20), NOW + 10 * 60_000)).toBeNull();
});
