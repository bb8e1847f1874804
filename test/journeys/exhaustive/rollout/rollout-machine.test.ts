import { afterEach, describe, expect, test } from "vitest";
import { CANCEL_OPERATION, RESUME_ROLLOUT } from "../../../../lambdas/messages/slack/buttons.ts";
import { linuxNodes } from "../../../../lib/sandbox/demo-nodes.ts";
import { calls, expectSound, heldBack, newest, nodeNamed, settled } from "../../evidence.ts";
import type { Journey } from "../../journey.ts";
import { endFault, injectFault } from "../../outside.ts";
import { poolOfFour } from "../../pool-of-four.ts";
import { inThreads, openly } from "../../reading.ts";

let here: Journey;
let names: readonly string[];
afterEach(() => here.close());

const begin = async (slots: number, configuration: object = {}): Promise<void> => {
  ({ here, names } = await poolOfFour(slots, configuration));
};

const images = { "2022": "mcr.microsoft.com/windows/servercore:ltsc2022", linux: "docker.io/library/busybox:1.37" };

/** Adds a Linux node, from which a probe is reached. */
function addLinuxNode(): void {
  const { ec2, kubernetes, simulation } = here.simulator;
  const worker = linuxNodes.at(-1);
  if (!worker) throw new Error("the demo cluster has no Linux node");
  ec2.seed(worker.instance);
  const facts = ec2.cloud.instance(worker.instance.instanceId);
  if (facts) kubernetes.create(worker.node(facts, simulation.clock.now()));
}

const boots = (): (string | undefined)[] => names.map((name) => nodeNamed(here, name)?.status?.nodeInfo?.bootID);
const cordoned = (): string[] => names.filter((name) => nodeNamed(here, name)?.spec?.unschedulable === true);
const of = (name: string | undefined): { instanceId: string } => ({
  instanceId: nodeNamed(here, name)?.spec?.providerID?.split("/").at(-1) ?? "",
});
const rolloutOf = async () => (await newest(here)).operation;
const nodesOf = async () => (await newest(here)).nodes;
const statuses = async () => (await nodesOf()).map(({ status }) => status);
const paused = (): Promise<void> =>
  here.until(async () => (await rolloutOf()).rollout?.paused != null, 300, "the pause");
const told = (): string => [...openly(here), ...inThreads(here)].join("\n");

/** Tells of each node whether it has booted since. */
const booted = (before: readonly (string | undefined)[]): boolean[] => boots().map((boot, at) => boot !== before[at]);

describe("A rollout in which a machine installs updates at its boot", () => {
  test.each([0, 1])("waits for it, and proves it: node %i", async (at) => {
    await begin(1);
    injectFault(here, "updates-at-boot", of(names[at]));
    const before = boots();
    await here.type("operator", "/win reboot web");
    await here.until(async () => (await nodesOf())[at]?.stage === "reboot", 120, "the reboot");
    const since = Date.now();
    await here.pass(9);
    const node = (await nodesOf())[at];
    expect([node?.stage, node?.status]).toEqual(["reboot", "running"]);
    expect(await statuses()).toEqual(
      names.map((_, one) => (one < at ? "succeeded" : one === at ? "running" : "queued")),
    );
    expect(cordoned()).toEqual([names[at]]);
    expect(booted(before).slice(at + 1)).toEqual(names.slice(at + 1).map(() => false));
    await here.until(async () => (await nodesOf())[at]?.status === "succeeded", 120, "the proof");
    expect(Date.now() - since).toBeGreaterThan(10 * 60_000);
    await settled(here, 240);
    expect(await rolloutOf()).toMatchObject({ status: "succeeded", summary: "4 of 4 nodes are rebooted and proven." });
    expect(booted(before)).toEqual([true, true, true, true]);
    expect(told()).not.toContain("the rollout is paused");
    expect(calls(here, "ec2", "RebootInstances")).toEqual([]);
    expect([cordoned(), await heldBack(here)]).toEqual([[], []]);
    await expectSound(here);
  });
});

describe("A rollout in which a node says Ready and its data plane is dead", () => {
  test.each([0, 1])("pauses, and leaves the node cordoned and the others as they are: node %i", async (at) => {
    await begin(1, { probe: { images } });
    addLinuxNode();
    const fault = injectFault(here, "data-plane-dead", of(names[at]));
    const before = boots();
    await here.type("operator", "/win reboot web");
    await paused();
    const ready = nodeNamed(here, names[at])?.status?.conditions?.find(({ type }) => type === "Ready");
    expect(ready?.status).toBe("True");
    const { status, summary } = await rolloutOf();
    expect(status).toBe("waiting");
    expect(summary).toContain(
      `Paused: ${names[at]} failed at proof. ${at} of 4 nodes ${at === 1 ? "is" : "are"} rebooted and proven.`,
    );
    expect((await nodesOf())[at]?.failure).toMatchObject({
      stage: "prove",
      why: expect.stringContaining("Data plane: A pod on the node cannot resolve cluster DNS names"),
      left: expect.stringContaining("the node stays cordoned until it is proven"),
    });
    await here.pass(60);
    const begun = names.map((_, one) => one <= at);
    expect([booted(before), cordoned()]).toEqual([begun, [names[at]]]);
    expect(await statuses()).toEqual(
      names.map((_, one) => (one < at ? "succeeded" : one === at ? "failed" : "queued")),
    );
    expect(inThreads(here).filter((text) => text.includes("<@U0OPERATOR>, the rollout is paused"))).toHaveLength(1);
    expect(await heldBack(here)).toEqual([]);

    endFault(here, fault);
    await here.type("operator", `/win prove ${names[at]}`);
    await here.until(() => cordoned().length === 0, 30, "the node that is given back");
    await here.press("operator", RESUME_ROLLOUT);
    await settled(here, 240);
    const rollout = (await here.operations()).find(({ request }) => request.command === "reboot");
    expect(rollout?.summary).toContain("3 of 4 nodes are rebooted and proven.");
    expect([booted(before), cordoned(), await heldBack(here)]).toEqual([[true, true, true, true], [], []]);
    await expectSound(here);
  });
});

describe("A rollout that comes to a machine whose agent has not reported for eleven minutes", () => {
  const REFUSED = "the machine's SSM agent does not answer, so that its guard cannot be checked";
  const second = async () => (await nodesOf())[1];

  /** The first node takes a long boot, while which the agent of the second one falls silent. @returns the id of that fault */
  async function silentSecond(): Promise<string> {
    await begin(1);
    injectFault(here, "updates-at-boot", of(names[0]));
    await here.type("operator", "/win reboot web --max 1");
    await here.until(async () => (await nodesOf())[0]?.stage === "reboot", 120, "the first reboot");
    const fault = injectFault(here, "agent-silent", of(names[1]));
    const isWell = async () => (await nodesOf())[0]?.waitsFor?.includes("stay well") === true;
    await here.until(isWell, 120, "the first good look at the first node");
    return fault;
  }

  /** Others reboot the second machine, and the rollout comes to it. */
  async function rebootByOthers(): Promise<void> {
    injectFault(here, "slow-boot", of(names[1]), 1);
    here.simulator.simulation.bus.announce({ kind: "instance-reboot", ...of(names[1]) });
    await comes();
  }

  const comes = (): Promise<void> =>
    here.until(async () => (await second())?.stage === "guard", 60, "the turn of the second node");

  test("reboots the machine once its agent reports, where it has just booted", async () => {
    const fault = await silentSecond();
    endFault(here, fault);
    await rebootByOthers();
    await here.pass(0.5);
    const node = await second();
    expect(node).toMatchObject({ stage: "guard", status: "running" });
    expect(node?.waitsFor).toContain("its machine may have booted a moment ago");
    await here.until(async () => (await second())?.stage === "evict", 10, "the guard in order");
    const between = boots()[1];
    await settled(here, 300);
    expect(await rolloutOf()).toMatchObject({ status: "succeeded", summary: "4 of 4 nodes are rebooted and proven." });
    expect(boots()[1]).not.toBe(between);
    expect(told()).not.toContain("the rollout is paused");
    expect([cordoned(), await heldBack(here)]).toEqual([[], []]);
    await expectSound(here);
  });

  test("refuses the machine after six minutes, where its agent stays silent after that boot", async () => {
    await silentSecond();
    await rebootByOthers();
    const since = Date.now();
    await paused();
    expect((Date.now() - since) / 60_000).toBeGreaterThan(5);
    expect((Date.now() - since) / 60_000).toBeLessThan(9);
    expect((await second())?.failure).toMatchObject({ stage: "guard", why: REFUSED });
    expect([cordoned(), await heldBack(here)]).toEqual([[], []]);
  });

  test("refuses the machine at once, where it has not booted", async () => {
    await silentSecond();
    await comes();
    const since = Date.now();
    await paused();
    expect((Date.now() - since) / 60_000).toBeLessThan(2);
    expect((await second())?.failure).toMatchObject({ stage: "guard", why: REFUSED });
    expect([cordoned(), await heldBack(here)]).toEqual([[], []]);
  });

  test("is put back when it is cancelled while that agent is waited for", async () => {
    await silentSecond();
    await rebootByOthers();
    await here.pass(1);
    await here.press("operator", CANCEL_OPERATION);
    await settled(here, 10);
    expect(await rolloutOf()).toMatchObject({ status: "cancelled" });
    expect((await second())?.status).toBe("cancelled");
    expect([cordoned(), await heldBack(here)]).toEqual([[], []]);
  });
});
