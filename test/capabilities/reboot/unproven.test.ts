import { expect, test } from "vitest";
import type { RebootTask } from "../../../lambdas/capabilities/reboot/task.ts";
import { bootBefore } from "../../../lambdas/capabilities/reboot/unproven.ts";
import { answers, recorded } from "../../engine/recorded.ts";

const AT = "2026-11-21T03:00:00.000Z";
const boot = (bootId: string) => ({ bootId, bootedAt: AT, askedAt: AT });

/** Asks which boot must be over. @param open the record of the node's cordon */
function asked(before: object | null, open: object | undefined) {
  const { steps } = recorded({ cordons: { find: answers(open) } }, {});
  return bootBefore({ steps, before, node: { name: "web-1", uid: "uid-1" } } as unknown as RebootTask);
}

test.each([
  ["the one that this reboot ended", boot("b2"), { kept: { unproven: { before: boot("b1") } } }, boot("b2")],
  [
    "the one that an unproven reboot should have ended",
    null,
    { kept: { unproven: { before: boot("b1") } } },
    boot("b1"),
  ],
  ["unknown where the earlier reboot's was lost", null, { kept: { unproven: { before: null } } }, null],
  ["unknown where a person keeps the cordon", null, { kept: {} }, null],
  ["unknown without an earlier cordon", null, {}, null],
  ["unknown without a record", null, undefined, null],
])("the boot that must be over before a node is proven is %s", async (_which, before, open, expected) => {
  expect(await asked(before, open)).toEqual(expected);
});
