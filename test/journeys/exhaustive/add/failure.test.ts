import { afterEach, expect, test } from "vitest";
import { stageName } from "../../../../lambdas/messages/operation/stages.ts";
import type { StageName } from "../../../../lambdas/stages.ts";
import { newest, settled, spoken, wordsOf } from "../../evidence.ts";
import { asked, expectPutAway, impatient, launchedId, launchedName } from "../../failing.ts";
import { type Journey, startJourney } from "../../journey.ts";
import { asAdministrator, entryFor, injectFault, machineFor, reached } from "../../outside.ts";

let here: Journey;
afterEach(() => here.close());

/** A way to fail: at which stage what goes wrong, where that ends, and what people read about it. */
interface Case {
  readonly what: string;
  readonly from?: StageName;
  readonly happens: () => unknown;
  readonly stage: StageName;
  /** Another stage in which it may fail. */
  readonly orStage?: StageName;
  readonly why: RegExp;
  readonly kubelet: "stopped" | "never started";
  /** Remark of the thread beside the failure. */
  readonly remark?: RegExp;
}

/** The deletion of the Node as soon as a stage begins. */
const deletedAt = (stage: StageName): Case => ({
  what: `the Node is deleted during ${stage}`,
  from: stage,
  happens: () => asAdministrator(here, "DELETE", `/api/v1/nodes/${launchedName(here)}`),
  stage,
  // A Node that is Ready already passes this stage before anything finds it deleted.
  ...(stage === "ready" ? { orStage: "admit" as const } : {}),
  why: /the Node was deleted outside Casement/,
  kubelet: "stopped",
});

const cases: readonly Case[] = [
  {
    what: "the VPC has DNS hostnames switched off",
    happens: () => injectFault(here, "no-dns-hostnames"),
    stage: "launch",
    why: /gave up waiting for EC2 to give i-\w+ its private DNS name/,
    kubelet: "never started",
  },
  {
    what: "the agent never comes online",
    happens: () => injectFault(here, "agent-never-online"),
    stage: "agent",
    why: /gave up waiting for the SSM agent/,
    kubelet: "never started",
  },
  {
    what: "the first boot hangs",
    happens: () => injectFault(here, "boot-hangs", {}, 1),
    stage: "agent",
    why: /gave up waiting for the SSM agent/,
    kubelet: "never started",
  },
  {
    what: "the metadata route is lost before the guard is there",
    from: "guard",
    happens: () => injectFault(here, "lose-metadata-route"),
    stage: "guard",
    why: /apply.ps1 ended as Failed/,
    kubelet: "never started",
  },
  {
    what: "the feature cannot be installed",
    happens: () => injectFault(here, "feature-install-fails"),
    stage: "features",
    why: /Containers/,
    kubelet: "never started",
  },
  {
    what: "the machine does not come back from its reboot",
    from: "features",
    happens: () => injectFault(here, "boot-hangs", {}, 1),
    stage: "features",
    why: /gave up waiting for reboot.ps1/,
    kubelet: "never started",
  },
  {
    what: "a download arrives damaged",
    from: "payload",
    happens: () => injectFault(here, "download-corrupt"),
    stage: "payload",
    why: /sha256/i,
    kubelet: "never started",
  },
  {
    what: "the kubelet asks in another node's name",
    happens: () => injectFault(here, "kubelet-wrong-csr", { how: "other-name" }),
    stage: "client-csr",
    why: /certificate request \(.*\); csr-\w+ was left pending: it requests the name/,
    kubelet: "stopped",
    remark: /csr-\w+ was left pending: it requests the name system:node:somebody-else, but no instance/,
  },
  {
    what: "the kubelet asks for a foreign address",
    from: "node",
    happens: () => injectFault(here, "kubelet-wrong-csr", { how: "extra-san" }),
    stage: "serving-csr",
    why: /certificate request \(kubelet-serving\); csr-\w+ was left pending: .* does not belong/,
    kubelet: "stopped",
    remark: /csr-\w+ was left pending: .* does not belong to the instance/,
  },
  {
    what: "the kubelet asks to be in another group too",
    happens: () => injectFault(here, "kubelet-wrong-csr", { how: "extra-organization" }),
    stage: "client-csr",
    why: /certificate request \(.*\); csr-\w+ was left pending: its organizations/,
    kubelet: "stopped",
    remark: /csr-\w+ was left pending: its organizations are/,
  },
  {
    what: "a Machine claims the instance",
    from: "payload",
    happens: () => here.simulator.kubernetes.create(machineFor(launchedId(here))),
    stage: "client-csr",
    why: /claimed by the Machine winworker-claims, whose approver is responsible for its certificates/,
    kubelet: "stopped",
  },
  {
    what: "WMCO was given the instance in windows-instances",
    from: "payload",
    happens: () => here.simulator.kubernetes.create(entryFor(launchedName(here))),
    stage: "client-csr",
    why: /claimed by the ConfigMap windows-instances/,
    kubelet: "stopped",
  },
  {
    what: "the endpoint that kube-proxy sends from cannot be attached",
    happens: () => injectFault(here, "endpoint-not-attached"),
    stage: "network",
    why: /run-task Casement network: its last result is 1: the endpoint VIPEndpoint gave this machine no address within 30 s/,
    kubelet: "stopped",
  },
  {
    what: "containerd hangs while it starts",
    happens: () => injectFault(here, "service-hangs", { service: "containerd", how: "start" }),
    stage: "configure",
    why: /service-state containerd: containerd is StartPending after 60 seconds \(process \d+\)/,
    kubelet: "stopped",
  },
  {
    what: "containerd ends with an error, and its log holds a secret",
    happens: () => injectFault(here, "service-exits", { service: "containerd" }),
    stage: "configure",
    why: /containerd is Stopped 3 seconds after its start; its exit code is 255; its log ends: .*panic: cannot go on \(/,
    kubelet: "stopped",
  },
  {
    what: "Windows does not let observe.ps1 look",
    from: "guard",
    happens: () => injectFault(here, "look-fails"),
    stage: "guard",
    why: /observe.ps1 failed on the machine: The RPC server is unavailable\./,
    kubelet: "never started",
  },
  {
    what: "the machine's clock is a day ahead",
    happens: () => injectFault(here, "clock-wrong", { how: "ahead" }),
    stage: "guard",
    why: /request: this request expired at 20.* UTC, and the clock of this machine says 20.* UTC/,
    kubelet: "never started",
  },
  {
    what: "the machine's clock is a day behind",
    happens: () => injectFault(here, "clock-wrong", { how: "behind" }),
    stage: "guard",
    why: /request: this request was made at 20.* UTC, but the clock of this machine says 20.* UTC/,
    kubelet: "never started",
  },
  {
    what: "the disk is full",
    from: "payload",
    happens: () => injectFault(here, "disk-full"),
    stage: "payload",
    why: /There is not enough space on the disk/,
    kubelet: "never started",
  },
  ...(["serving-csr", "network", "ready", "admit"] as const).map(deletedAt),
];

test.for(cases)("$what: says so, asks, and is terminated when told", async (one) => {
  here = await startJourney({ configuration: impatient });
  await here.type("operator", "/win add web");
  if (one.from) await reached(here, one.from);
  await one.happens();
  const node = await asked(here);
  expect(node).toMatchObject({ status: "deciding", failure: { why: expect.stringMatching(one.why) } });
  const stage = node.failure?.stage ?? one.stage;
  expect([one.stage, one.orStage]).toContain(stage);
  const words = wordsOf(spoken(here).channel[0] as never);
  for (const part of [stageName(stage), `Instance ${node.instanceId} is running`, "*Next:*"])
    expect(words).toContain(part);
  expect(node.failure?.left).toContain(one.kubelet);
  const thread = spoken(here).thread.map(wordsOf).join("\n");
  expect(thread).toContain("<@U0OPERATOR>, this needs a decision.");
  expect(`${words}\n${thread}`).toMatch(one.why);
  expect(JSON.stringify([here.simulator.slack.ui.messagesFor("U0OPERATOR"), node])).not.toContain("canary");
  if (one.remark) expect(thread).toMatch(one.remark);
  const kubelet = here.simulator.machines
    .describe(node.instanceId ?? "")
    ?.services.find(({ name }) => name === "kubelet");
  expect(kubelet?.state ?? "Stopped").toBe("Stopped");
  await here.press("approver", "terminate-instance");
  await settled(here);
  expect((await newest(here)).nodes[0]?.outcome).toContain("terminated by <@U0APPROVER>");
  expect(wordsOf(spoken(here).channel[0] as never)).toContain("Terminated by <@U0APPROVER>");
  await expectPutAway(here, false);
});
