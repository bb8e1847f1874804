import { ApiException } from "@kubernetes/client-node";
import { afterAll, beforeAll, expect, it } from "vitest";
import {
  followHandedOver,
  handOver,
  MOST_POLLS,
  WATCHES_FOR_MS,
  watchNodes,
  watchPace,
} from "../../../lambdas/change/operation/progress.ts";
import { Retryable } from "../../../lambdas/errors.ts";
import type { PublishedMessage } from "../../../lambdas/records/records.ts";
import type { NodeChange } from "../../../lambdas/steps/ledger/ledger.ts";
import { functions } from "../../../lib/functions.ts";
import { run, setUp, tearDown, verbs } from "../../engine/durable-engine.ts";
import { neverEnding } from "../../engine/never-ending.ts";

beforeAll(setUp);
afterAll(tearDown);

const first: PublishedMessage = { messageTs: "1.0", view: "", at: 0, told: [], trouble: null };

it.each([1, 30])("the looks at %i nodes outlast each node's execution, however often they change", (nodes) => {
  const paces = Array.from({ length: MOST_POLLS }, (_, at) => watchPace(at + 1, nodes));
  const shortest = paces.reduce((sum, { poll, gather }) => sum + Math.min(poll, gather), 0);
  expect(shortest).toBeGreaterThan(functions["provision-node"].executionSeconds);
});

it("a watch lasts longer than each node's execution, and ends before its own", () => {
  expect(WATCHES_FOR_MS / 1_000).toBeGreaterThan(functions["provision-node"].executionSeconds);
  expect(WATCHES_FOR_MS / 1_000).toBeLessThan(functions["add-nodes"].executionSeconds - 1_800);
});

it("a watch whose nodes outlast it does not report an end", async () => {
  const watched = { ...neverEnding(), forMs: 5 * 60_000 };
  const ended = await run((ctx) => watchNodes(ctx, watched, first));
  expect(ended.result).toMatchObject({ hasEnded: false, published: { messageTs: "1.0" } });
});

it("an operation that was handed over says so, and is published until its nodes have ended", async () => {
  const watched = neverEnding();
  await handOver(watched, first);
  const handedOver = { pool: null, published: first };
  expect(watched.operationNow()).toMatchObject({
    endedAt: null,
    callbacks: {},
    handedOver,
    summary: expect.stringContaining("Still running"),
  });
  expect(await followHandedOver(watched, handedOver)).toBe(false);
  expect(watched.operationNow()).toMatchObject({
    endedAt: null,
    handedOver: { published: { view: expect.stringMatching(/./) } },
  });
  watched.endNode();
  expect(await followHandedOver(watched, handedOver)).toBe(true);
  expect(watched.operationNow()).toMatchObject({ status: "succeeded", summary: "1 node is Ready." });
});

it("the end of an operation that was handed over is said again until Slack takes it", async () => {
  const { steps, ...watched } = neverEnding();
  await handOver({ ...watched, steps }, first);
  watched.endNode();
  let isAway = true;
  const called: string[] = [];
  const post = async (_channel: string, _message: object, mark: string) => {
    if (!mark.endsWith("call end")) return "2.0";
    if (isAway) throw new Retryable("Slack is away");
    called.push(mark);
    return "3.0";
  };
  const refused: string[] = [];
  const unsaid = { note: async (id: string) => void refused.push(id), said: async () => undefined };
  const all = verbs({ ...steps, unsaid, thread: { ...steps.thread, post } });
  const handedOver = { pool: null, published: first };
  expect(await followHandedOver({ ...watched, steps: all }, handedOver)).toBe(false);
  expect(watched.operationNow()).toMatchObject({ endedAt: null, status: "running" });
  isAway = false;
  expect(await followHandedOver({ ...watched, steps: all }, handedOver)).toBe(true);
  expect(watched.operationNow()).toMatchObject({ endedAt: expect.any(String), status: "succeeded" });
  expect(called).toHaveLength(1);
  expect(refused).toHaveLength(1);
});

it("a node whose execution was lost is closed although the cluster refuses to show its Node", async () => {
  const { steps, ...watched } = neverEnding();
  const closed: string[] = [];
  const refusing = verbs({
    ...steps,
    ledger: {
      ...steps.ledger,
      changeNode: async (_id: string, _index: number, { status }: NodeChange) => void closed.push(String(status)),
    },
    executions: { ending: async () => "TIMED_OUT" },
    nodes: {
      all: async () => {
        throw new ApiException(401, "Unauthorized", {}, {});
      },
    },
    joinSecret: { remove: async () => undefined },
    joinSlots: { giveBack: async () => true },
    slots: { release: async () => false },
    leases: { releaseOwned: async () => true },
  });
  await followHandedOver({ ...watched, steps: refusing }, { pool: null, published: first });
  expect(closed).toEqual(["failed"]);
});
