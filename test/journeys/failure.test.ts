import { afterEach, expect, test } from "vitest";
import { stageName } from "../../lambdas/messages/stages.ts";
import type { NodeRecord, Stage } from "../../lambdas/records.ts";
import {
  calls,
  expectSound,
  heldBack,
  joinSecrets,
  launchedBy,
  newest,
  nodeNamed,
  settled,
  spoken,
  wordsOf,
} from "./evidence.ts";
import { shows } from "./hands.ts";
import { asAdministrator, machineFor, order, reached, terminateFromOutside } from "./outside.ts";
import { type World, world } from "./world.ts";

let here: World;
afterEach(() => here.close());

const launchedId = (): string => here.ground.ec2.describe().at(-1)?.InstanceId ?? "";
const launchedName = (): string => here.ground.ec2.describe().at(-1)?.PrivateDnsName ?? "";

/** A way to fail: at which stage what goes wrong, where that ends, and what people read about it. */
interface Case {
  readonly what: string;
  readonly from?: Stage;
  readonly happens: () => unknown;
  readonly stage: Stage;
  readonly why: RegExp;
  readonly kubelet: "stopped" | "never started";
  /** What the thread remarks beside the failure. */
  readonly remark?: RegExp;
}

const cases: readonly Case[] = [
  {
    what: "the agent never comes online",
    happens: () => order(here, "agent-never-online"),
    stage: "agent",
    why: /gave up waiting for the SSM agent/,
    kubelet: "never started",
  },
  {
    what: "the first boot hangs",
    happens: () => order(here, "boot-hangs", {}, 1),
    stage: "agent",
    why: /gave up waiting for the SSM agent/,
    kubelet: "never started",
  },
  {
    what: "the metadata route is lost before the guard is there",
    from: "guard",
    happens: () => order(here, "lose-metadata-route"),
    stage: "guard",
    why: /apply.ps1 ended as Failed/,
    kubelet: "never started",
  },
  {
    what: "the feature cannot be installed",
    happens: () => order(here, "feature-install-fails"),
    stage: "features",
    why: /Containers/,
    kubelet: "never started",
  },
  {
    what: "the machine does not come back from its reboot",
    from: "features",
    happens: () => order(here, "boot-hangs", {}, 1),
    stage: "features",
    why: /gave up waiting for reboot.ps1/,
    kubelet: "never started",
  },
  {
    what: "a download arrives damaged",
    from: "payload",
    happens: () => order(here, "download-corrupt"),
    stage: "payload",
    why: /sha256/i,
    kubelet: "never started",
  },
  {
    what: "the kubelet asks in another node's name",
    happens: () => order(here, "kubelet-wrong-csr", { how: "other-name" }),
    stage: "client-csr",
    why: /certificate request/,
    kubelet: "stopped",
  },
  {
    what: "the kubelet asks for a foreign address",
    from: "node",
    happens: () => order(here, "kubelet-wrong-csr", { how: "extra-san" }),
    stage: "serving-csr",
    why: /certificate request \(kubelet-serving\)/,
    kubelet: "stopped",
    remark: /csr-\w+ was left pending: .* does not belong to the instance/,
  },
  {
    what: "the kubelet asks to be in another group too",
    happens: () => order(here, "kubelet-wrong-csr", { how: "extra-organization" }),
    stage: "client-csr",
    why: /certificate request/,
    kubelet: "stopped",
    remark: /csr-\w+ was left pending: its organizations are/,
  },
  {
    what: "a Machine claims the instance",
    from: "payload",
    happens: () => here.ground.kubernetes.create(machineFor(launchedId())),
    stage: "client-csr",
    why: /claimed by a Machine/,
    kubelet: "stopped",
  },
  {
    what: "the Node is deleted by somebody else",
    from: "network",
    happens: () => asAdministrator(here, "DELETE", `/api/v1/nodes/${launchedName()}`),
    stage: "network",
    why: /the Node was deleted by somebody else/,
    kubelet: "stopped",
  },
];

/** Failing takes as long as a stage may: minutes are enough to see it. */
const impatient = {
  deadlines: { agent: 8, features: 12, "client-csr": 3, "serving-csr": 3, network: 4, keepFailed: 20 },
};

/** Lets time pass until the message asks what becomes of the machine. */
async function asked(): Promise<NodeRecord> {
  await here.until(
    () => spoken(here).channel.some((message) => shows(message, "terminate-instance")),
    60,
    "a question",
  );
  return (await newest(here)).nodes[0] as NodeRecord;
}

/** After the end nothing is left of it, but for an instance that somebody wanted to keep. */
async function expectPutAway(kept: boolean): Promise<void> {
  const { operation, nodes } = await newest(here);
  expect(operation.status).toBe("failed");
  expect(nodes.map(({ status, callbacks }) => ({ status, callbacks }))).toEqual([{ status: "failed", callbacks: {} }]);
  expect(launchedBy(here, operation.id).map(({ State }) => State?.Name)).toEqual([kept ? "running" : "terminated"]);
  expect(calls(here, "ec2", "RunInstances")).toHaveLength(1);
  if (!kept) expect(nodeNamed(here, launchedName())).toBeUndefined();
  expect(joinSecrets(here)).toEqual([]);
  expect(await heldBack(here)).toEqual([]);
  const [message, ...more] = spoken(here).channel;
  expect(more).toEqual([]);
  expect(message && shows(message, "terminate-instance")).toBe(false);
  await expectSound(here);
}

test.for(cases)("$what: says so, asks, and is terminated when told", async (one) => {
  here = await world({ configuration: impatient });
  await here.type("operator", "/win add web");
  if (one.from) await reached(here, one.from);
  await one.happens();
  const node = await asked();
  expect(node).toMatchObject({
    status: "deciding",
    failure: { stage: one.stage, why: expect.stringMatching(one.why) },
  });
  const words = wordsOf(spoken(here).channel[0] as never);
  for (const part of [stageName(one.stage), `instance ${node.instanceId} is running`, "*Next:*"])
    expect(words).toContain(part);
  expect(node.failure?.left).toContain(one.kubelet);
  const thread = spoken(here).thread.map(wordsOf).join("\n");
  expect(thread).toContain("<@U0OPERATOR>, keep it or terminate it?");
  if (one.remark) expect(thread).toMatch(one.remark);
  const kubelet = here.ground.machines.describe(node.instanceId ?? "")?.services.find(({ name }) => name === "kubelet");
  expect(kubelet?.state ?? "Stopped").toBe("Stopped");
  await here.press("approver", "terminate-instance");
  await settled(here);
  expect((await newest(here)).nodes[0]?.outcome).toContain("terminated by <@U0APPROVER>");
  expect(wordsOf(spoken(here).channel[0] as never)).toContain("terminated by <@U0APPROVER>");
  await expectPutAway(false);
});

/** A machine whose features cannot be installed, and the question about it. */
async function failing(): Promise<NodeRecord> {
  here = await world({ configuration: impatient });
  await here.type("operator", "/win add web");
  order(here, "feature-install-fails");
  return asked();
}

test("a failed machine is kept for whoever wants to look at it", async () => {
  await failing();
  await here.press("operator", "keep-instance");
  await settled(here);
  expect(wordsOf(spoken(here).channel[0] as never)).toContain("kept for inspection by <@U0OPERATOR>");
  await expectPutAway(true);
});

test("a failed machine is terminated when nobody has decided in time", async () => {
  const { decideBy } = await failing();
  await here.until(() => Date.now() > Date.parse(decideBy ?? "") - 30_000, 30);
  expect(here.ground.ec2.describe().at(-1)?.State?.Name).toBe("running");
  await settled(here);
  expect(wordsOf(spoken(here).channel[0] as never)).toContain("terminated when nobody had decided in time");
  await expectPutAway(false);
});

test("who may not add may not decide, and a second decision comes too late", async () => {
  await failing();
  const before = here.ground.slack.messages().length;
  await here.press("visitor", "terminate-instance");
  const refusal = here.ground.slack.messages().slice(before);
  expect(refusal).toMatchObject([{ onlyTo: "U0VISITOR0" }]);
  const { ts = "" } = spoken(here).channel[0] ?? {};
  await here.press("operator", "keep-instance", ts);
  await here.press("approver", "terminate-instance", ts);
  await settled(here);
  expect(
    here.ground.slack
      .messages()
      .filter(({ onlyTo }) => onlyTo === "U0APPROVER")
      .at(-1)?.text,
  ).toContain("faster");
  await expectPutAway(true);
});

test("an instance that somebody else terminates asks nobody anything", async () => {
  here = await world({ configuration: impatient });
  await here.type("operator", "/win add web");
  await reached(here, "payload");
  const instanceId = launchedId();
  await terminateFromOutside(here, instanceId);
  await settled(here);
  const words = wordsOf(spoken(here).channel[0] as never);
  expect(words).toMatch(new RegExp(`${instanceId} is (shutting-down|terminated): somebody or something ended it`));
  expect(words).toContain("nothing: the instance is gone");
  await expectPutAway(false);
});

test("a failed machine whose Node is Ready is never terminated", async () => {
  here = await world({ configuration: impatient });
  await here.type("operator", "/win add web");
  await reached(here, "verify");
  order(here, "agent-silent");
  await asked();
  await here.press("operator", "terminate-instance");
  await settled(here);
  expect(wordsOf(spoken(here).channel[0] as never)).toMatch(/kept, because its Node .* is Ready/);
  expect(nodeNamed(here, launchedName())).toBeDefined();
  await expectPutAway(true);
});

test("a service that crashes once while the node joins is started again by Windows", async () => {
  here = await world({ configuration: impatient });
  await here.type("operator", "/win add web");
  await reached(here, "network");
  order(here, "service-crashes", { service: "kubelet" }, 1);
  await settled(here);
  expect((await newest(here)).operation.status).toBe("succeeded");
  expect(here.ground.machines.logOf(launchedId()).join()).toContain("kubelet service terminated unexpectedly");
  await expectSound(here);
});
