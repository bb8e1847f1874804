import { expect, test } from "vitest";
import {
  acceptancePlan,
  awaitsApproval,
  endedBadly,
  leftBehind,
  sentReason,
  tooLong,
  typeInTerminal,
  unanswered,
} from "../../../lambdas/messages/acceptance/words.ts";

const run = {
  ...{ id: "a-1", pool: "web", cluster: "prod-west", windows: "2022", instanceType: "m6i.xlarge" },
  user: null,
};

test("The reason of a command from a terminal names terminal and identity, without what could be markup", () => {
  expect(sentReason("a-1", "ops@host.example <!here>", "arn:aws:sts::1:assumed-role/Ops/o@x.org`*`")).toBe(
    "acceptance a-1, sent from the terminal of ops@host.example here by arn:aws:sts::1:assumed-role/Ops/o@x.org",
  );
});

test("The plan of a run names what it does, who types, and how long approvals are waited for", () => {
  const plan = acceptancePlan(run, 30);
  expect(plan).toContain("Acceptance run a-1 on prod-west, pool web:");
  expect(plan).toContain("1. adds one node (Windows Server 2022, m6i.xlarge)");
  expect(plan).toContain("\nA person types three commands in the channel; this terminal says which.\n");
  expect(plan).toContain("waited for, up to 30 minutes each.");
  expect(acceptancePlan({ ...run, user: "U1" }, 30)).toContain("\nThe node is added and rebooted in the name of U1;");
});

test("A person is asked to type a command, and to confirm where it opens a dialog", () => {
  expect(typeInTerminal("/win add web", "C1", false)).toBe("Type in the channel C1:\n\n    /win add web\n");
  expect(typeInTerminal("/win remove a", "C1", true)).toBe(
    "Type in the channel C1:\n\n    /win remove a\n\nThen confirm in the dialog.\n",
  );
});

test.for<[object | undefined, string]>([
  [undefined, "1 approvals of an approver"],
  [{ needs: 1, roles: [] }, "1 approval of an approver"],
  [{ needs: 2, roles: ["approver", "on-call"] }, "2 approvals of approver or on-call"],
])("An operation waits for the approval %j", ([approval, whose]) => {
  expect(awaitsApproval({ id: "add-1", approval } as never, "/win", 30)).toBe(
    `add-1 waits for ${whose}: press Approve in its message, or type /win approve add-1. It is waited for up to 30 minutes.`,
  );
});

test("An operation that ended otherwise than wanted is told with the next step", () => {
  expect(unanswered("add-1", 30, "/win")).toBe(
    "add-1 has waited 30 minutes for a person: nothing was changed. /win cancel add-1 ends it.",
  );
  expect(endedBadly({ id: "add-1", status: "failed", summary: "no capacity" })).toBe(
    "add-1 ended as failed: no capacity",
  );
  expect(endedBadly({ id: "add-1", status: "failed", summary: "" })).toBe(
    "add-1 ended as failed: its message in Slack says why",
  );
  expect(tooLong("add-1", 90)).toBe(
    "add-1 has not ended within 90 minutes; it goes on, and its message in Slack shows how far it is",
  );
});

test("What a run leaves is named, with the commands that remove it and go on", () => {
  const commands =
    "\n  npm run acceptance -- --clean-up --stack a   removes it\n  npm run acceptance -- --resume --stack a     goes on with the run";
  const left = { instanceId: null, nodeName: null, operation: null, flags: " --stack a" };
  expect(leftBehind(left)).toBe(`Left: no machine that this run knows of.${commands}`);
  expect(leftBehind({ ...left, instanceId: "i-1", nodeName: "win-1", operation: "add-1" })).toBe(
    `Left: the instance i-1 (node win-1), which costs money until it is removed. The operation add-1 goes on without this terminal.${commands}`,
  );
  expect(leftBehind({ ...left, instanceId: "i-1" })).toContain("Left: the instance i-1, which costs");
});
