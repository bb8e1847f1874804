import { afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { DO_NEXT, TAKE_WAIT } from "../../../../lambdas/messages/slack/buttons.ts";
import { openStore, type Snapshot } from "../../../../lib/sandbox/core/store.ts";
import { demoConfiguration } from "../../../../lib/sandbox/demo-configuration.ts";
import { newest, nodeNamed, settled } from "../../evidence.ts";
import { type Journey, startJourney } from "../../journey.ts";
import type { Write } from "../../ledger-writes.ts";
import { endFault, injectFault } from "../../outside.ts";
import { inThreads, openly } from "../../reading.ts";
import { images } from "../../restarting.ts";

const { pools } = demoConfiguration({ apiServer: "https://kubernetes.sandbox.invalid", authority: "" });
const [zoneA = "", zoneB = ""] = pools.web?.subnets ?? [];

const launchingIn = (subnet: string) => ({
  approvals: { reboot: { needs: 0 } },
  pools: {
    ...pools,
    web: { ...pools.web, subnets: [subnet], maxUnavailable: 2 },
    batch: { ...pools.batch, subnets: [subnet] },
  },
});

let here: Journey;
let seven: { readonly snapshot: Snapshot; readonly ledger: readonly Write[]; readonly now: number };
/** Five nodes of web, two of them in the other zone, and two of batch there too. */
let inZoneB: readonly string[];
let inZoneA: readonly string[];

const added = async (command: string): Promise<string[]> => {
  await here.type("operator", command);
  await settled(here);
  return (await newest(here)).nodes.map(({ nodeName }) => nodeName ?? "").sort();
};

beforeAll(async () => {
  const store = openStore(":memory:");
  here = await startJourney({ configuration: launchingIn(zoneB) }, store);
  inZoneB = [...(await added("/win add web 2")), ...(await added("/win add batch 2"))];
  const onwards = { ledger: [...here.ledgerWrites], now: Date.now(), seed: 2, configuration: launchingIn(zoneA) };
  await here.close();
  here = await startJourney(onwards, store);
  inZoneA = await added("/win add web 3");
  seven = { snapshot: store.snapshot(), ledger: [...onwards.ledger, ...here.ledgerWrites], now: Date.now() };
  await here.close();
}, 240_000);
beforeEach(async () => {
  const { snapshot, ...from } = seven;
  here = await startJourney(
    { ...from, seed: 3, configuration: launchingIn(zoneA), overrides: { probeImages: Object.values(images) } },
    openStore(":memory:", snapshot),
  );
});
afterEach(() => here.close());

const instanceOf = (name: string): string => nodeNamed(here, name)?.spec?.providerID?.split("/").at(-1) ?? "";
const isReady = (name: string): boolean =>
  nodeNamed(here, name)?.status?.conditions?.some(({ type, status }) => type === "Ready" && status === "True") ?? false;

/** The kubelets end and do not start again before their machines boot. */
async function loseKubelets(names: readonly string[]): Promise<void> {
  for (const name of names) {
    const kubelet = { instanceId: instanceOf(name), service: "kubelet" };
    injectFault(here, "service-hangs", { ...kubelet, how: "start" }, 1);
    injectFault(here, "service-crashes", kubelet, 1);
  }
  await here.until(() => names.every((name) => !isReady(name)), 20, "the nodes to be NotReady");
}

const fleetCalls = (): string[] =>
  openly(here).filter((text) => /Windows nodes? (are|is) (Not)?Ready|SSM agents/.test(text.split("\n")[0] ?? ""));
const pages = (): string[] =>
  here.simulator.topic
    .notifications()
    .map(({ message }) => message)
    .filter((message) => message.includes("#many-nodes-are-notready"));

test("a zone with four of seven nodes is NotReady: one call names what they share, recovers them by one press, and ends", {
  timeout: 240_000,
}, async () => {
  await loseKubelets(inZoneB);
  await here.until(() => fleetCalls().length > 0, 10, "the call");
  const [call = ""] = fleetCalls();
  expect(call).toMatch(
    /^🚨 \*4 of 7 Windows nodes are NotReady\* since .+ UTC> \(batch 2 of 2, web 2 of 5\)\n<@U0OPERATOR>\n/,
  );
  expect(call).toContain("• 4 nodes: the kubelet has stopped reporting, the SSM agent reports.");
  expect(call).toContain(`They share zone \`us-west-2b\`, subnet \`${zoneB}\`; no Ready node has them.`);
  expect(call).toContain("[Why?]\n[Recover batch…]\n[Recover web…]");
  await here.pass(1);
  await here.press("operator", TAKE_WAIT);
  await here.pass(1);
  expect(fleetCalls()).toEqual([expect.stringContaining("<@U0OPERATOR> has had it since ")]);
  expect(pages()).toEqual([expect.stringContaining("4 of 7 Windows nodes are NotReady since")]);

  await here.press("operator", DO_NEXT);
  await here.until(async () => (await newest(here)).operation.request.command === "reboot", 5, "the rollout");
  await here.until(() => fleetCalls()[0]?.includes("*2 of 7 Windows nodes are NotReady*") === true, 180, "two nodes");
  await settled(here, 60);
  const { operation, nodes } = await newest(here);
  expect(nodes.map(({ nodeName }) => nodeName ?? "").every((name) => inZoneB.includes(name))).toBe(true);
  expect(operation).toMatchObject({ status: "succeeded", summary: "2 of 2 nodes are rebooted and proven." });
  await here.press("operator", DO_NEXT);
  await here.until(async () => (await newest(here)).operation.id !== operation.id, 5, "the second rollout");
  await here.until(async () => (await newest(here)).operation.endedAt !== null, 240, "its end");
  await here.pass(12);
  expect(fleetCalls()).toEqual([expect.stringMatching(/^✅ \*All 7 Windows nodes are Ready again\* after \d+/)]);
  expect(pages()).toHaveLength(1);
});

test("one node of a pool of several that is NotReady is no call, and nodes that an operation reboots are none either", {
  timeout: 240_000,
}, async () => {
  await loseKubelets(inZoneA.slice(0, 1));
  await here.pass(20);
  expect(fleetCalls()).toEqual([]);
  await here.type("operator", "/win reboot web --max 2");
  await here.until(async () => (await newest(here)).operation.endedAt !== null, 360, "the end of the rollout");
  expect(fleetCalls()).toEqual([]);
  expect(pages()).toEqual([]);
});

test("while Slack is down a call pages once, its message follows when Slack is back, and people are called again after half an hour", async () => {
  const fault = injectFault(here, "slack-down");
  await loseKubelets(inZoneB);
  await here.pass(15);
  expect(pages()).toHaveLength(1);
  expect(fleetCalls()).toEqual([]);
  endFault(here, fault);
  await here.pass(8);
  expect(fleetCalls()).toHaveLength(1);
  expect(pages()).toHaveLength(1);
  await here.pass(15);
  expect(pages()).toHaveLength(2);
  expect(inThreads(here).filter((text) => text.includes("4 of 7 Windows nodes are NotReady, for "))).toEqual([
    expect.stringMatching(/^<@U0OPERATOR> ⏰ .*\n\[I have it\]$/),
  ]);
});

test("agents of a zone fall silent while their nodes are Ready: one call names what they share, and offers no reboot", async () => {
  for (const name of inZoneB) injectFault(here, "agent-silent", { instanceId: instanceOf(name) });
  await here.until(() => fleetCalls().length > 0, 30, "the call");
  const [call = ""] = fleetCalls();
  expect(call).toMatch(/^🚨 \*The SSM agents of 4 of 7 Windows nodes are silent\* since/);
  expect(call).toContain(`They share zone \`us-west-2b\`, subnet \`${zoneB}\`; no other node has them.`);
  expect(call).toContain("check the way to Systems Manager from what they share");
  expect(call).not.toContain("Recover");
});
