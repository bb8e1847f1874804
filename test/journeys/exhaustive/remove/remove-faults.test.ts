import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { CANCEL_OPERATION } from "../../../../lambdas/messages/slack/buttons.ts";
import { lambdaName } from "../../../../lib/sandbox/simulator.ts";
import { calls, newest, nodeNamed, settled } from "../../evidence.ts";
import type { Journey } from "../../journey.ts";
import { cordonByHand, guardedPod, kubectl, stateOf, web } from "../../others.ts";
import { terminateFromOutside } from "../../outside.ts";
import { inThreads, openly } from "../../reading.ts";
import { ask, confirmRemoval, expectGone, expectKept, withSeedNodes } from "../../removal.ts";

let here: Journey;
afterEach(() => here.close());

/** The durable SDK logs each checkpoint that a dying process could not write. */
const hushed = () => vi.spyOn(process.stderr, "write").mockReturnValue(true);

/** Every durable operation of a removal, in order, as its history names them. */
const OPERATIONS = [
  "begin",
  "judge",
  "how long to wait",
  "time left: the dialog's answer 1",
  "the dialog's answer 1",
  "ask: the dialog's answer 1",
  "take the lease",
  "enter cordon",
  "the node is cordoned",
  "enter evict",
  "the pods have left",
  "the pods have left for good",
  "enter terminate",
  "terminate the instance",
  "the instance is terminated",
  "enter delete",
  "the Node is deleted",
  "end",
  "publish until",
  "publish the end",
  "release the lease",
] as const;

/** Those that are no steps: callbacks and conditions. */
const WAITS: ReadonlySet<string> = new Set(["the dialog's answer 1"]);

/** Expects, after any crash: one message, every stage told, one eviction of each pod, nothing left over. */
async function expectOnce(): Promise<void> {
  await expectGone(here, web);
  expect(openly(here)).toHaveLength(1);
  expect(openly(here)[0]).toContain("was removed and its instance terminated");
  const told = inThreads(here).map((line) => line.replace(/.*: /, "").replace(/ (\(|after ).*/, ""));
  expect([...new Set(told)]).toEqual([
    "waiting for a slot",
    "cordoning the node",
    "evicting pods",
    "terminating the instance",
    "deleting the Node object",
    "removed",
    `<@U0OPERATOR> ${web.name} was removed and its instance terminated.`,
  ]);
}

describe("a handler that dies", () => {
  beforeEach(hushed);
  afterEach(() => vi.restoreAllMocks());

  const crashes = [
    ["before its outcomes are stored", "handler-crash", "before"],
    ["after its outcomes are stored", "handler-crash", "after"],
    ["before its steps begin", "handler-crash-at-start", "before"],
    ["after its steps have begun", "handler-crash-at-start", "after"],
  ] as const;

  test.each(crashes)("at every step, %s, finishes the removal once", async (_when, kind, when) => {
    here = await withSeedNodes();
    const { faults } = here.simulator.simulation;
    for (const operation of OPERATIONS)
      faults.inject(kind, { function: lambdaName("remove-node"), operation, when }, 1);
    await confirmRemoval(here, "ip-10-0-3-7");
    await expectOnce();
    const left = faults.inForce().map(({ match }) => match.operation ?? "");
    expect(left.filter((operation) => kind === "handler-crash" || !WAITS.has(operation))).toEqual([]);
  });
});

describe("Cancel", () => {
  const operationOf = async () => (await newest(here)).operation.id;
  const stage = async () => (await here.nodes(await operationOf()))[0]?.stage;

  test("pressed right after the yes changes nothing", async () => {
    here = await withSeedNodes();
    await ask(here, "ip-10-0-3-7");
    const id = await operationOf();
    const { ui } = here.simulator.slack;
    const dialog = ui.viewsOf("U0OPERATOR").at(-1)?.id ?? "";
    await here.drive(ui.submit("U0OPERATOR", dialog));
    await here.type("operator", `/win cancel ${id}`);
    await settled(here);
    const { operation } = await newest(here);
    expect(["cancelled", "succeeded"]).toContain(operation.status);
    if (operation.status === "cancelled") await expectKept(here, web);
    else await expectGone(here, web);
  });

  test("during the eviction puts the node back", async () => {
    here = await withSeedNodes();
    await guardedPod(here, web);
    await confirmRemoval(here, "ip-10-0-3-7");
    await here.until(async () => (await stage()) === "evict", 2);
    await here.press("operator", CANCEL_OPERATION);
    await expectKept(here, web);
    expect((await newest(here)).operation.status).toBe("cancelled");
  });

  test("after terminate was called is told that it is too late, and the removal is finished", async () => {
    here = await withSeedNodes();
    await confirmRemoval(here, "ip-10-0-3-7");
    await here.until(() => stateOf(here, web) === "shutting-down", 3);
    const shown = await here.type("operator", `/win cancel ${await operationOf()}`);
    expect(shown.messages[0]?.text).toContain("past the point of no return");
    await expectGone(here, web);
  });
});

test("Slack being away during the removal changes nothing about it; the message is made right afterwards", async () => {
  here = await withSeedNodes();
  await ask(here, "ip-10-0-3-7");
  await here.submit("operator");
  await here.until(() => openly(here).length > 0, 1, "the message");
  const away = ["chat.update", "chat.postMessage"].map((method) =>
    here.simulator.simulation.faults.inject("slack-5xx", { method }),
  );
  expect(away.every((fault) => fault !== undefined)).toBe(true);
  await here.until(() => stateOf(here, web) === "terminated", 10);
  await here.pass(4);
  for (const fault of away) here.simulator.simulation.faults.end(fault?.id ?? "");
  await expectGone(here, web);
  expect(openly(here)[0]).toContain("✅ Remove ip-10-0-3-7");
});

test("an API server that is away for a while delays the removal and no more", async () => {
  here = await withSeedNodes();
  await confirmRemoval(here, "ip-10-0-3-7");
  const down = here.simulator.simulation.faults.inject("kubernetes-5xx", {
    principal: "system:serviceaccount:casement:act",
  });
  await here.pass(3);
  here.simulator.simulation.faults.end(down?.id ?? "");
  await expectGone(here, web);
});

test("an instance that is terminated during the eviction is waited for no longer, and its removal ends well", async () => {
  here = await withSeedNodes();
  await guardedPod(here, web);
  await confirmRemoval(here, "ip-10-0-3-7");
  await here.pass(1);
  await terminateFromOutside(here, web.instanceId);
  await here.until(async () => (await newest(here)).operation.endedAt !== null, 4, "the end of the removal");
  await expectGone(here, web);
});

test("a Node that is deleted during the eviction does not stop its instance from going", async () => {
  here = await withSeedNodes();
  await guardedPod(here, web);
  await confirmRemoval(here, "ip-10-0-3-7");
  await here.pass(1);
  await kubectl(here, "DELETE", `/api/v1/nodes/${web.name}`);
  await kubectl(here, "DELETE", "/api/v1/namespaces/default/pods/guarded", { gracePeriodSeconds: 0 });
  await expectGone(here, web);
});

test("a Node that is made anew under the same name while its instance goes is left alone, and the removal ends well", async () => {
  here = await withSeedNodes();
  await confirmRemoval(here, "ip-10-0-3-7");
  await here.until(() => stateOf(here, web) === "shutting-down", 5);
  await kubectl(here, "DELETE", `/api/v1/nodes/${web.name}`);
  const [apiVersion, kind] = ["v1", "Node"];
  const metadata = { name: web.name, labels: { "kubernetes.io/os": "windows" } };
  await kubectl(here, "POST", "/api/v1/nodes", { apiVersion, kind, metadata });
  const uid = nodeNamed(here, web.name)?.metadata?.uid;
  await settled(here);
  expect((await newest(here)).operation).toMatchObject({ status: "succeeded", callbacks: {} });
  expect(stateOf(here, web)).toBe("terminated");
  expect(nodeNamed(here, web.name)?.metadata?.uid).toBe(uid);
  expect(nodeNamed(here, web.name)?.spec).not.toHaveProperty("unschedulable");
});

test("throttled by EC2 it waits and terminates once", async () => {
  here = await withSeedNodes();
  here.simulator.simulation.faults.inject("aws-throttle", { service: "ec2", action: "TerminateInstances" }, 5);
  await confirmRemoval(here, "ip-10-0-3-7");
  await expectGone(here, web);
  expect(calls(here, "ec2", "TerminateInstances").filter(({ error }) => error === null)).toHaveLength(1);
  expect(nodeNamed(here, web.name)).toBeUndefined();
});

test("a node that somebody cordoned while the dialog was open stays cordoned too", async () => {
  here = await withSeedNodes();
  await guardedPod(here, web);
  await ask(here, "ip-10-0-3-7");
  await cordonByHand(here, web);
  await here.submit("operator");
  await expectKept(here, web, true);
});
