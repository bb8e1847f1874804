import { expect, test } from "vitest";
import { slotsSeen } from "../../../lambdas/change/emptying/plan-emptying.ts";
import { POOL_LABEL } from "../../../lambdas/cluster/node-keys.ts";
import type { Node } from "../../../lambdas/steps/cluster/nodes.ts";

interface State {
  readonly pool?: string;
  readonly isReady?: boolean;
  readonly isCordoned?: boolean;
}

const SINCE = new Date("2026-11-21T14:32:00.000Z");
const nodeOf = (name: string, { pool = "web", isReady = true, isCordoned = false }: State = {}): Node => ({
  metadata: { name, labels: { [POOL_LABEL]: pool } },
  spec: isCordoned ? { unschedulable: true } : {},
  status: { conditions: [{ type: "Ready", status: isReady ? "True" : "Unknown", lastTransitionTime: SINCE }] },
});
const seen = (own: State, others: readonly Node[], maxUnavailable: number | string = 1) => {
  const node = nodeOf("win-1", own);
  return slotsSeen([node, ...others], { node, chosen: { name: "win-1", pool: "web" } }, maxUnavailable);
};
const away = nodeOf("win-2", { isReady: false });

test("other nodes of the pool that are out of service take slots, with their state and its beginning", () => {
  const cordoned = nodeOf("win-3", { isCordoned: true });
  expect(seen({}, [away, cordoned, nodeOf("win-4"), nodeOf("db-1", { pool: "db", isReady: false })], 3)).toEqual({
    away: [
      { node: "win-2", why: "NotReady since 2026-11-21 14:32 UTC" },
      { node: "win-3", why: "cordoned" },
    ],
    maxUnavailable: 3,
  });
});

test("work on a node in service waits while they take all slots, of a number or of a share", () => {
  expect(seen({}, [away])).toHaveProperty("waitsForSlot", true);
  expect(seen({}, [away], 2)).not.toHaveProperty("waitsForSlot");
  const four = [away, nodeOf("win-3"), nodeOf("win-4")];
  expect(seen({}, four, "25%")).toHaveProperty("waitsForSlot", true);
  expect(seen({}, four, "50%")).not.toHaveProperty("waitsForSlot");
});

test("a node that is itself out of service waits for none", () => {
  expect(seen({ isReady: false }, [away])).not.toHaveProperty("waitsForSlot");
  expect(seen({ isCordoned: true }, [away])).not.toHaveProperty("waitsForSlot");
});
