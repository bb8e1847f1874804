import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Decided } from "../../lambdas/records.ts";
import { nodeRecord, operationRecord } from "../messages/records.ts";
import { type TestSimulator, testSimulator } from "./test-simulator.ts";

let simulator: TestSimulator;
beforeAll(async () => {
  simulator = await testSimulator();
});
afterAll(() => simulator.close());

const keep: Decided = { decision: "keep", userId: "U0OPERATOR", cause: "1.1" };
const terminate: Decided = { decision: "terminate", userId: "U0APPROVER", cause: "2.2" };

/** A node whose execution waits for a decision. */
async function waiting(operation: string, callbacks: Record<string, string> = { decision: "callback-1" }) {
  const { ledger } = simulator.as("front-door");
  await ledger.beginNode(nodeRecord({ operation, index: 0, callbacks }));
  return ledger;
}

describe("A decision about a failed machine", () => {
  it("is written once and names the callback that waits for it", async () => {
    const ledger = await waiting("decide-1");
    expect(await ledger.decideNode("decide-1", 0, keep)).toEqual({ kind: "first", callback: "callback-1" });
    expect((await ledger.nodes("decide-1"))[0]?.decided).toEqual(keep);
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
    expect(await ledger.decideNode("decide-3", 0, terminate)).toEqual({
      kind: "late",
      earlier: { decided: keep, callback: "callback-1" },
    });
    expect((await ledger.nodes("decide-3"))[0]?.decided).toEqual(keep);
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

describe("An answer in a dialog", () => {
  it("is written to the operation, once", async () => {
    const { ledger } = simulator.as("front-door");
    await ledger.requested(operationRecord({ id: "remove-aaaaaaaa", callbacks: { dialog: "callback-2" } }));
    const submitted = { decision: "submitted", userId: "U0OPERATOR", cause: "3.3" } as const;
    expect(await ledger.answerDialog("remove-aaaaaaaa", submitted)).toEqual({ kind: "first", callback: "callback-2" });
    expect((await ledger.operation("remove-aaaaaaaa"))?.decided).toEqual(submitted);
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
