import { expect, test } from "vitest";
import { approvalEnd } from "../../../lambdas/change/approval/gate.ts";
import { otherRequests } from "../../../lambdas/change/approval/other-requests.ts";
import type { OperationRecord } from "../../../lambdas/records/records.ts";
import { verbs } from "../../engine/durable-engine.ts";
import { NOW, nodeRecord, operationRecord } from "../../messages/records.ts";

const meant = { uid: "uid-1", bootId: "7", instanceId: "i-1" };
const asked = (state: "open" | "approved") =>
  ({ state, record: { nodes: [meant] } }) as unknown as NonNullable<OperationRecord["approval"]>;
const drain = (id: string, fields: Partial<OperationRecord>) =>
  operationRecord({ id, request: { command: "drain", node: "win-1", dryRun: false }, ...fields });

const operations: readonly OperationRecord[] = [
  drain("drain-own", { approval: asked("open") }),
  drain("drain-asked", { approval: asked("open") }),
  drain("drain-approved", { approval: asked("approved") }),
  drain("drain-at-work", {}),
  drain("drain-elsewhere", {}),
  drain("drain-scheduled", { status: "scheduled", scheduled: { nodes: [meant] } as never }),
  drain("drain-paused", { status: "scheduled", scheduled: { nodes: [meant] } as never }),
  drain("remove-dialog", { status: "waiting", dialogOn: "i-1" }),
  drain("remove-no-dialog", { status: "waiting" }),
  drain("remove-begun", { status: "running", dialogOn: "i-1" }),
];
const machineOf: Readonly<Record<string, readonly [instanceId: string, endedAt: string | null]>> = {
  "drain-at-work": ["i-1", null],
  "drain-approved": ["i-1", NOW],
  "drain-elsewhere": ["i-2", null],
  "drain-paused": ["i-9", null],
};
const steps = verbs({
  ledger: {
    unfinished: async () => operations,
    nodes: async (id: string) => {
      const [instanceId, endedAt] = machineOf[id] ?? [];
      return instanceId === undefined ? [] : [nodeRecord({ operation: id, instanceId, endedAt: endedAt ?? null })];
    },
  },
});

test("Other operations on a machine are named with what they do: ask, confirm, wait for their time, or work", async () => {
  const found = await otherRequests(steps, "drain-own", [meant, { instanceId: null }]);
  expect(found).toEqual([
    { id: "drain-asked", title: "Drain win-1", by: "olivia", state: "asked" },
    { id: "drain-at-work", title: "Drain win-1", by: "olivia", state: "working" },
    { id: "drain-scheduled", title: "Drain win-1", by: "olivia", state: "scheduled" },
    { id: "remove-dialog", title: "Drain win-1", by: "olivia", state: "confirming" },
  ]);
});

test("An operation by a command of a release that was taken back is named by its word, and keeps no plan from people", async () => {
  const other = drain("patch-1", { request: { command: "patch", node: "win-1" } as never, approval: asked("open") });
  const ledger = { unfinished: async () => [other], nodes: async () => [] };
  expect(await otherRequests(verbs({ ledger }), "drain-own", [meant])).toEqual([
    { id: "patch-1", title: "patch", by: "olivia", state: "asked" },
  ]);
});

test("An operation on machines that are not known has none beside it", async () => {
  expect(await otherRequests(steps, "drain-own", [{ instanceId: null }])).toEqual([]);
  expect(await otherRequests(steps, "drain-own", [])).toEqual([]);
});

test("An operation that was cancelled, missed its time or waited too long does not begin", () => {
  const when = { cancelledBy: null, timing: { kind: "now", until: null }, isTooOld: false };
  const endOf = (changes: object) =>
    approvalEnd({ ...when, ...changes } as Parameters<typeof approvalEnd>[0], "`/win drain win-1`");
  const again = "Nothing was changed. Ask again: `/win drain win-1`";
  expect(endOf({})).toBeNull();
  expect(endOf({ timing: { kind: "later", from: 0, until: null } })).toBeNull();
  expect(endOf({ cancelledBy: "U0OPERATOR", isTooOld: true })).toEqual({
    status: "cancelled",
    summary: "Cancelled by <@U0OPERATOR> while it waited. Nothing was changed.",
  });
  expect(endOf({ timing: { kind: "missed" }, isTooOld: true })).toEqual({
    status: "cancelled",
    summary: `Its time passed before it could begin, and its pool has no maintenance windows. ${again}`,
  });
  expect(endOf({ isTooOld: true })).toEqual({
    status: "cancelled",
    summary: `It waited for 35 days and did not begin. ${again}`,
  });
});
