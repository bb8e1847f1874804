import { afterEach, expect, test } from "vitest";
import { APPROVE_OPERATION } from "../../../../lambdas/messages/slack/buttons.ts";
import { workloads } from "../../../../lib/sandbox/demo-nodes.ts";
import { calls, heldBack, newest, nodeNamed, settled } from "../../evidence.ts";
import type { Journey } from "../../journey.ts";
import { endFault, injectFault } from "../../outside.ts";
import { poolOfFour } from "../../pool-of-four.ts";
import { openly, privately } from "../../reading.ts";

let here: Journey;
let names: readonly string[];
afterEach(() => here.close());

const isReady = (name: string | undefined): boolean =>
  nodeNamed(here, name)?.status?.conditions?.some(({ type, status }) => type === "Ready" && status === "True") ?? false;
const bootOf = (name: string | undefined): string | undefined => nodeNamed(here, name)?.status?.nodeInfo?.bootID;
const instanceOf = (name: string | undefined): string =>
  nodeNamed(here, name)?.spec?.providerID?.split("/").at(-1) ?? "";

/** Eight pods of one Deployment, on all four nodes. */
async function runPods(): Promise<void> {
  const [storefront] = workloads as unknown as { spec: object }[];
  here.simulator.kubernetes.create({ ...storefront, spec: { ...storefront?.spec, replicas: 8 } } as never);
  await here.until(() => names.every((name) => podsOn(name) > 0), 10, "pods on every node");
}

const podsOn = (name: string | undefined): number =>
  here.simulator.kubernetes
    .objects("pods")
    .filter((pod) => (pod as unknown as { spec: { nodeName?: string } }).spec.nodeName === name).length;

/** The kubelet ends and does not start again before its machine boots. */
async function loseKubelet(name: string | undefined): Promise<void> {
  const kubelet = { instanceId: instanceOf(name), service: "kubelet" };
  injectFault(here, "service-hangs", { ...kubelet, how: "start" }, 1);
  injectFault(here, "service-crashes", kubelet, 1);
  await here.until(() => !isReady(name), 20, `${name} to be NotReady`);
}

/** Two presses reboot both machines through EC2; the boot of each ends its fault. */
async function expectRecoveredThroughEc2(faults: readonly string[]): Promise<void> {
  await here.type("operator", "/win reboot web");
  await here.until(async () => (await newest(here)).operation.approval?.state === "open", 10, "the question");
  expect(openly(here).at(-1)).toContain("*Rebooted through EC2, because the SSM agent is silent:*");
  await here.press("approver", APPROVE_OPERATION);
  for (const [at, fault] of faults.entries()) {
    await here.until(() => calls(here, "ec2", "RebootInstances").length > at, 90, `reboot ${at + 1} through EC2`);
    endFault(here, fault);
  }
  await here.until(async () => (await newest(here)).operation.endedAt !== null, 240, "the end of the recovery");
  const { operation } = await newest(here);
  expect(operation).toMatchObject({ status: "succeeded", summary: "2 of 2 nodes are rebooted and proven." });
  expect(names.map(isReady)).toEqual([true, true, true, true]);
  expect(calls(here, "ec2", "RebootInstances")).toHaveLength(2);
}

test("half the fleet is NotReady: Ready nodes stay in service, and two presses bring the others back", async () => {
  ({ here, names } = await poolOfFour(1, { approvals: {} }));
  const lost = [names[1], names[3]];
  await runPods();
  for (const name of lost) await loseKubelet(name);
  expect(lost.every((name) => podsOn(name) > 0)).toBe(true);
  const before = names.map(bootOf);

  await here.type("operator", `/win drain ${names[0]}`);
  await settled(here, 30);
  expect(openly(here).at(-1)).toContain(
    "is Ready and stays in service: 2 of 4 Windows nodes are NotReady, more than 30% (`mostNotReady`)",
  );

  await here.type("operator", "/win reboot web");
  await here.until(async () => (await newest(here)).operation.approval?.state === "open", 10, "the question");
  const card = openly(here).at(-1) ?? "";
  expect(card).toContain("*Plan*: 2 nodes of `web` are drained and rebooted");
  expect(card).toContain("*2 nodes left out:*");
  expect(card).toContain(
    'No approver awake: `/win reboot &lt;node&gt; --break-glass "reason"` recovers the NotReady nodes',
  );
  await here.press("approver", APPROVE_OPERATION);
  const isOver = async (): Promise<boolean> => {
    const { endedAt, rollout } = (await newest(here)).operation;
    return endedAt !== null || (rollout?.paused ?? null) !== null;
  };
  await here.until(isOver, 240, "the end of the recovery");
  const { operation, nodes } = await newest(here);
  expect(nodes.map(({ failure }) => failure)).toEqual([null, null]);
  expect(operation).toMatchObject({ status: "succeeded", summary: "2 of 2 nodes are rebooted and proven." });
  expect(names.map(isReady)).toEqual([true, true, true, true]);
  expect(names.map((name, at) => bootOf(name) === before[at])).toEqual([true, false, true, false]);

  await here.type("operator", `/win drain ${names[0]} --dry-run`);
  await settled(here, 30);
  expect(privately(here, "operator").at(-1)).toContain("Dry run: nothing was changed");
  expect(await heldBack(here)).toEqual([]);
});

test("half the fleet takes no command after a power event: EC2 reboots it, as the card says, and two presses bring it back", async () => {
  ({ here, names } = await poolOfFour(1, { approvals: {} }));
  const lost = [names[0], names[2]];
  const silent = lost.map((name) => injectFault(here, "agent-silent", { instanceId: instanceOf(name) }));
  for (const name of lost) await loseKubelet(name);
  await here.pass(30);
  // A boot mends the agent.
  await expectRecoveredThroughEc2(silent);
});

test("half the fleet lost its metadata route in a power event: two presses reboot it through EC2, and the guard brings the route back", async () => {
  ({ here, names } = await poolOfFour(1, { approvals: {} }));
  const lost = [names[1], names[2]];
  const ofNode = (name: string | undefined) => ({ instanceId: instanceOf(name) });
  const routes = lost.map((name) => injectFault(here, "lose-metadata-route", ofNode(name)));
  for (const name of lost) {
    injectFault(here, "service-hangs", { ...ofNode(name), service: "kubelet", how: "start" }, 1);
    injectFault(here, "boots-by-itself", { ...ofNode(name), how: "power-loss" }, 1);
  }
  await here.until(() => lost.every((name) => !isReady(name)), 30, "half the fleet to be NotReady");
  await here.pass(20);
  expect(lost.map(isReady)).toEqual([false, false]);
  await here.type("operator", `/win why ${lost[0]}`);
  await settled(here, 10);
  expect(privately(here, "operator").at(-1)).toMatch(/Likely, in this order: [\s\S]*\/win reboot /);
  // Whatever took the routes is over with the machine's own next boot.
  await expectRecoveredThroughEc2(routes);
  expect(await heldBack(here)).toEqual([]);
});

test.each(["reboot", "remove"])(
  "half the fleet is NotReady: a %s of a Ready node is refused before anything is changed",
  async (command) => {
    ({ here, names } = await poolOfFour(1, { approvals: {} }));
    for (const name of [names[1], names[3]]) await loseKubelet(name);
    const before = names.map(bootOf);
    await here.type("operator", `/win ${command} ${names[0]}`);
    await settled(here, 30);
    expect([...openly(here), ...privately(here, "operator")].join("\n")).toContain(
      "is Ready and stays in service: 2 of 4 Windows nodes are NotReady, more than 30% (`mostNotReady`)",
    );
    expect(nodeNamed(here, names[0])?.spec?.unschedulable).not.toBe(true);
    expect(names.map(bootOf)).toEqual(before);
    expect(await heldBack(here)).toEqual([]);
  },
);

test("a rollout that is under way when half the fleet loses its kubelet disturbs no further Ready node, and pauses", async () => {
  ({ here, names } = await poolOfFour(1));
  const before = names.map(bootOf);
  await here.type("operator", "/win reboot web");
  const rollout = async () => (await here.operations()).find(({ request }) => request.command === "reboot");
  await here.until(() => bootOf(names[0]) !== before[0], 60, "the first reboot");
  for (const name of [names[2], names[3]]) await loseKubelet(name);
  await here.until(async () => ((await rollout())?.rollout?.paused ?? null) !== null, 240, "the pause");
  expect(openly(here).at(-1)).toMatch(/is Ready and stays in service: 2 of 4 Windows nodes are NotReady/);
  await here.pass(30);
  expect(names.slice(1).map(bootOf)).toEqual(before.slice(1));
  expect(nodeNamed(here, names[1])?.spec?.unschedulable).not.toBe(true);
  await here.type("operator", `/win cancel ${(await rollout())?.id}`);
  await settled(here, 60);
  expect(await heldBack(here)).toEqual([]);
});
