import { describe, expect, test } from "vitest";
import type { NodeStatus } from "../../lambdas/records/records.ts";
import { nextMoves, type RolloutState, type RolloutView, SLACK_AWAY_MS } from "../../lambdas/records/rollout-moves.ts";

const nodesOf = (...statuses: NodeStatus[]): RolloutState[] =>
  statuses.map((status, index) => ({ index, status, outcome: null, isAway: false }));

const view = (statuses: NodeStatus[], change: Partial<RolloutView> = {}): RolloutView => ({
  nodes: nodesOf(...statuses),
  most: 2,
  mostRecovering: 10,
  canary: false,
  isConfirmed: false,
  accepted: [],
  isPaused: false,
  isCancelled: false,
  slackAwayMs: 0,
  ...change,
});

describe("the next moves of a rollout", () => {
  test("leave out a node that would lose what nobody has accepted, and go on", () => {
    const nodes = nodesOf("succeeded", "failed", "queued").map((node) => ({ ...node, isLeftOut: node.index === 1 }));
    expect(nextMoves({ ...view([]), nodes })).toEqual({ start: [2], pause: null, isOver: false });
  });

  test("begin one node alone, whatever may be away", () => {
    expect(nextMoves(view(["queued", "queued", "queued"])).start).toEqual([0]);
    expect(nextMoves(view(["running", "queued", "queued"])).start).toEqual([]);
  });

  test("fill the budget once a node is proven", () => {
    expect(nextMoves(view(["succeeded", "queued", "queued", "queued"])).start).toEqual([1, 2]);
    expect(nextMoves(view(["succeeded", "running", "queued", "queued"])).start).toEqual([2]);
    expect(nextMoves(view(["succeeded", "deciding", "running", "queued"])).start).toEqual([]);
  });

  test("recover nodes that are away already beside those that take a slot, one first", () => {
    const statuses: NodeStatus[] = ["queued", "queued", "queued", "queued", "queued", "queued"];
    const nodes = nodesOf(...statuses).map((node) => ({ ...node, isAway: node.index < 3 }));
    expect(nextMoves({ ...view([]), nodes, most: 1 }).start).toEqual([0]);
    const [first, ...rest] = nodes;
    const proven = [{ ...first, status: "succeeded" } as RolloutState, ...rest];
    expect(nextMoves({ ...view([]), nodes: proven, most: 1 }).start).toEqual([1, 2, 3]);
    expect(nextMoves({ ...view([]), nodes: proven, most: 1, mostRecovering: 1 }).start).toEqual([1, 3]);
  });

  test("take a node that was gone for no proof", () => {
    const [first, ...rest] = nodesOf("succeeded", "queued", "queued", "queued");
    const nodes = [{ ...first, outcome: "no longer exists" } as RolloutState, ...rest];
    expect(nextMoves({ ...view([]), nodes }).start).toEqual([1]);
  });

  test("pause at a failure while nodes are left, and begin none", () => {
    expect(nextMoves(view(["failed", "queued"]))).toEqual({
      start: [],
      pause: { kind: "failed", indexes: [0] },
      isOver: false,
    });
    expect(nextMoves(view(["succeeded", "failed", "running", "queued"])).pause).toEqual({
      kind: "failed",
      indexes: [1],
    });
  });

  test("pause when a node got no slot, and keep it in the queue", () => {
    const nodes = nodesOf("succeeded", "failed").map((node) => ({ ...node, gotNoSlot: node.index === 1 }));
    expect(nextMoves({ ...view([]), nodes })).toEqual({
      ...{ start: [], isOver: false },
      pause: { kind: "no slot", indexes: [1] },
    });
    expect(nextMoves({ ...view([]), nodes, isCancelled: true }).isOver).toBe(true);
  });

  test("end after a failure when no node is left", () => {
    expect(nextMoves(view(["succeeded", "failed"]))).toEqual({ start: [], pause: null, isOver: true });
    expect(nextMoves(view(["failed", "running"]))).toEqual({ start: [], pause: null, isOver: false });
  });

  test("go on after an accepted failure, one node first until one is proven", () => {
    expect(nextMoves(view(["failed", "queued", "queued"], { accepted: [0] })).start).toEqual([1]);
    expect(nextMoves(view(["succeeded", "failed", "queued", "queued"], { accepted: [1] })).start).toEqual([2, 3]);
  });

  test("ask after the canary, and go on when a person has said so", () => {
    const asks = view(["succeeded", "queued"], { canary: true });
    expect(nextMoves(asks)).toMatchObject({ start: [], pause: { kind: "canary" } });
    expect(nextMoves({ ...asks, isConfirmed: true }).start).toEqual([1]);
  });

  test("begin nothing while paused, and begin nodes again that were put back", () => {
    const statuses: NodeStatus[] = ["succeeded", "cancelled", "queued"];
    expect(nextMoves(view(statuses, { isPaused: true }))).toEqual({ start: [], pause: null, isOver: false });
    expect(nextMoves(view(statuses)).start).toEqual([1, 2]);
  });

  test("end a cancelled rollout when nothing runs any more", () => {
    expect(nextMoves(view(["succeeded", "running", "queued"], { isCancelled: true })).isOver).toBe(false);
    expect(nextMoves(view(["succeeded", "cancelled", "queued"], { isCancelled: true, isPaused: true })).isOver).toBe(
      true,
    );
  });

  test("begin nothing once Slack has refused messages for ten minutes", () => {
    expect(nextMoves(view(["queued"], { slackAwayMs: SLACK_AWAY_MS - 1 })).start).toEqual([0]);
    expect(nextMoves(view(["queued"], { slackAwayMs: SLACK_AWAY_MS })).start).toEqual([]);
  });
});
