import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import {
  countAgain,
  countedVote,
  countIfKnown,
  judgeAll,
  noVotes,
  type VoteCount,
  type VotedQuestion,
} from "../../../lambdas/change/approval/count.ts";
import { Retryable } from "../../../lambdas/errors.ts";
import type { DecisionRecord } from "../../../lambdas/records/records.ts";
import { verbs } from "../../engine/durable-engine.ts";
import { peopleRefused, refusals } from "../../steps/slack/refusing.ts";

beforeEach(() => void vi.spyOn(console, "error").mockReturnValue());
afterEach(() => void vi.restoreAllMocks());

const question = (needs = 1): VotedQuestion =>
  ({
    operation: "drain-1",
    requester: "U1",
    approval: {
      ...{ asking: 2, hash: "plan-2", needs, roles: ["approver"], pool: null },
      until: "2026-11-21T15:00:00.000Z",
    },
  }) as unknown as VotedQuestion;

const vote = (userId: string, more: Partial<DecisionRecord> = {}): DecisionRecord =>
  ({ userId, decision: "approve", plan: "plan-2", at: "2026-11-21T14:30:00.000Z", ...more }) as DecisionRecord;

const rules = {
  slack: { channel: "C0" },
  people: { approver: ["U2", "U3"] },
  policy: { approve: ["approver"], deny: ["approver"] },
  pools: {},
};

/** People whom Slack calls members; null while Slack is silent. */
type Members = readonly string[] | null;

function ballot(votes: readonly DecisionRecord[], members: Members, roster: readonly string[] = []) {
  const audited: unknown[] = [];
  const steps = verbs({
    ledger: { votes: async () => votes },
    runtime: { rules: async () => rules },
    people: {
      membership: async (_rules: object, id: string) => {
        if (members === null) throw new Retryable("Slack is busy");
        return members.includes(id) ? "member" : "guest";
      },
      groupsOf: async () => [],
      lastKnown: async (id: string) => (roster.includes(id) ? { membership: "member", groups: [] } : undefined),
    },
    audit: { append: async (_at: object, key: string, entry: object) => void audited.push([key, entry]) },
  });
  return { steps, audited };
}

const all = ["U1", "U2", "U3", "U4"];
const namesIn = ({ votes, refused, judged, lost, isUnclear }: VoteCount) => ({
  votes: votes.map(({ userId }) => userId),
  ...{ refused, judged, lost, isUnclear },
});

describe("A vote on a plan", () => {
  test("is counted and audited once, with its reason", async () => {
    const { steps, audited } = ballot([vote("U2", { reason: "looks right" }), vote("U2")], all);
    const count = await judgeAll(steps, question(), noVotes);
    expect(namesIn(count)).toEqual({ votes: ["U2"], refused: [], judged: ["U2"], lost: [], isUnclear: false });
    expect(audited).toEqual([
      ["vote 2 U2", { what: "approved", by: { person: "U2" }, detail: { plan: "plan-2", reason: "looks right" } }],
    ]);
  });

  test("against it is audited as a denial", async () => {
    const { steps, audited } = ballot([vote("U2", { decision: "deny" })], all);
    expect((await judgeAll(steps, question(), noVotes)).votes[0]?.decision).toBe("deny");
    expect(audited).toMatchObject([["vote 2 U2", { what: "denied", detail: { plan: "plan-2" } }]]);
  });

  test.each([
    ["of the requester", vote("U1")],
    ["on an earlier plan", vote("U2", { plan: "plan-1" })],
    ["that comes too late", vote("U2", { at: "2026-11-21T15:00:00.001Z" })],
  ])("%s is passed over", async (_what, one) => {
    const { steps, audited } = ballot([one as DecisionRecord], all);
    expect(await judgeAll(steps, question(), noVotes)).toEqual(noVotes);
    expect(audited).toEqual([]);
  });

  test("at the last moment is in time", async () => {
    const { steps } = ballot([vote("U2", { at: "2026-11-21T15:00:00.000Z" })], all);
    expect((await judgeAll(steps, question(), noVotes)).judged).toEqual(["U2"]);
  });

  test("of somebody without the role is refused once, and stays refused", async () => {
    const { steps } = ballot([vote("U4")], all);
    const first = await judgeAll(steps, question(), noVotes);
    expect(namesIn(first)).toMatchObject({ votes: [], refused: ["U4"] });
    expect((await judgeAll(steps, question(), first)).refused).toEqual(["U4"]);
  });

  test.each(refusals)("is neither counted nor refused while Slack refuses the question: %s", async (refusal) => {
    const { steps } = ballot([vote("U2")], all);
    Object.assign(steps.people, peopleRefused(refusal));
    const count = await judgeAll(steps, question(), noVotes);
    expect(namesIn(count)).toEqual({ votes: [], refused: [], judged: [], lost: [], isUnclear: true });
  });

  test("is unclear while Slack is silent, and judged by a later poll", async () => {
    const silent = await judgeAll(ballot([vote("U2")], null).steps, question(), noVotes);
    expect(namesIn(silent)).toEqual({ votes: [], refused: [], judged: [], lost: [], isUnclear: true });
    const later = await judgeAll(ballot([vote("U2")], all).steps, question(), silent);
    expect(namesIn(later)).toMatchObject({ votes: ["U2"], isUnclear: false });
  });
});

describe("Votes that are enough", () => {
  const earlier: VoteCount = { ...noVotes, votes: [countedVote(vote("U2"))] };

  test("are judged again: who has lost the role since approves nothing", async () => {
    const count = await judgeAll(ballot([vote("U2"), vote("U3")], ["U3"]).steps, question(2), earlier);
    expect(namesIn(count)).toEqual({ votes: ["U3"], refused: ["U2"], judged: ["U3"], lost: ["U2"], isUnclear: false });
  });

  test("are judged again: who still has it approves", async () => {
    const count = await judgeAll(ballot([vote("U2"), vote("U3")], all).steps, question(2), earlier);
    expect(namesIn(count)).toMatchObject({ votes: ["U2", "U3"], judged: ["U3", "U2"], lost: [], isUnclear: false });
  });

  test("approve nothing while Slack is silent", async () => {
    const count = await judgeAll(ballot([vote("U2")], null).steps, question(1), earlier);
    expect(namesIn(count)).toMatchObject({ votes: ["U2"], judged: [], isUnclear: true });
  });

  test("are not judged again while they are too few, or one denies", async () => {
    expect((await judgeAll(ballot([], null).steps, question(2), earlier)).isUnclear).toBe(false);
    const denied: VoteCount = { ...noVotes, votes: [countedVote(vote("U2", { decision: "deny" }))] };
    expect((await judgeAll(ballot([], null).steps, question(1), denied)).isUnclear).toBe(false);
  });
});

describe("Votes that an earlier execution counted", () => {
  test("are counted afresh", async () => {
    expect(await countAgain(ballot([vote("U2")], all).steps, question())).toEqual(["U2"]);
    expect(await countAgain(ballot([vote("U2")], all).steps, question(2))).toBeNull();
    expect(await countAgain(ballot([vote("U2"), vote("U3", { decision: "deny" })], all).steps, question())).toBeNull();
  });

  test("are counted by the roster while Slack is silent", async () => {
    expect(await countAgain(ballot([vote("U2")], null, ["U2"]).steps, question())).toEqual(["U2"]);
    const unknown = ballot([vote("U2")], null).steps;
    await expect(countAgain(unknown, question())).rejects.toThrow("Slack did not answer who may approve");
    expect(await countIfKnown(unknown, question())).toBeNull();
  });

  test("are not counted over a defect", async () => {
    const { steps } = ballot([vote("U2")], all);
    Object.assign(steps.people, {
      membership: async () => {
        throw new TypeError("a defect");
      },
    });
    await expect(countIfKnown(steps, question())).rejects.toThrow("a defect");
  });
});

test("An approval stores who voted, how, when and why", () => {
  const at = "2026-11-21T14:30:00.000Z";
  expect(countedVote(vote("U2", { reason: "fine" }))).toEqual({
    userId: "U2",
    decision: "approve",
    at,
    reason: "fine",
  });
  expect(countedVote(vote("U2", { decision: "keep" as never }))).toEqual({ userId: "U2", decision: "deny", at });
});
