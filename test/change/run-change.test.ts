import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Change, ChangeTask } from "../../lambdas/change/change.ts";
import { stageTable } from "../../lambdas/change/node/stages.ts";
import { anyChange, changing } from "../../lambdas/change/run-change.ts";
import type { Request } from "../../lambdas/commands/request.ts";
import { StageFailed } from "../../lambdas/engine/durable.ts";
import type { NodeRecord, OperationRecord } from "../../lambdas/records/records.ts";
import { acceptedAs, inMinutes, runStarted, setUp, tearDown, timeout, verbs } from "../engine/durable-engine.ts";
import { operationRecord } from "../messages/records.ts";
import { configurationWith, manifest } from "../profiles/okd/facts.ts";

beforeAll(setUp);
afterAll(tearDown);

type CordonRequest = Extract<Request, { command: "cordon" }>;
type Row = Change<CordonRequest, string, ChangeTask>;

const NODE = "ip-10-0-3-7";
const nothing = async (): Promise<void> => undefined;

/** A change of one stage, which a case lets end in its own way. */
const row = (changes: Partial<Row>, stage: (task: ChangeTask) => Promise<void>): Row => ({
  isFor: (request): request is CordonRequest => request.command === "cordon",
  workflow: "cordon",
  eventReason: "CasementCordoning",
  names: { plan: "judge", end: "end without a change" },
  stages: () =>
    stageTable<"cordon", ChangeTask>("cordon", { cordon: stage, uncordon: nothing }).filter(
      ({ name }) => name === "cordon",
    ),
  plan: async () => NODE,
  subject: (name) => ({ name, uid: "uid-1", instanceId: "i-1", pool: null, isRecovery: true }),
  dryRun: (name) => ({ text: `would cordon ${name}`, blocks: [] }),
  taskOf: (task) => task,
  undo: () => "the node is as it was",
  finish: ({ isGone }) => ({ summary: isGone ? "gone" : "done" }),
  words: { cancelled: (left) => `Cancelled: ${left}.`, failed: (left) => `Failed: ${left}.` },
  ...changes,
});

/** A case: how its plan, its stage, and the services behave. */
interface Case {
  readonly changes?: Partial<Row>;
  readonly stage?: (task: ChangeTask) => Promise<void>;
  readonly dryRun?: boolean;
  readonly record?: Partial<OperationRecord>;
  readonly post?: () => Promise<string>;
  readonly take?: () => Promise<never>;
}

/** Runs a change to its end. @returns how the operation and its node ended, what is still held, and what was said */
async function ended({ changes = {}, stage = nothing, dryRun = false, record = {}, post, take }: Case) {
  const request = { command: "cordon", node: NODE, dryRun } as const;
  const operation: OperationRecord = { ...operationRecord({ request }), endedAt: null, messageTs: null, ...record };
  const nodes: NodeRecord[] = [];
  const held = { lease: 0, slot: 0 };
  const said: string[] = [];
  const configuration = {
    ...configurationWith(),
    people: { operator: [operation.asker?.userId ?? ""] },
    policy: { cordon: ["operator"] },
  };
  const release = { version: "7", configuration, payload: manifest() };
  const steps = verbs({
    runtime: { read: async () => release, rules: async () => configuration },
    people: { membership: async () => "member", groupsOf: async () => [] },
    ledger: {
      accepted: acceptedAs(operation),
      operation: async () => operation,
      nodes: async () => nodes,
      changeOperation: async (_id: string, change: object) => void Object.assign(operation, change),
      recordNode: async (one: NodeRecord) => void nodes.splice(one.index, 1, one),
      changeNode: async (_id: string, index: number, change: object) => void Object.assign(nodes[index] ?? {}, change),
    },
    leases: {
      take: async (instanceId: string, owner: string) => {
        await take?.();
        held.lease = 1;
        return { instanceId, owner, epoch: 1 };
      },
      release: async () => void Object.assign(held, { lease: 0 }),
      releaseOwned: async () => void Object.assign(held, { lease: 0 }),
    },
    slots: { release: async () => void Object.assign(held, { slot: 0 }) },
    nodes: { announce: nothing },
    thread: {
      post: post ?? (async () => "1.0"),
      update: async () => "1.0",
    },
    answers: { give: async (_id: string, _to: object, { text }: { text: string }) => void said.push(text) },
  });
  const start = { operation: operation.id, request, asker: operation.asker, notAfter: inMinutes(60) / 1_000 };
  const work = changing(
    anyChange(
      row(changes, async (task) => {
        held.slot = 1;
        await stage(task);
      }),
    ),
  );
  await runStarted(start, (ctx) => work(steps)({ ...start }, ctx));
  const { status, summary, endedAt } = operation;
  return { status, summary, hasEnded: endedAt !== null, held, nodes: nodes.map((one) => one.status), said };
}

const released = { lease: 0, slot: 0 };

describe("A change of one node", () => {
  it.each<[string, Case, object]>([
    ["that succeeds", {}, { status: "succeeded", summary: "done", nodes: ["succeeded"] }],
    [
      "whose stage fails",
      { stage: () => Promise.reject(new StageFailed("unexpected", "no")) },
      { status: "failed", summary: "Failed: the node is as it was.", nodes: ["failed"] },
    ],
    [
      "that is cancelled before its first stage",
      { record: { cancelledBy: "U0OPERATOR" } },
      { status: "cancelled", summary: "Cancelled: the node is as it was.", nodes: ["cancelled"] },
    ],
    [
      "whose node goes away under way",
      {
        stage: async (task) => {
          task.isGone = true;
        },
      },
      { status: "succeeded", summary: "gone", nodes: ["succeeded"] },
    ],
    [
      "whose machine another operation holds",
      { take: () => Promise.reject(Object.assign(new Error("it is held"), { name: "Refused" })) },
      { status: "refused", summary: "it is held", nodes: [] },
    ],
    [
      "that may not be made",
      { changes: { plan: () => Promise.reject(Object.assign(new Error("it is frozen"), { name: "Refused" })) } },
      { status: "refused", summary: "it is frozen", nodes: [] },
    ],
    ["that is shown only", { dryRun: true }, { status: "succeeded", nodes: [], said: [`would cordon ${NODE}`] }],
  ])("%s ends, and holds neither lease nor slot", async (_, given, end) => {
    expect(await ended(given)).toMatchObject({ ...end, hasEnded: true, held: released });
  });

  it("of which Slack takes no message ends before its first stage, and its machine and record are released", async () => {
    const tried: string[] = [];
    const slackDown = async (): Promise<string> => {
      tried.push("post");
      // The end is told once Slack is back.
      if (tried.length > 10) return "1.0";
      throw timeout();
    };
    const end = await ended({ post: slackDown });
    expect(end).toMatchObject({ status: "failed", hasEnded: true, held: released, nodes: ["failed"] });
  });
});
