import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type TestSimulator, testSimulator } from "../test-simulator.ts";

let simulator: TestSimulator;
beforeAll(async () => {
  simulator = await testSimulator();
});
afterAll(() => simulator.close());

const of = (uid: string, operation = "remove-1") => ({
  node: `node-${uid}`,
  uid,
  instanceId: "i-0aaa",
  operation,
  index: 0,
  wasUnschedulable: false,
  adds: { taints: [], annotations: { "casement.dev/cordoned-by": operation }, labels: {} },
});
const remover = () => simulator.as("remove-node").cordons;
const sweeper = () => simulator.as("sweep").cordons;
const uids = async () => (await sweeper().open()).map(({ uid }) => uid);

describe("The record of a cordon", () => {
  it("is found by the Node's UID and listed until it is closed, and no operation is listed with it", async () => {
    const record = await remover().own(of("uid-1"));
    expect(await sweeper().find("uid-1")).toMatchObject(record);
    expect(await uids()).toContain("uid-1");
    expect(await simulator.as("sweep").ledger.unfinished()).toEqual([]);
    await remover().close("uid-1", "remove-1");
    expect(await sweeper().find("uid-1")).toBeUndefined();
    expect(await uids()).not.toContain("uid-1");
  });

  it("keeps the first outcome, and is changed by no operation that does not own it", async () => {
    const record = await remover().own(of("uid-2"));
    await sweeper().plan(record, "uncordoned");
    expect(await sweeper().settle(record, "uncordoned")).toMatchObject({
      planned: "uncordoned",
      outcome: "uncordoned",
    });
    expect(await sweeper().settle(record, "schedulable")).toMatchObject({ outcome: "uncordoned" });
    await remover().own(of("uid-2", "remove-2"));
    expect(await sweeper().plan(record, "uncordoned")).toBeUndefined();
    expect(await sweeper().settle(record, "uncordoned")).toBeUndefined();
    await sweeper().close("uid-2", "remove-1");
    expect(await sweeper().find("uid-2")).toMatchObject({ operation: "remove-2" });
    expect((await sweeper().find("uid-2"))?.outcome).toBeUndefined();
  });
});

describe("A cordon that is kept because a reboot was not proven", () => {
  const before = { bootId: "b1", bootedAt: "2026-11-21T03:00:00.000Z", askedAt: "2026-11-21T03:00:00.000Z" };

  it("counts one failed proof, although the step that keeps it is repeated, and is quarantined by the second reboot", async () => {
    await remover().own(of("uid-3", "reboot-1"));
    for (const _try of [1, 2]) await remover().keep("uid-3", "reboot-1", { before });
    const kept = await sweeper().find("uid-3");
    expect([kept?.failedAt?.length, kept?.unproven?.isQuarantined]).toEqual([1, false]);
    await remover().own(of("uid-3", "reboot-2"));
    await remover().keep("uid-3", "reboot-2", { before });
    const again = await sweeper().find("uid-3");
    expect([again?.failedAt?.length, again?.unproven?.isQuarantined]).toEqual([2, true]);
  });

  it("keeps the boot that must be over when a later restart fails, which is no failed proof", async () => {
    await remover().own(of("uid-4", "reboot-1"));
    await remover().keep("uid-4", "reboot-1", { before });
    await remover().own(of("uid-4", "restart-1"));
    await remover().keep("uid-4", "restart-1", { before: null });
    const kept = await sweeper().find("uid-4");
    expect(kept).toMatchObject({ operation: "restart-1", unproven: { before, isQuarantined: false } });
    expect(kept?.failedAt).toHaveLength(1);
  });

  it("lies above the cordon that a drain left to a person, which applies again once the node is proven", async () => {
    const labels = { "casement.dev/label": "true" };
    const drained = of("uid-5", "drain-1");
    await remover().own({ ...drained, adds: { ...drained.adds, labels } });
    await remover().keep("uid-5", "drain-1");
    await remover().own({ ...of("uid-5", "reboot-1"), wasUnschedulable: true });
    await remover().keep("uid-5", "reboot-1", { before });
    expect((await sweeper().find("uid-5"))?.adds.labels).toEqual({});
    await remover().close("uid-5", "reboot-1");
    expect(await sweeper().find("uid-5")).toMatchObject({ operation: "drain-1", adds: { labels } });
    expect((await sweeper().find("uid-5"))?.unproven).toBeUndefined();
  });

  it("passes to a later restart that is not proven either, with the marks that the first reboot set", async () => {
    const first = of("uid-6", "reboot-1");
    await remover().own(first);
    await remover().keep("uid-6", "reboot-1", { before });
    const labels = { "casement.dev/label": "true" };
    const second = { ...of("uid-6", "restart-1"), index: 2, wasUnschedulable: true };
    await remover().own({ ...second, adds: { taints: [], annotations: {}, labels } });
    await remover().keep("uid-6", "restart-1", { before: null });
    const kept = await sweeper().find("uid-6");
    expect(kept).toMatchObject({ operation: "restart-1", index: 2, wasUnschedulable: false });
    expect(kept).toMatchObject({ adds: { annotations: first.adds.annotations, labels }, unproven: { before } });
    expect(kept?.kept).toBeUndefined();
  });

  it("is a later reboot's own where someone had uncordoned the node in between", async () => {
    await remover().own(of("uid-7", "reboot-1"));
    await remover().keep("uid-7", "reboot-1", { before });
    await remover().own(of("uid-7", "reboot-2"));
    await remover().keep("uid-7", "reboot-2", { before: null });
    const { annotations } = of("uid-7", "reboot-2").adds;
    expect(await sweeper().find("uid-7")).toMatchObject({ operation: "reboot-2", adds: { annotations } });
  });

  it("hands its labels to a drain that leaves the node to a person", async () => {
    const labels = { "casement.dev/label": "true" };
    const rebooted = of("uid-8", "reboot-1");
    await remover().own({ ...rebooted, adds: { ...rebooted.adds, labels } });
    await remover().keep("uid-8", "reboot-1", { before });
    await remover().own({ ...of("uid-8", "drain-1"), wasUnschedulable: true });
    await remover().keep("uid-8", "drain-1");
    expect(await sweeper().find("uid-8")).toMatchObject({ operation: "drain-1", adds: { labels } });
  });
});

describe("The sweep's turn", () => {
  it("goes from one that has ended to one of two who ask", async () => {
    const { turns } = simulator.as("sweep");
    expect(await turns.last("sweep")).toBeUndefined();
    expect(await turns.take("sweep", "arn:1", undefined)).toBe(true);
    expect(await turns.last("sweep")).toBe("arn:1");
    expect(await turns.take("sweep", "arn:2", "arn:1")).toBe(true);
    expect(await turns.take("sweep", "arn:3", "arn:1")).toBe(false);
    expect(await turns.take("sweep", "arn:2", "arn:2")).toBe(true);
  });
});
