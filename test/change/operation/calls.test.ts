import { expect, it } from "vitest";
import { mentionPeople } from "../../../lambdas/change/operation/calls.ts";
import { Refused } from "../../../lambdas/errors.ts";
import type { OperationView, PublishedMessage } from "../../../lambdas/records/records.ts";
import { timeout, verbs } from "../../engine/durable-engine.ts";
import { decidingRecord, NOW, operationRecord } from "../../messages/records.ts";

const published: PublishedMessage = { messageTs: "1.0", view: "", at: 0, told: [], trouble: null };
const rules = {
  people: { operator: ["U0OPERATOR", "S0OPERATORS"], approver: ["U0APPROVER"], reader: ["U0READER"] },
  policy: { add: ["operator", "approver"], nodes: ["reader"] },
};

/** Slack that takes messages down, and rules that may be away. */
function slack(answers: { readonly post?: () => Promise<void>; readonly rules?: () => Promise<object> } = {}) {
  const posts: { readonly mark: string; readonly text: string; readonly isBroadcast: boolean }[] = [];
  const post = async (
    _channel: string,
    { text }: { text: string },
    mark: string,
    _ts?: string,
    isBroadcast = false,
  ) => {
    await answers.post?.();
    posts.push({ mark, text, isBroadcast });
  };
  return { posts, steps: verbs({ thread: { post }, runtime: { rules: answers.rules ?? (async () => rules) } }) };
}

const waits: OperationView = {
  operation: operationRecord({ status: "waiting" }),
  nodes: [0, 1].map((index) => decidingRecord({ index, failedAt: "2026-11-21T13:50:00.000Z" })),
  pool: null,
  now: NOW,
};
const ended = (status: "failed" | "succeeded"): OperationView => ({
  ...waits,
  operation: operationRecord({ status, endedAt: NOW, summary: "2 nodes failed." }),
});

it("calls groups, and people of roles without a group, once for all nodes that wait", async () => {
  const { posts, steps } = slack();
  const after = await mentionPeople(steps, waits, published);
  expect(posts).toMatchObject([{ mark: "add-3f9c2a71 0 call", isBroadcast: false }]);
  expect(posts[0]?.text).toMatch(/^<!subteam\^S0OPERATORS> <@U0APPROVER> 2 nodes failed/);
  expect(await mentionPeople(steps, waits, after)).toEqual(after);
  expect(posts).toHaveLength(1);
});

it.each([
  ["failed", true],
  ["succeeded", false],
] as const)("shows the end of an operation that %s in the channel: %s", async (status, isBroadcast) => {
  const { posts, steps } = slack();
  await mentionPeople(steps, ended(status), published);
  expect(posts).toMatchObject([{ mark: "add-3f9c2a71 call end", isBroadcast }]);
});

it("throws what is no outage, of Slack and of the rules", async () => {
  const defect = async (): Promise<never> => {
    throw new Error("a defect");
  };
  await expect(mentionPeople(slack({ post: defect }).steps, waits, published)).rejects.toThrow("a defect");
  await expect(mentionPeople(slack({ rules: defect }).steps, waits, published)).rejects.toThrow("a defect");
});

it("calls later to a machine that failed for another cause, and not to one that failed as a called one did", async () => {
  const { posts, steps } = slack();
  const [first, alike] = waits.nodes;
  if (!first || !alike) throw new Error("two nodes wait");
  const other = { ...decidingRecord({ index: 2, failedAt: "2026-11-21T13:50:00.000Z" }), instanceId: "i-2" };
  const why = "the agent is silent";
  const nodes = [first, alike, { ...other, failure: { ...other.failure, stage: "agent", why, left: "" } as const }];
  const called = { ...published, called: [0] };
  expect(await mentionPeople(steps, { ...waits, nodes }, called)).toEqual({ ...called, called: [0, 2] });
  expect(posts).toEqual([
    { mark: "add-3f9c2a71 2 call", text: expect.stringContaining("node 3 `i-2` failed and has"), isBroadcast: false },
  ]);
});

it("posts nothing of an operation that no person requested, or that waits for no decision", async () => {
  const { posts, steps } = slack();
  const operation = { ...ended("failed").operation, origin: { by: "rule", rule: "trust" } } as const;
  expect(await mentionPeople(steps, { ...waits, operation }, published)).toEqual(published);
  expect(await mentionPeople(steps, { ...waits, nodes: [] }, published)).toEqual(published);
  expect(posts).toEqual([]);
});

it("puts a call off while the rules' service is busy", async () => {
  const busy = async (): Promise<never> => {
    throw timeout();
  };
  expect(await mentionPeople(slack({ rules: busy }).steps, waits, published)).toEqual(published);
});

it("puts a call off while Slack or the rules are away", async () => {
  const away = slack({
    post: async () => {
      throw timeout();
    },
  });
  expect((await mentionPeople(away.steps, waits, published)).trouble).not.toBeNull();
  const unread = slack({
    rules: async () => {
      throw new Refused("a deployment is running");
    },
  });
  expect(await mentionPeople(unread.steps, waits, published)).toEqual(published);
});
