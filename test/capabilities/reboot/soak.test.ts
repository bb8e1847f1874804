import type { V1Node } from "@kubernetes/client-node";
import { expect, test } from "vitest";
import { soakFault } from "../../../lambdas/capabilities/reboot/soak.ts";

const since = Date.parse("2026-11-23T12:00:00Z");
const begun = { bootId: "7", since };

const node = (bootID: string, status: string, changedAt: string): V1Node =>
  ({
    metadata: { name: "web-1" },
    status: {
      nodeInfo: { bootID },
      conditions: [{ type: "Ready", status, lastTransitionTime: new Date(changedAt) }],
    },
  }) as unknown as V1Node;

const BEFORE = "2026-11-23T11:50:00Z";

test("a node that stays Ready in the same boot has stayed well", () => {
  expect(soakFault(node("7", "True", BEFORE), begun)).toBeNull();
});

test.for<[string, V1Node | null, RegExp]>([
  ["was deleted", null, /was deleted by someone else/],
  ["booted again", node("8", "True", BEFORE), /booted again/],
  ["is not Ready", node("7", "False", BEFORE), /not Ready/],
  ["does not report any more", node("7", "Unknown", BEFORE), /not Ready/],
  ["was not Ready for a moment between two looks", node("7", "True", "2026-11-23T12:00:10Z"), /not Ready/],
])("a node that %s has not", ([, seen, why]) => {
  expect(soakFault(seen, begun)?.why).toMatch(why);
});
