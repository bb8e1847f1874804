import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Execution } from "../../../lambdas/change/operation/op.ts";
import {
  cancelledBy,
  checkBreakGlass,
  checkNow,
  checkOrigin,
  mayDecide,
  mayVote,
  mayVoteAsKnown,
  stillAllowed,
  stoppedBy,
} from "../../../lambdas/change/operation/requester.ts";
import type { Request } from "../../../lambdas/commands/request.ts";
import type { Rules } from "../../../lambdas/configuration/configuration.ts";
import { Forbidden, Refused, Retryable, UserError } from "../../../lambdas/errors.ts";
import { withLog } from "../../../lambdas/logging.ts";
import { BY_ITSELF, BY_MAINTENANCE } from "../../../lambdas/records/origin.ts";
import type { OperationRecord } from "../../../lambdas/records/records.ts";
import { isBusy } from "../../../lambdas/steps/client-errors.ts";
import type { Steps } from "../../../lambdas/steps/steps.ts";
import { verbs } from "../../engine/durable-engine.ts";
import { operationRecord } from "../../messages/records.ts";
import { peopleRefused, refusals } from "../../steps/slack/refusing.ts";

beforeEach(() => void vi.spyOn(console, "error").mockReturnValue());
afterEach(() => void vi.restoreAllMocks());

const rules = {
  slack: { channel: "C0WINDOWS" },
  people: { operator: ["U1"], group: ["S1"], approver: ["U3"], "on-call": ["U4"] },
  policy: {
    drain: ["operator", "group"],
    nodes: ["operator"],
    cancel: ["operator"],
    approve: ["approver", "group"],
    deny: ["operator"],
    "break-glass": ["on-call"],
  },
  approvals: {},
  pools: { batch: { policy: { drain: ["on-call"] } }, broken: { rulesFault: "it is no policy" } },
} as unknown as Rules;

/** Answers of Slack, the roster and the ledger. */
interface World {
  readonly membership?: string;
  readonly groups?: readonly string[];
  readonly known?: { readonly membership: string; readonly groups: readonly string[] };
  readonly operation?: OperationRecord;
  readonly readRules?: () => Promise<Rules>;
}

function world({ membership = "member", groups = [], known, operation, readRules = async () => rules }: World = {}) {
  const log: string[] = [];
  const steps = verbs({
    runtime: { rules: readRules },
    people: {
      membership: async (_rules: object, id: string) => {
        log.push(`ask Slack about ${id}`);
        return membership;
      },
      groupsOf: async () => groups,
      lastKnown: async () => known,
    },
    thread: { sendEphemeral: async (channel: string, to: string) => void log.push(`refuse ${to} in ${channel}`) },
    ledger: {
      operation: async () => operation,
      changeOperation: async (id: string, change: object) => void log.push(`${id} ${JSON.stringify(change)}`),
      withdrawCancel: async (id: string, cause: string) => void log.push(`withdraw ${cause} of ${id}`),
    },
  });
  return { steps, log };
}

/** The same, while Slack refuses each question about people. */
const unasked = <T extends { readonly steps: Steps }>(one: T, refusal: string): T => {
  Object.assign(one.steps.people, peopleRefused(refusal));
  return one;
};

const drain: Request = { command: "drain", node: "web-1", dryRun: false } as Request;

const by = (userId: string, request: Request, given: World = {}): Execution & { readonly log: string[] } => {
  const { steps, log } = world(given);
  const start = { operation: "drain-1", request, asker: { userId, userName: "x", channel: "C0WINDOWS" } };
  return { steps, start, log } as never;
};

describe("The requester of a change", () => {
  test.each<[string, World, string | null | undefined]>([
    ["U1", {}, undefined],
    ["U2", { groups: ["S1"] }, undefined],
    ["U4", {}, "batch"],
    ["U1", {}, null],
  ])("%s may make it with %j in %s", async (userId, given, pool) => {
    await expect(checkOrigin(by(userId, drain, given), rules, pool)).resolves.toBeUndefined();
  });

  test.each<[string, World, string | null | undefined]>([
    ["U2", {}, undefined],
    ["U1", { membership: "guest" }, undefined],
    ["U1", {}, "batch"],
    ["U4", {}, "web"],
    ["U1", {}, "broken"],
  ])("%s may not with %j in %s", async (userId, given, pool) => {
    await expect(checkOrigin(by(userId, drain, given), rules, pool)).rejects.toThrow(Forbidden);
  });

  test("is not checked where a rule has begun it", async () => {
    const { steps, log } = world();
    const start = { operation: "drain-1", request: drain, origin: { by: "rule", rule: "trust" } };
    await checkOrigin({ steps, start } as never, rules);
    expect(log).toEqual([]);
  });

  test.each(refusals)("keeps the permission while Slack refuses the question: %s", async (refusal) => {
    await expect(stillAllowed(unasked(by("U1", drain), refusal), rules)).resolves.toBeUndefined();
    await expect(checkOrigin(unasked(by("U1", drain), refusal), rules)).rejects.toSatisfy(isBusy);
  });

  test("loses the permission by an answer", async () => {
    await expect(stillAllowed(by("U2", drain), rules)).rejects.toThrow(Forbidden);
  });
});

describe("The requester of a look", () => {
  const nodes: Request = { command: "nodes", pool: null } as Request;

  test("is judged by the roster, without a question to Slack", async () => {
    const op = by("U1", nodes, { known: { membership: "member", groups: [] } });
    await checkOrigin(op, rules);
    expect(op.log).toEqual([]);
  });

  test("is asked about where the roster has no entry", async () => {
    const op = by("U1", nodes);
    await checkOrigin(op, rules);
    expect(op.log).toEqual(["ask Slack about U1"]);
  });

  test.each([
    ["U1", { membership: "guest", groups: [] }],
    ["U2", { membership: "member", groups: [] }],
  ])("%s is refused by an entry %j", async (userId, known) => {
    await expect(checkOrigin(by(userId, nodes, { known }), rules)).rejects.toThrow(Forbidden);
  });
});

describe("A change without approval", () => {
  const glass = { ...drain, breakGlass: "disk fails" } as Request;

  test("is for those who may break the glass, and for the name of a node, not a beginning of it", async () => {
    await expect(checkBreakGlass(by("U4", glass), "web-1", null)).resolves.toBeUndefined();
    await expect(checkBreakGlass(by("U1", glass), "web-1", null)).rejects.toThrow(Forbidden);
    await expect(checkBreakGlass(by("U4", glass), "web-1.example", null)).resolves.toBeUndefined();
    await expect(checkBreakGlass(by("U4", glass), "web-10.example", null)).rejects.toThrow(UserError);
    await expect(checkBreakGlass(by("U4", glass), "web-1", "broken")).rejects.toThrow(Forbidden);
  });

  test("is no matter of a request that waits for its approval", async () => {
    await expect(checkBreakGlass(by("U2", drain), "web-2", null)).resolves.toBeUndefined();
  });

  test("has the permission to begin outside of the windows, which others need of their own", async () => {
    await expect(checkNow(by("U2", glass), null)).resolves.toBeUndefined();
    await expect(checkNow(by("U4", drain), null)).resolves.toBeUndefined();
    await expect(checkNow(by("U1", drain), null)).rejects.toThrow(Forbidden);
  });
});

describe("A person who decides", () => {
  test("is refused in private where Slack or the policy says no", async () => {
    const { steps, log } = world();
    expect(await mayDecide(steps, "U1", "drain")).toBe(true);
    expect(await mayDecide(steps, "U2", "drain")).toBe(false);
    expect(log.filter((one) => one.startsWith("refuse"))).toEqual(["refuse U2 in C0WINDOWS"]);
  });

  test.each<[string, World, "approve" | "deny", readonly string[], boolean]>([
    ["U3", {}, "approve", ["approver"], true],
    ["U3", {}, "approve", ["group"], false],
    ["U3", {}, "deny", ["approver"], false],
    ["U2", { groups: ["S1"] }, "approve", ["group"], true],
    ["U3", { membership: "guest" }, "approve", ["approver"], false],
  ])("%s votes with %j to %s a plan of %j: %s", async (userId, given, decision, roles, isValid) => {
    const vote = { userId, decision };
    const { steps } = world(given);
    expect(await mayVote(steps, vote, { roles, pool: null })).toBe(isValid);
    const known = { membership: given.membership ?? "member", groups: given.groups ?? [] };
    expect(await mayVoteAsKnown(world({ known }).steps, vote, { roles, pool: null })).toBe(isValid);
  });

  test("is not known without an entry of the roster, and votes on nothing in a pool with broken rules", async () => {
    const vote = { userId: "U3", decision: "approve" } as const;
    const known = { membership: "member", groups: [] };
    expect(await mayVoteAsKnown(world().steps, vote, { roles: ["approver"], pool: null })).toBeNull();
    expect(await mayVoteAsKnown(world({ known }).steps, vote, { roles: ["approver"], pool: "broken" })).toBe(false);
    expect(await mayVote(world().steps, vote, { roles: ["approver"], pool: "broken" })).toBe(false);
  });
});

test("Each decision by the policy is a line of the log: a refusal is a warning with its reason", async () => {
  const lines: object[] = [];
  const runtime = {
    ...{ settings: { cluster: "prod-west" }, now: () => 0 },
    log: (line: string) => void lines.push(JSON.parse(line)),
  };
  const { steps } = world();
  await withLog(runtime, {}, async () => {
    for (const userId of ["U1", "U2"]) await mayDecide(steps, userId, "drain");
  });
  const fields = { event: "decision", decision: "policy", command: "drain" };
  expect(lines).toEqual([
    expect.objectContaining({ ...fields, level: "INFO", by: "U1", outcome: "allowed" }),
    expect.objectContaining({ ...fields, level: "WARN", by: "U2", outcome: "refused", why: "policy" }),
  ]);
});

describe("A cancellation", () => {
  const cancelled = (more: object = {}): OperationRecord =>
    operationRecord({ id: "add-1", cancelledBy: "U1", cancelCause: "cause-1", ...more } as never);

  test.each<[string, OperationRecord | undefined, string | null, string[]]>([
    ["of nobody is none", operationRecord(), null, []],
    ["of an unknown operation is none", undefined, null, []],
    ["that was judged is not judged again", cancelled({ cancelAllowed: "cause-1" }), "U1", []],
    ["without a cause is valid", cancelled({ cancelCause: undefined }), "U1", []],
    ["by a permitted person is noted", cancelled(), "U1", ["ask Slack about U1", 'add-1 {"cancelAllowed":"cause-1"}']],
    ["where the rules cannot be read is valid", cancelled({ inPool: "broken" }), "U1", []],
    [
      "by another person is withdrawn",
      cancelled({ cancelledBy: "U3" }),
      null,
      ["ask Slack about U3", "refuse U3 in C0WINDOWS", "withdraw cause-1 of add-1"],
    ],
  ])("%s", async (_what, operation, person, acts) => {
    const { steps, log } = world(operation ? { operation } : {});
    expect(await cancelledBy(steps, "add-1")).toBe(person);
    expect(log).toEqual(acts);
  });

  test.each(refusals)("holds while Slack refuses the question: %s", async (refusal) => {
    const { steps, log } = unasked(world({ operation: cancelled({ cancelledBy: "U3" }) }), refusal);
    expect(await cancelledBy(steps, "add-1")).toBe("U3");
    expect(log).toEqual([]);
  });

  test("holds while the rules cannot be read, and another error is none of it", async () => {
    const failing = (error: Error) =>
      world({
        operation: cancelled(),
        readRules: async () => {
          throw error;
        },
      }).steps;
    expect(await cancelledBy(failing(new Refused("no release")), "add-1")).toBe("U1");
    expect(await cancelledBy(failing(new Retryable("busy")), "add-1")).toBe("U1");
    await expect(cancelledBy(failing(new Error("a defect")), "add-1")).rejects.toThrow("a defect");
  });

  test.each<[object, string | null]>([
    [{}, null],
    [{ rollout: {} }, null],
    [{ rollout: { paused: { by: "U2" } } }, "U2"],
    [{ rollout: { paused: { by: null } } }, BY_ITSELF],
    [{ rollout: { closedAt: "2026-11-21T15:00:00.000Z", paused: { by: "U2" } } }, BY_MAINTENANCE],
    [{ cancelledBy: "U1", rollout: { paused: { by: "U2" } } }, "U1"],
  ])("stops the work on a node, as a pause and the end of a window do: %j", async (fields, person) => {
    expect(await stoppedBy(world({ operation: operationRecord(fields as never) }).steps, "reboot-1")).toBe(person);
  });
});
