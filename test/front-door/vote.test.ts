import { describe, expect, test } from "vitest";
import {
  approvePressed,
  denyPressed,
  denySubmitted,
  runPressed,
  type Vote,
  vote,
} from "../../lambdas/front-door/vote.ts";
import type { Approval } from "../../lambdas/records/approval.ts";
import type { OperationRecord } from "../../lambdas/records/records.ts";
import { approvalRecord } from "../messages/approval/approval-record.ts";
import { operationRecord } from "../messages/records.ts";
import { fakeFrontDoor } from "./fake-front-door.ts";

const ID = "remove-3f9c2a71";
const ASKING = `${ID}:1`;

const operator = {
  ...{ userId: "U0OPERATOR", userName: "olivia", teamId: "T0CASEMENT", channel: "C0WINDOWS" },
  triggerId: "1.1",
};

/** A front door beside an operation that waits for the approval of an operator. */
function waiting(approval: Partial<Approval> = {}, more: Partial<OperationRecord> = {}) {
  const { door, memory } = fakeFrontDoor();
  const cast: object[] = [];
  const ledgerVote = async (id: string, asked: Approval, given: object) => {
    cast.push({ id, plan: asked.hash, ...given });
    return cast[0];
  };
  Object.assign(door.steps.ledger, { vote: ledgerVote });
  const record = operationRecord({
    ...{ id: ID, request: { command: "remove", node: "win-1", dryRun: false } },
    asker: { userId: "U0OTHER", userName: "otto", channel: "C0WINDOWS" },
    callbacks: { approval: "callback-1" },
    approval: approvalRecord({ roles: ["operator"], ...approval }),
    ...more,
  } as Partial<OperationRecord>);
  memory.operations.set(ID, record);
  memory.callbacks.set("callback-1", "waiting");
  return { door, memory, cast };
}

const voted = async (given: ReturnType<typeof waiting>, fields: Partial<Vote> = {}): Promise<string> =>
  (await vote(given.door, { ...operator, operation: ID, asking: null, decision: "approve", ...fields })).text;

describe("A vote", () => {
  test("is recorded with its reason, wakes the workflow, and is confirmed in private", async () => {
    const given = waiting();
    expect(await voted(given, { decision: "deny", reason: "not now" })).toBe(
      `Your denial of \`${ID}\` is recorded. The operation ends and nothing is changed.`,
    );
    expect(given.cast).toEqual([
      { id: ID, plan: "abcdef0123456789", decision: "deny", userId: "U0OPERATOR", cause: "1.1", reason: "not now" },
    ]);
    expect(given.memory.callbacks.get("callback-1")).toEqual({ decision: "deny", userId: "U0OPERATOR" });
  });

  test("after another one of the same person changes nothing, and names the first and the way to stop", async () => {
    const given = waiting();
    await voted(given);
    expect(await voted(given)).toContain("Your approval of");
    const said = "You approved `remove-3f9c2a71` before, and each person votes once: this denial changes nothing.";
    expect(await voted(given, { decision: "deny" })).toBe(`${said} To stop it: \`{win} cancel ${ID}\`.`);
    const dialog = await denySubmitted(given.door, { ...operator, viewId: "V1" }, ASKING, "not now");
    expect(dialog).toMatchObject({ text: expect.stringContaining(said) });
  });

  test("without a reason has none, and a review is confirmed as one", async () => {
    const given = waiting({ state: "review" }, { callbacks: {} });
    expect(await voted(given)).toContain(`Your review of \`${ID}\` is recorded: looks fine.`);
    expect(given.cast[0]).not.toHaveProperty("reason");
    expect(given.memory.callbacks.get("callback-1")).toBe("waiting");
  });

  test.each<[string, Partial<Approval>, Partial<OperationRecord>, Partial<Vote>, string]>([
    ["of an unknown operation", {}, {}, { operation: "remove-00000000" }, "Operation `remove-00000000` not found."],
    ["where no approval is asked", {}, { approval: undefined as never }, {}, "is not waiting for an approval"],
    ["of the requester", {}, {}, { userId: "U0OTHER" }, "so another person must decide"],
    ["of another role", { roles: ["approver"] }, {}, {}, "only `approver` can"],
    ["of a stranger", {}, {}, { userId: "U0STRANGER" }, "You cannot decide"],
    ["after the end", {}, { endedAt: "2026-11-21T10:00:00.000Z" }, {}, "was already decided, or lapsed"],
    ["after the decision", { state: "approved" }, {}, {}, "was already decided, or lapsed"],
    ["after the deadline", { until: "2026-11-21T10:29:59.999Z" }, {}, {}, "was already decided, or lapsed"],
    ["on an earlier plan", { asking: 2 }, {}, { asking: ASKING }, "has changed. Read the new plan"],
  ])("%s is not recorded", async (_what, approval, record, fields, words) => {
    const given = waiting(approval, record);
    expect(await voted(given, fields)).toContain(words);
    expect(given.cast).toEqual([]);
    expect(given.memory.callbacks.get("callback-1")).toBe("waiting");
  });

  test("at the deadline is in time, and a review has none", async () => {
    expect(await voted(waiting({ until: "2026-11-21T10:30:00.000Z" }))).toContain("is recorded");
    const late = { state: "review", until: "2026-11-20T10:30:00.000Z" } as const;
    expect(await voted(waiting(late, { endedAt: "2026-11-21T10:00:00.000Z" }))).toContain("is recorded");
  });
});

describe("The button Approve", () => {
  test("votes on the plan of its message", async () => {
    const given = waiting();
    expect((await approvePressed(given.door, operator, ASKING)).text).toContain("Your approval of");
    expect(given.cast).toHaveLength(1);
  });

  test.each(["", ID, `x${ASKING}:1`, `${ASKING}0000`, "remove-3f9c2a7:1"])("does nothing with %j", async (value) => {
    const given = waiting();
    await approvePressed(given.door, operator, value);
    expect(given.cast).toEqual([]);
  });
});

describe("The button Deny", () => {
  const dialogIn = ({ memory }: ReturnType<typeof waiting>) =>
    memory.dialogs[0]?.dialog as { private_metadata?: string };

  test("asks for the reason, of a plan and of a review", async () => {
    const given = waiting();
    expect(await denyPressed(given.door, operator, ASKING)).toBeNull();
    expect(dialogIn(given)).toMatchObject({ private_metadata: ASKING, title: { text: "Deny the plan" } });
    const review = waiting({ state: "review" });
    await denyPressed(review.door, operator, ASKING);
    expect(dialogIn(review)).not.toMatchObject({ title: { text: "Deny the plan" } });
  });

  test("answers in private where the vote would not be valid, or Slack opens no dialog", async () => {
    const other = waiting({ roles: ["approver"] });
    expect((await denyPressed(other.door, operator, ASKING))?.text).toContain("only `approver` can");
    expect(other.memory.dialogs).toEqual([]);
    const late = waiting();
    late.memory.expired.add("1.1");
    expect((await denyPressed(late.door, operator, ASKING))?.text).toMatch(/again/);
    expect(await denyPressed(late.door, operator, "nonsense")).not.toBeNull();
  });

  test("records the denial with the dialog's reason, and closes the dialog", async () => {
    const given = waiting();
    expect(await denySubmitted(given.door, { ...operator, viewId: "V1" }, ASKING, "not now")).toBeNull();
    expect(given.cast).toMatchObject([{ decision: "deny", reason: "not now" }]);
  });

  test("records nothing from a dialog that was not opened here, or for a plan that has changed", async () => {
    const given = waiting();
    expect(await denySubmitted(given.door, { ...operator, viewId: "V9" }, ASKING, "")).not.toBeNull();
    expect(await denySubmitted(given.door, { ...operator, viewId: "V1" }, `${ID}:2`, "")).toMatchObject({
      text: expect.stringContaining("has changed"),
    });
    expect(
      await denySubmitted(given.door, { ...operator, viewId: "V1", userId: "U0READER" }, ASKING, ""),
    ).not.toBeNull();
    expect(given.cast).toEqual([]);
  });
});

describe("The button Run without approval", () => {
  /** The operator may break the glass. */
  function onCall(approval: Partial<Approval> = {}, more: Partial<OperationRecord> = {}) {
    const given = waiting({ unapprovedNode: "win-1.example", ...approval } as Partial<Approval>, more);
    const { configuration } = given.door;
    const policy = { ...configuration.policy, "break-glass": ["operator"] };
    const door = { ...given.door, configuration: { ...configuration, policy } };
    const links: object[] = [];
    Object.assign(door.steps.ledger, { followUp: async (...of: object[]) => void links.push(of) });
    return { ...given, door };
  }

  test("asks for the reason", async () => {
    const given = onCall();
    expect(await runPressed(given.door, operator, ASKING)).toBeNull();
    expect(given.memory.dialogs[0]?.dialog).toMatchObject({ private_metadata: `run ${ASKING}` });
    expect(await runPressed(given.door, operator, "nonsense")).not.toBeNull();
  });

  const submit = (given: ReturnType<typeof onCall>, reason = "disk fails", asking = ASKING) =>
    denySubmitted(given.door, { ...operator, viewId: "V1" }, `run ${asking}`, reason);

  test.each<[string, Partial<Approval>, Partial<OperationRecord>, string, string]>([
    ["after the decision", { state: "approved" }, {}, ASKING, "was already decided, or lapsed"],
    ["after the end", {}, { endedAt: "2026-11-21T10:00:00.000Z" }, ASKING, "was already decided, or lapsed"],
    ["of more than one node", { unapprovedNode: undefined as never }, {}, ASKING, "was already decided, or lapsed"],
    ["on an earlier plan", { asking: 2 }, {}, ASKING, "has changed"],
    ["of an unknown operation", {}, {}, "remove-00000000:1", "was already decided, or lapsed"],
  ])("starts nothing %s", async (_what, approval, record, asking, words) => {
    const given = onCall(approval, record);
    expect((await submit(given, "disk fails", asking))?.text).toContain(words);
    expect(given.memory.starts).toEqual([]);
  });

  test("starts nothing without a reason, nor for who may not break the glass", async () => {
    expect((await submit(onCall(), "  "))?.text).toContain("was already decided, or lapsed");
    const given = waiting({ unapprovedNode: "win-1.example" } as Partial<Approval>);
    const refusal = await denySubmitted(given.door, { ...operator, viewId: "V1" }, `run ${ASKING}`, "disk fails");
    expect(refusal?.text).toContain("break-glass");
    expect(given.memory.starts).toEqual([]);
  });
});
