import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { PersonDecision } from "../../lambdas/records/records.ts";
import { nodeRecord, operationRecord } from "../messages/records.ts";
import { type TestSimulator, testSimulator } from "./test-simulator.ts";

let simulator: TestSimulator;
beforeAll(async () => {
  simulator = await testSimulator();
});
afterAll(() => simulator.close());

const keep: PersonDecision = { decision: "keep", userId: "U0OPERATOR", cause: "1.1" };
const terminate: PersonDecision = { decision: "terminate", userId: "U0APPROVER", cause: "2.2" };

/** A node whose execution waits for a decision. */
async function waiting(operation: string, callbacks: Record<string, string> = { decision: "callback-1" }) {
  const { ledger } = simulator.as("front-door");
  await ledger.recordNode(nodeRecord({ operation, index: 0, callbacks }));
  return ledger;
}

describe("A decision about a failed machine", () => {
  it("is written once and names the callback that waits for it", async () => {
    const ledger = await waiting("decide-1");
    expect(await ledger.decideNode("decide-1", 0, keep)).toEqual({ kind: "first", callback: "callback-1" });
    expect(await ledger.decisions("decide-1", "node 0")).toMatchObject([
      { ...keep, subject: "node 0", callback: "callback-1", at: expect.any(String) },
    ]);
  });

  it("is known again when the same request comes again, also when nobody waits any more", async () => {
    const ledger = await waiting("decide-2");
    await ledger.decideNode("decide-2", 0, keep);
    expect(await ledger.decideNode("decide-2", 0, keep)).toEqual({ kind: "again", callback: "callback-1" });
    await ledger.changeNode("decide-2", 0, { callbacks: {} });
    expect(await ledger.decideNode("decide-2", 0, keep)).toEqual({ kind: "again", callback: null });
  });

  it("stays when somebody else decides otherwise, who is told of the first", async () => {
    const ledger = await waiting("decide-3");
    await ledger.decideNode("decide-3", 0, keep);
    expect(await ledger.decideNode("decide-3", 0, terminate)).toMatchObject({
      kind: "late",
      earlier: { decided: keep, callback: "callback-1" },
    });
    expect(await ledger.decisions("decide-3", "node 0")).toMatchObject([keep]);
  });

  it("comes too late when nobody waits", async () => {
    const ledger = await waiting("decide-4", {});
    expect(await ledger.decideNode("decide-4", 0, keep)).toEqual({ kind: "late", earlier: null });
  });

  it("about a node that nobody knows is unknown, and makes none", async () => {
    const { ledger } = simulator.as("front-door");
    expect(await ledger.decideNode("decide-none", 0, keep)).toEqual({ kind: "unknown" });
    expect(await ledger.nodes("decide-none")).toEqual([]);
  });

  it("is one of two when two people press at the same moment", async () => {
    const ledger = await waiting("decide-5");
    const both = await Promise.all([keep, terminate].map((decided) => ledger.decideNode("decide-5", 0, decided)));
    expect(both.map(({ kind }) => kind).sort()).toEqual(["first", "late"]);
  });
});

describe("Several decisions on one subject", () => {
  it("are kept in their order when the question is asked again", async () => {
    const ledger = await waiting("decide-6");
    await ledger.decideNode("decide-6", 0, keep);
    await ledger.changeNode("decide-6", 0, { callbacks: { decision: "callback-9" }, decided: null });
    expect(await ledger.decideNode("decide-6", 0, terminate)).toEqual({ kind: "first", callback: "callback-9" });
    expect(await ledger.decisions("decide-6", "node 0")).toMatchObject([keep, terminate]);
    expect(await ledger.decideNode("decide-6", 0, keep)).toEqual({ kind: "again", callback: "callback-9" });
  });

  it("do not stand in each other's way on different nodes", async () => {
    const ledger = await waiting("decide-7");
    await ledger.recordNode(nodeRecord({ operation: "decide-7", index: 1, callbacks: { decision: "callback-2" } }));
    await ledger.decideNode("decide-7", 0, keep);
    expect(await ledger.decideNode("decide-7", 1, terminate)).toEqual({ kind: "first", callback: "callback-2" });
    expect(await ledger.nodes("decide-7")).toHaveLength(2);
  });

  it("the last release's decision in the record counts as the first", async () => {
    const ledger = await waiting("decide-8");
    await ledger.changeNode("decide-8", 0, { decided: keep });
    expect(await ledger.decideNode("decide-8", 0, terminate)).toEqual({
      kind: "late",
      earlier: { decided: keep, callback: "callback-1" },
    });
  });
});

describe("An answer in a dialog", () => {
  it("is written once, where the front door alone may write", async () => {
    const { ledger } = simulator.as("front-door");
    const requester = { userId: "U0OPERATOR", userName: "olivia", channel: "C0WINDOWS" };
    const request = { command: "remove", node: "win-1", dryRun: false } as const;
    await ledger.keepAccepted("remove-aaaaaaaa", { request, requester, requestedAt: "2026-11-21T08:00:00.000Z" });
    await ledger.requested(operationRecord({ id: "remove-aaaaaaaa", callbacks: { dialog: "callback-2" } }));
    const submitted = { decision: "submitted", userId: "U0OPERATOR", cause: "3.3" } as const;
    expect(await ledger.answerDialog("remove-aaaaaaaa", submitted)).toEqual({ kind: "first", callback: "callback-2" });
    const [written] = await ledger.decisions("remove-aaaaaaaa", "dialog");
    expect(written).toMatchObject({ ...submitted, pk: "door#remove-aaaaaaaa" });
  });
});

describe("An answer that is read from the ledger", () => {
  const MINUTE = 60_000;
  const closed = { decision: "closed", userId: "U0OPERATOR", cause: "closed remove-cccccccc" } as const;

  it("is the one to the question of today, written in time", async () => {
    const { ledger } = simulator.as("front-door");
    await ledger.requested(operationRecord({ id: "remove-cccccccc", callbacks: { dialog: "callback-3" } }));
    await ledger.answerDialog("remove-cccccccc", closed);
    const [written] = await ledger.decisions("remove-cccccccc", "dialog");
    const at = Date.parse(written?.at ?? "");
    const answer = (callback: string, until: number) => ledger.answerOf("remove-cccccccc", "dialog", callback, until);
    expect(await answer("callback-3", at + MINUTE)).toMatchObject(closed);
    expect(await answer("callback-3", at - MINUTE)).toBeNull();
    expect(await answer("callback-4", at + MINUTE)).toBeNull();
  });
});

describe("What the policy refused", () => {
  it("is kept, and not listed among the operations", async () => {
    const { ledger } = simulator.as("front-door");
    await ledger.requested(operationRecord({ id: "add-bbbbbbbb", status: "refused" }));
    expect(await ledger.operation("add-bbbbbbbb")).toMatchObject({ status: "refused" });
    expect((await simulator.as("look").ledger.operations(50)).map(({ id }) => id)).not.toContain("add-bbbbbbbb");
  });
});

describe("An approval", () => {
  it("is used by the execution that comes first, which may ask again, and by no other", async () => {
    const [one, other] = [simulator.as("drain-node").ledger, simulator.as("drain-node").ledger];
    const both = await Promise.all([
      one.consumeApproval("drain-1", 1, "arn:one"),
      other.consumeApproval("drain-1", 1, "arn:other"),
    ]);
    expect(both.toSorted()).toEqual([false, true]);
    const winner = both[0] ? "arn:one" : "arn:other";
    expect(await one.consumeApproval("drain-1", 1, winner)).toBe(true);
    expect(await one.consumeApproval("drain-1", 1, "arn:a-third")).toBe(false);
    expect(await one.consumeApproval("drain-1", 2, "arn:a-third")).toBe(true);
  });
});
