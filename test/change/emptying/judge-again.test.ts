import { expect, test } from "vitest";
import type { ChangeTask } from "../../../lambdas/change/change.ts";
import { type EmptyingRow, emptying } from "../../../lambdas/change/emptying/emptying-change.ts";
import type { EmptyingTask } from "../../../lambdas/change/emptying/emptying-task.ts";
import type { PlannedEmptying } from "../../../lambdas/change/emptying/plan-emptying.ts";
import type { Op } from "../../../lambdas/change/operation/op.ts";
import { Forbidden } from "../../../lambdas/errors.ts";
import { verbs } from "../../engine/durable-engine.ts";
import { operationRecord } from "../../messages/records.ts";
import { startOf } from "../operation/starts.ts";

const request = { command: "drain", node: "web-1", dryRun: false } as const;

/** The task of a drain whose requester has these roles now. */
function taskOf(people: Readonly<Record<string, readonly string[]>>): EmptyingTask {
  const rules = { slack: { channel: "C0" }, people, policy: { drain: ["operator"] }, approvals: {}, pools: {} };
  const steps = verbs({
    runtime: { rules: async () => rules, read: () => Promise.reject(new Error("the node is judged")) },
    people: { membership: async () => "member", groupsOf: async () => [] },
  });
  const record = operationRecord({ request, asker: { userId: "U1", userName: "olivia", channel: "C0" } });
  const op = { steps, request, start: startOf(record), settings: { runtimeVersion: "7" } } as unknown as Op;
  const row = { command: "drain", taskOf: (task: EmptyingTask) => task } as unknown as EmptyingRow<EmptyingTask>;
  const chosen = { name: "web-1", uid: "uid-1", pool: "web" };
  const planned = { chosen, options: { force: false }, plan: { pods: [] } } as unknown as PlannedEmptying;
  return emptying(row).taskOf({ op, approved: {} } as unknown as ChangeTask, planned);
}

test.each(["slot", "question"] as const)(
  "Nothing goes on after a %s for a requester who has lost the role",
  async (after) => {
    await expect(taskOf({ approver: ["U1"] }).judgeAgain(after)).rejects.toThrow(Forbidden);
    await expect(taskOf({ operator: ["U1"] }).judgeAgain(after)).rejects.toThrow("the node is judged");
  },
);
