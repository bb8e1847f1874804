import { afterEach, describe, expect, test } from "vitest";
import { RESUME_ROLLOUT } from "../../../lambdas/messages/slack/buttons.ts";
import { linuxNodes } from "../../../lib/sandbox/demo-nodes.ts";
import { calls, expectSound, heldBack, newest, nodeNamed, settled } from "../evidence.ts";
import type { Journey } from "../journey.ts";
import { endFault, injectFault } from "../outside.ts";
import { poolOfFour } from "../pool-of-four.ts";
import { inThreads, openly } from "../reading.ts";

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

/** Which nodes have booted since. */
const booted = (before: readonly (string | undefined)[]): boolean[] => boots().map((boot, at) => boot !== before[at]);

describe("A rollout in which a machine installs updates at its boot", { timeout: 120_000 }, () => {
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

describe("A rollout in which a node says Ready and its data plane is dead", { timeout: 120_000 }, () => {
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
      why: expect.stringContaining("Data plane: A pod on the node cannot resolve names of the cluster"),
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
