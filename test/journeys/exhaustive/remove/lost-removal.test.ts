import { afterEach, describe, expect, test } from "vitest";
import { CORDONED_BY } from "../../../../lambdas/cluster/node-keys.ts";
import { lambdaName } from "../../../../lib/sandbox/simulator.ts";
import { eventsOn, heldBack, ledgerItems, newest } from "../../evidence.ts";
import type { Journey } from "../../journey.ts";
import { isCordoned, ownerShown, SHORT } from "../../on-web.ts";
import { cordonByHand, edge, guardedPod, kubectl, otherWeb, stateOf, web } from "../../others.ts";
import { openly } from "../../reading.ts";
import { confirmRemoval, withSeedNodes } from "../../removal.ts";
import { stopAll } from "../../stopping.ts";

let here: Journey;
afterEach(() => here.close());

/** The sweep comes every 15 minutes, and leaves what was asked for less than 20 minutes ago. */
const SWEPT = 40;

const stage = async () => (await newest(here)).nodes[0]?.stage;
const outcome = async () => (await newest(here)).nodes[0]?.outcome;
const fault = (kind: string, match: Readonly<Record<string, string>>) =>
  here.simulator.simulation.faults.inject(kind, match)?.id ?? "";

/** Cordons that the sweep still has to give back. */
const openCordons = async (): Promise<string[]> =>
  (await ledgerItems(here)).flatMap(({ pk, closedAt }) =>
    String(pk?.S).startsWith("cordon#") && !closedAt ? [String(pk?.S)] : [],
  );

/** Messages of the sweep, in the channel and in threads. */
const told = (): string[] => here.said().filter((text) => /stalled and needs attention|of \*Remove/.test(text));

/** The node is in service as it was, and nothing is held back. */
async function expectAsBefore(unschedulable = false): Promise<void> {
  expect((await newest(here)).operation).toMatchObject({ status: "failed", callbacks: {} });
  expect(stateOf(here, web)).toBe("running");
  expect(isCordoned(here)).toBe(unschedulable);
  expect(ownerShown(here)).toBeUndefined();
  expect(await heldBack(here)).toEqual([]);
  expect(await openCordons()).toEqual([]);
  expect(told()).toHaveLength(1);
  const shown = openly(here).filter((text) => text.includes("Remove"));
  expect(shown).toHaveLength(1);
  expect(shown[0]).not.toContain("[Cancel");
}

/** A removal that hangs in its eviction, and then dies. */
async function dieInEviction(): Promise<void> {
  await guardedPod(here, web);
  await confirmRemoval(here, SHORT);
  await here.until(async () => (await stage()) === "evict", 10);
  await here.pass(1);
  await stopAll(here);
}

describe("A removal whose execution is stopped", () => {
  test("shows who cordoned the node, as long as it runs", async () => {
    here = await withSeedNodes({ configuration: { deadlines: { evict: 60 } } });
    await guardedPod(here, web);
    await confirmRemoval(here, SHORT);
    await here.until(() => isCordoned(here), 5);
    const { operation } = await newest(here);
    expect(ownerShown(here)).toBe(operation.id);
    await here.pass(1);
    expect(eventsOn(here, web.name)).toContain(`CasementCordoned cordoned by ${operation.id}`);
    await here.pass(45);
    expect(isCordoned(here)).toBe(true);
  });

  test("before its cordon leaves the node as it is", async () => {
    here = await withSeedNodes();
    fault("kubernetes-5xx", { principal: "system:serviceaccount:casement:act", verb: "patch" });
    await confirmRemoval(here, SHORT);
    await here.until(async () => (await stage()) === "cordon", 5);
    await stopAll(here);
    for (const { id } of here.simulator.simulation.faults.inForce()) here.simulator.simulation.faults.end(id);
    await here.pass(SWEPT);
    await expectAsBefore();
  });

  test("while it waits for a slot leaves the node as it is, and says so", async () => {
    here = await withSeedNodes();
    const labels = { "node.kubernetes.io/windows-build": "10.0.20348" };
    await kubectl(here, "PATCH", `/api/v1/nodes/${edge.name}`, { metadata: { labels } });
    await cordonByHand(here, otherWeb);
    await confirmRemoval(here, SHORT);
    await here.until(async () => (await stage()) === "slot", 5);
    await stopAll(here);
    await here.pass(SWEPT);
    await expectAsBefore();
    expect(await outcome()).toBe(`instance ${web.instanceId} was left as is`);
    expect(told()[0]).toContain(`Released: the lease on \`${web.instanceId}\``);
  });

  test("right after its cordon is followed by the sweep, which makes the node schedulable", async () => {
    here = await withSeedNodes();
    await guardedPod(here, web);
    await confirmRemoval(here, SHORT);
    await here.until(() => isCordoned(here), 5);
    await stopAll(here);
    await here.pass(SWEPT);
    await expectAsBefore();
    expect(told()[0]).toContain("the node is schedulable again");
  });

  test("during its eviction is followed by the sweep, which says what it gave back", async () => {
    here = await withSeedNodes();
    await dieInEviction();
    expect(isCordoned(here)).toBe(true);
    await here.pass(SWEPT);
    await expectAsBefore();
    const { operation } = await newest(here);
    expect(await outcome()).toContain("the node is schedulable again; evicted pods stay where they are now");
    expect(told()[0]).toContain(`Released: the lease on \`${web.instanceId}\``);
    const event = `CasementUncordoned ${operation.id} has ended: the node is schedulable again`;
    expect(eventsOn(here, web.name).filter((one) => one.startsWith(event))).toHaveLength(1);
  });

  test("before EC2 was told to terminate the instance is followed by the sweep, which makes the node schedulable", async () => {
    here = await withSeedNodes();
    fault("aws-throttle", { service: "ec2", action: "TerminateInstances" });
    await confirmRemoval(here, SHORT);
    await here.until(async () => (await stage()) === "terminate", 10);
    await here.pass(1);
    await stopAll(here);
    await here.pass(SWEPT);
    await expectAsBefore();
  });

  test("after its end, which Slack could not be told, holds no lease", async () => {
    here = await withSeedNodes({ configuration: { deadlines: { remove: { evict: 2, continue: 4 } } } });
    await guardedPod(here, web);
    await confirmRemoval(here, SHORT);
    await here.until(async () => (await stage()) === "evict", 10);
    fault("slack-down", {});
    await here.until(async () => (await newest(here)).operation.endedAt !== null, 15);
    await stopAll(here);
    await here.pass(SWEPT);
    expect(isCordoned(here)).toBe(false);
    expect(await heldBack(here)).toEqual([]);
  });

  test("after EC2 was told to terminate the instance says what is left, and leaves the Node to the cluster", async () => {
    here = await withSeedNodes();
    await confirmRemoval(here, SHORT);
    await here.until(() => stateOf(here, web) === "shutting-down", 10);
    await stopAll(here);
    await here.pass(SWEPT);
    expect(stateOf(here, web)).toBe("terminated");
    expect(await outcome()).toContain(`instance ${web.instanceId} is terminated`);
    expect(told()).toHaveLength(1);
    expect(await heldBack(here)).toEqual([]);
    expect(await openCordons()).toEqual([]);
  });

  test("while it deletes the Node says that the instance is gone", async () => {
    here = await withSeedNodes();
    await confirmRemoval(here, SHORT);
    await here.until(() => stateOf(here, web) === "shutting-down", 10);
    fault("kubernetes-5xx", { principal: "system:serviceaccount:casement:act" });
    await here.until(async () => (await stage()) === "delete", 15);
    await stopAll(here);
    for (const { id } of here.simulator.simulation.faults.inForce()) here.simulator.simulation.faults.end(id);
    await here.pass(SWEPT);
    expect(await outcome()).toContain(`instance ${web.instanceId} is terminated`);
    expect(await openCordons()).toEqual([]);
    expect(await heldBack(here)).toEqual([]);
  });
});

describe("The sweep leaves a node as others made it", () => {
  test("that was cordoned before the removal", async () => {
    here = await withSeedNodes();
    await cordonByHand(here, web);
    await dieInEviction();
    expect(ownerShown(here)).toBeUndefined();
    await here.pass(SWEPT);
    await expectAsBefore(true);
    expect(await outcome()).toContain("the node is cordoned, as it was before");
  });

  test("that somebody made schedulable after the removal died", async () => {
    here = await withSeedNodes();
    await dieInEviction();
    await cordonByHand(here, web, false);
    await here.pass(SWEPT);
    await expectAsBefore();
    expect(await outcome()).toContain("someone else uncordoned it");
  });

  test("that somebody made schedulable and cordoned again", async () => {
    here = await withSeedNodes();
    await dieInEviction();
    await here.pass(2);
    await cordonByHand(here, web, false);
    await here.pass(1);
    await cordonByHand(here, web);
    await here.pass(SWEPT);
    await expectAsBefore(true);
    expect(await outcome()).toContain(`kubectl uncordon ${web.name}`);
  });

  test("whose annotation somebody took off", async () => {
    here = await withSeedNodes();
    await dieInEviction();
    await kubectl(here, "PATCH", `/api/v1/nodes/${web.name}`, { metadata: { annotations: { [CORDONED_BY]: null } } });
    await here.pass(SWEPT);
    await expectAsBefore(true);
    expect(await outcome()).toContain("someone else has cordoned it since");
  });

  test("whose annotation names another owner", async () => {
    here = await withSeedNodes();
    await dieInEviction();
    const annotations = { [CORDONED_BY]: "maintenance-42" };
    await kubectl(here, "PATCH", `/api/v1/nodes/${web.name}`, { metadata: { annotations } });
    await here.pass(SWEPT);
    expect(isCordoned(here)).toBe(true);
    expect(ownerShown(here)).toBe("maintenance-42");
    expect(await outcome()).toContain("names another owner");
    expect(await openCordons()).toEqual([]);
  });

  test("that was replaced by another of the same name", async () => {
    here = await withSeedNodes();
    await dieInEviction();
    await kubectl(here, "DELETE", `/api/v1/nodes/${web.name}`);
    const labels = { "kubernetes.io/os": "windows" };
    const spec = { unschedulable: true, providerID: `aws:///us-west-2a/${web.instanceId}` };
    await kubectl(here, "POST", "/api/v1/nodes", {
      apiVersion: "v1",
      kind: "Node",
      metadata: { name: web.name, labels },
      spec,
    });
    await here.pass(SWEPT);
    expect(isCordoned(here)).toBe(true);
    expect(await outcome()).toContain("has taken its place and was not changed");
    expect(await openCordons()).toEqual([]);
  });

  test("that was deleted", async () => {
    here = await withSeedNodes();
    await dieInEviction();
    here.simulator.simulation.faults.inject("agent-silent", { instanceId: web.instanceId });
    await kubectl(here, "DELETE", `/api/v1/nodes/${web.name}`);
    await here.pass(SWEPT);
    expect(await outcome()).toMatch(/no longer exists|has taken its place/);
    expect(await openCordons()).toEqual([]);
    expect(await heldBack(here)).toEqual([]);
  });
});

test("While the API server is away the sweep says nothing and keeps the lease; it gives back and tells once it is there", async () => {
  here = await withSeedNodes();
  await dieInEviction();
  const away = fault("kubernetes-5xx", { principal: "system:serviceaccount:casement:act" });
  await here.pass(SWEPT);
  expect(told()).toEqual([]);
  expect(await heldBack(here)).toEqual([`lease#${web.instanceId}`]);
  here.simulator.simulation.faults.end(away);
  await here.pass(16);
  await expectAsBefore();
  await here.pass(20);
  expect(told()).toHaveLength(1);
});

test("A removal that could not make its node schedulable is followed by the sweep, which does and says so", async () => {
  here = await withSeedNodes();
  await guardedPod(here, web);
  await confirmRemoval(here, SHORT);
  await here.until(async () => (await stage()) === "evict", 10);
  const { operation } = await newest(here);
  await here.type("operator", `/win cancel ${operation.id}`);
  const away = fault("kubernetes-5xx", { principal: "system:serviceaccount:casement:act" });
  await here.until(async () => (await newest(here)).operation.endedAt !== null, 20);
  expect(isCordoned(here)).toBe(true);
  here.simulator.simulation.faults.end(away);
  await here.pass(SWEPT);
  expect(isCordoned(here)).toBe(false);
  expect(ownerShown(here)).toBeUndefined();
  expect(await openCordons()).toEqual([]);
  expect(told().filter((text) => text.includes("the node is schedulable again"))).toHaveLength(1);
});

test("Two sweeps at once give back once and tell once", async () => {
  here = await withSeedNodes();
  await dieInEviction();
  await here.pass(24);
  for (const tick of ["first", "second"]) here.simulator.lambda.send(lambdaName("sweep"), { tick });
  await here.pass(SWEPT);
  await expectAsBefore();
  expect(eventsOn(here, web.name).filter((one) => one.startsWith("CasementUncordoned"))).toHaveLength(1);
});

test("A removal that crashes at one operation again and again until its execution ends is given back too", async () => {
  here = await withSeedNodes();
  await guardedPod(here, web);
  const operation = "the node is cordoned";
  fault("handler-crash", { function: lambdaName("remove-node"), operation, when: "before" });
  await confirmRemoval(here, SHORT);
  await here.until(() => isCordoned(here), 5);
  await here.until(async () => (await newest(here)).operation.endedAt !== null, 9 * 60, "the end of the removal");
  await expectAsBefore();
});
