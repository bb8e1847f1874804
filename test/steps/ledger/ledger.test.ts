import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { clients } from "../../../lambdas/clients/clients.ts";
import { EXPIRES } from "../../../lambdas/records/ledger-table.ts";
import { type NodeRecord, newNodeRecord, type OperationRecord } from "../../../lambdas/records/records.ts";
import { operationRecord } from "../../messages/records.ts";
import { START, type TestSimulator, testSimulator } from "../test-simulator.ts";

let simulator: TestSimulator;
beforeAll(async () => {
  simulator = await testSimulator();
});
afterAll(() => simulator.close());

const operation = (id: string, requestedAt = "2026-11-21T08:00:00.000Z"): OperationRecord =>
  operationRecord({ id, status: "requested", requestedAt });

const node = (id: string, index: number, changes: Partial<NodeRecord> = {}): NodeRecord => ({
  ...newNodeRecord("provision", id, index, "2026-11-21T08:00:00.000Z"),
  ...changes,
});

describe("The record of an operation", () => {
  it("is written by the first delivery, and found untouched by the second", async () => {
    const { ledger } = simulator.as("front-door");
    expect(await ledger.requested(operation("add-1"))).toBe("first");
    await ledger.changeOperation("add-1", { status: "running", summary: "on its way" });
    expect(await ledger.requested(operation("add-1"))).toBe("again");
    expect(await ledger.operation("add-1")).toMatchObject({ status: "running", summary: "on its way" });
  });

  it("is written once however many deliveries race", async () => {
    const { ledger } = simulator.as("front-door");
    const answers = await Promise.all(Array.from({ length: 4 }, () => ledger.requested(operation("add-race"))));
    expect(answers.filter((answer) => answer === "first")).toHaveLength(1);
  });

  it("changes only in the fields that are named", async () => {
    const { ledger } = simulator.as("front-door");
    await ledger.requested(operation("add-2"));
    await ledger.changeOperation("add-2", { messageTs: "1.2", summary: undefined });
    await ledger.changeOperation("add-2", {});
    expect(await ledger.operation("add-2")).toMatchObject({ ...operation("add-2"), messageTs: "1.2" });
  });

  it("cannot be changed before it was written", async () => {
    const { ledger } = simulator.as("front-door");
    await expect(ledger.changeOperation("add-none", { status: "failed" })).rejects.toThrow(/add-none/);
    expect(await ledger.operation("add-none")).toBeUndefined();
  });

  it("is listed among the newest, newest first, without the nodes", async () => {
    const { ledger } = simulator.as("look");
    const writer = simulator.as("front-door").ledger;
    for (const day of [3, 1, 2]) await writer.requested(operation(`list-${day}`, `2027-01-0${day}T00:00:00.000Z`));
    await writer.recordNode(node("list-3", 0));
    expect((await ledger.operations(2)).map(({ id }) => id)).toEqual(["list-3", "list-2"]);
  });
});

describe("Operations that have not ended", () => {
  it("are found however many looks were asked for since, and gone when they end", async () => {
    const { ledger } = simulator.as("front-door");
    const { ledger: sweeper } = simulator.as("sweep");
    await ledger.requested(operation("add-lost", "2026-01-01T00:00:00.000Z"));
    const summary = "x".repeat(300_000);
    for (const at of [0, 1, 2, 3])
      await ledger.requested({ ...operation(`add-new-${at}`, `2027-02-01T00:00:0${at}.000Z`), summary });
    const open = (await sweeper.unfinished()).map(({ id }) => id);
    expect(open[0]).toBe("add-lost");
    expect(open).toContain("add-new-3");
    await sweeper.changeOperation("add-lost", { status: "failed", endedAt: "2027-02-02T00:00:00.000Z" });
    expect((await sweeper.unfinished()).map(({ id }) => id)).not.toContain("add-lost");
  });

  it("are not those that were refused before they began", async () => {
    const { ledger } = simulator.as("front-door");
    const endedAt = "2027-03-01T00:00:00.000Z";
    await ledger.requested({ ...operation("add-refused", endedAt), status: "refused", endedAt });
    expect((await simulator.as("sweep").ledger.unfinished()).map(({ id }) => id)).not.toContain("add-refused");
  });

  it("are listed by time across pages of a megabyte", async () => {
    const { ledger } = simulator.as("look");
    const newest = (await ledger.operations(4)).map(({ id }) => id);
    expect(newest).toEqual([3, 2, 1, 0].map((at) => `add-new-${at}`));
  });
});

describe("What nobody asks for any more", () => {
  /** Seconds since the epoch at which DynamoDB may let an item go; undefined keeps it. */
  const expiryOf = async (pk: string, sk: string): Promise<number | undefined> => {
    const settings = simulator.settings("front-door");
    const { dynamodb } = clients(settings, simulator.transport);
    const { Item } = await dynamodb("GetItem", { TableName: settings.ledgerTable, Key: { pk, sk } });
    return Item?.[EXPIRES] as number | undefined;
  };
  const DAY = 24 * 60 * 60;

  it("expires: a look after a month, a command's callback after a day; a change stays", async () => {
    const { ledger } = simulator.as("front-door");
    const asked = "2027-04-01T00:00:00.000Z";
    await ledger.requested({ ...operation("nodes-1", asked), request: { command: "nodes", pool: null } });
    await ledger.requested(operation("add-kept", asked));
    await simulator.as("provision-node").ledger.awaitCommand("command-9", "i-0cc", "callback-9");
    expect(await expiryOf("operation#nodes-1", "operation")).toBe(Date.parse(asked) / 1000 + 30 * DAY);
    expect(await expiryOf("operation#add-kept", "operation")).toBeUndefined();
    expect(await expiryOf("command#command-9", "callback")).toBe(START / 1000 + DAY);
  });
});

describe("A cancellation", () => {
  it("counts for the first who asked, and tells what is there now", async () => {
    const { ledger } = simulator.as("front-door");
    await ledger.requested(operation("cancel-1"));
    expect(await ledger.requestCancel("cancel-1", "U0OPERATOR", "1.1")).toMatchObject({ cancelCause: "1.1" });
    expect(await ledger.requestCancel("cancel-1", "U0APPROVER", "2.2")).toMatchObject({
      cancelledBy: "U0OPERATOR",
      cancelCause: "1.1",
    });
    expect(await ledger.operation("cancel-1")).toMatchObject({ cancelledBy: "U0OPERATOR" });
  });

  it("is one person's when several press at the same moment", async () => {
    const { ledger } = simulator.as("front-door");
    await ledger.requested(operation("cancel-2"));
    const seen = await Promise.all(["U0A", "U0B", "U0C", "U0D"].map((by) => ledger.requestCancel("cancel-2", by, by)));
    expect(new Set(seen.map((one) => one?.cancelledBy)).size).toBe(1);
  });

  it("of the next person takes the place of one that is withdrawn, unless a workflow has accepted that one", async () => {
    const { ledger } = simulator.as("front-door");
    const workflow = simulator.as("sweep").ledger;
    for (const id of ["cancel-4", "cancel-5"]) {
      await ledger.requested(operation(id));
      await ledger.requestCancel(id, "U0FIRST", "1.1");
    }
    await ledger.requestCancel("cancel-4", "U0SECOND", "2.2");
    expect(await workflow.withdrawCancel("cancel-4", "1.1")).toBe(true);
    expect(await workflow.withdrawCancel("cancel-4", "1.1")).toBe(false);
    expect(await ledger.operation("cancel-4")).toMatchObject({ cancelledBy: "U0SECOND", cancelCause: "2.2" });
    expect(await workflow.withdrawCancel("cancel-4", "2.2")).toBe(false);
    expect(await ledger.operation("cancel-4")).toMatchObject({ cancelledBy: null });
    await workflow.changeOperation("cancel-5", { cancelAllowed: "1.1" });
    await ledger.requestCancel("cancel-5", "U0SECOND", "2.2");
    expect((await ledger.operation("cancel-5"))?.cancelNextBy).toBeUndefined();
  });

  it("that was repeated by the same person is withdrawn for good", async () => {
    const { ledger } = simulator.as("front-door");
    await ledger.requested(operation("cancel-6"));
    await ledger.requestCancel("cancel-6", "U0FIRST", "1.1");
    await ledger.requestCancel("cancel-6", "U0FIRST", "1.2");
    expect(await simulator.as("sweep").ledger.withdrawCancel("cancel-6", "1.1")).toBe(false);
    expect(await ledger.operation("cancel-6")).toMatchObject({ cancelledBy: null });
  });

  it("does not reach an operation that has ended", async () => {
    const { ledger } = simulator.as("front-door");
    await ledger.requested(operation("cancel-3"));
    await ledger.changeOperation("cancel-3", { status: "succeeded", endedAt: "2026-11-21T09:00:00.000Z" });
    await ledger.requestCancel("cancel-3", "U0OPERATOR", "1.1");
    expect(await ledger.operation("cancel-3")).toMatchObject({ cancelledBy: null });
  });

  it("of an unknown operation changes nothing", async () => {
    const { ledger } = simulator.as("front-door");
    expect(await ledger.requestCancel("cancel-none", "U0OPERATOR", "1.1")).toBeUndefined();
    expect(await ledger.operation("cancel-none")).toBeUndefined();
  });
});

describe("The records of an operation's nodes", () => {
  it("keep their progress when the step that began them runs again", async () => {
    const { ledger } = simulator.as("provision-node");
    expect(await ledger.recordNode(node("add-3", 0))).toBe("first");
    await ledger.changeNode("add-3", 0, { status: "running", stage: "launch" });
    expect(await ledger.recordNode(node("add-3", 0))).toBe("again");
    expect(await ledger.nodes("add-3")).toMatchObject([{ status: "running", stage: "launch" }]);
  });

  it("come in the order of their numbers, and only the operation's own", async () => {
    const { ledger } = simulator.as("add-nodes");
    for (const index of [10, 2, 0, 1]) await ledger.recordNode(node("add-4", index));
    await ledger.recordNode(node("add-40", 0));
    expect((await ledger.nodes("add-4")).map(({ index }) => index)).toEqual([0, 1, 2, 10]);
  });

  it("come all when they do not fit one page of a megabyte", async () => {
    const { ledger } = simulator.as("add-nodes");
    const notes = ["x".repeat(300_000)];
    for (const index of [0, 1, 2, 3]) await ledger.recordNode(node("add-5", index, { notes }));
    expect((await ledger.nodes("add-5")).map(({ index }) => index)).toEqual([0, 1, 2, 3]);
  });
});

describe("The callback that waits for a command", () => {
  it("is found by the command's id, the newest counts, and others are unknown", async () => {
    const { ledger } = simulator.as("provision-node");
    await ledger.awaitCommand("command-1", "i-0aa", "callback-1");
    await ledger.awaitCommand("command-1", "i-0aa", "callback-2");
    expect(await simulator.as("cloud-events").ledger.commandCallback("command-1")).toBe("callback-2");
    expect(await ledger.commandCallback("command-2")).toBeUndefined();
    expect(await simulator.as("cloud-events").ledger.machineCallback("i-0aa")).toBe("callback-2");
    expect(await ledger.machineCallback("i-0bb")).toBeUndefined();
  });
});
