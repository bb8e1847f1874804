import { describe, expect, test } from "vitest";
import type { DataPlaneFault } from "../../../lambdas/health/probe.ts";
import type { Trouble } from "../../../lambdas/health/trouble.ts";
import { troubleWords } from "../../../lambdas/messages/health/trouble.ts";

const now = "2026-11-21T14:30:00.000Z";
const before = (minutes: number): string => new Date(Date.parse(now) - minutes * 60_000).toISOString();
const words = (trouble: Trouble, isObserved = false) => troubleWords(trouble, { node: "win-1", now, isObserved });

const AGAIN = "`{win} why win-1` checks again.";
const REBOOT =
  "`{win} reboot win-1 --ec2` reboots it through EC2, once a person approved it: the route guard runs at start-up.";
const ROUTE = "At the console of the machine: `route add 169.254.169.254 mask 255.255.255.255 &lt;gateway&gt;`.";
const SET_CLOCK =
  "At the console of the machine: `w32tm /query /status` names its time source, `w32tm /resync /force` sets the clock.";
const CLOCK = `${SET_CLOCK} ${AGAIN}`;
const PROBED = "Check the node's container network and kube-proxy";
const WAY_OUT =
  "Check the route table of the node's subnet (NAT gateway), its security group, the egress firewall, and whether the host translates the addresses of pods (SNAT)";

const MOVED = `\`{win} reboot win-1\` evicts its pods, so that others take their place, and proves the node. ${AGAIN}`;

const THROUGH_EC2 = `The EC2 console shows its screen (*Actions*, *Monitor and troubleshoot*, *Get instance screenshot*). \`{win} reboot win-1\` reboots it through EC2, once a person approved it: agent and route guard run at start-up. ${ROUTE}`;

const silent = (kind: "no-profile" | "kubelet-reports" | "kubelet-silent" | "none"): Trouble => ({
  ...{ kind: "agent-silent", since: before(12), evidence: { kind } },
});

const down = (state: string, because = "") => ({ kind: "instance-down", instanceId: "i-0a", state, because }) as const;
const service = (exitCode: number, log = "") =>
  ({ kind: "service-down", service: "kubelet", state: "Stopped", exitCode, log }) as const;
const request = (name: string, minutes: number) => ({ name, since: before(minutes) });
const plane = (fault: DataPlaneFault, more: object = {}): Trouble => ({
  ...{ kind: "data-plane", fault, from: null },
  ...more,
});

const sentences: readonly (readonly [Trouble, says: string, next: string])[] = [
  [down("stopped"), "The instance `i-0a` is stopped.", `Start the instance in the EC2 console. ${AGAIN}`],
  [
    down("stopping", "Client.UserInitiatedShutdown."),
    "The instance `i-0a` is stopping: EC2 says Client.UserInitiatedShutdown.",
    `Start the instance in the EC2 console. ${AGAIN}`,
  ],
  [down("terminated"), "The instance `i-0a` is terminated.", "`{win} remove win-1` removes what is left of the node."],
  [
    { kind: "status-impaired", of: "system" },
    "EC2's system status check fails: the host under the instance has a fault.",
    `Stop the instance in the EC2 console and start it again: it moves to another host. ${AGAIN}`,
  ],
  [
    { kind: "status-impaired", of: "volumes" },
    "EC2's check of the attached volumes fails: one of its volumes does not answer, the root volume or a pod's.",
    `The EC2 console shows which (*Storage*, then the status checks of each volume). If it is the root volume, stop the instance and start it again. ${AGAIN}`,
  ],
  [
    { kind: "status-impaired", of: "instance" },
    "EC2's instance status check fails: the operating system does not answer on the network.",
    `Check the screenshot in the EC2 console. ${REBOOT} ${AGAIN}`,
  ],
  [
    { kind: "agent-missing" },
    "No SSM agent of this instance is registered.",
    "`{win} doctor` checks the instance role and the route to Systems Manager.",
  ],
  [
    silent("no-profile"),
    "The SSM agent does not answer for 12m: EC2 says that the instance has no instance profile, so the agent has no credentials.",
    `Attach the pool's instance profile in the EC2 console (*Actions*, *Security*, *Modify IAM role*). The agent finds it within an hour, or at its next start. ${AGAIN}`,
  ],
  [
    { kind: "agent-silent", since: before(12), evidence: { kind: "many", silent: 12, of: 30 } },
    "The SSM agent does not answer for 12m, like 12 of 30 agents of the cluster: the cause is most likely what they share.",
    "Check the interface endpoints of Systems Manager or the NAT gateway, their security groups, and the instance role. `{win} doctor` names the silent machines. A reboot of one of them helps only if its cause is its own.",
  ],
  [
    { kind: "agent-silent", since: before(12), evidence: { kind: "clock-ahead", byMs: 86_400_000 } },
    "The SSM agent does not answer for 12m, and its kubelet reports with a time 24h from now: the machine's clock is ahead, and AWS refuses what it signs.",
    CLOCK,
  ],
  [
    { kind: "agent-silent", since: before(12), evidence: { kind: "clock-behind", byMs: 86_400_000 } },
    "The SSM agent does not answer for 12m, and its kubelet's last report is 24h old although its Node is Ready: most likely the machine's clock is behind, and AWS refuses what it signs.",
    CLOCK,
  ],
  [
    silent("kubelet-reports"),
    "The SSM agent does not answer for 12m, although its kubelet reports: Windows runs and has a network.",
    `Likely, in this order: the service \`AmazonSSMAgent\` is stopped, disabled or blocked; the route to the metadata service is lost; the way to Systems Manager is closed, by a security group, an endpoint or a proxy. ${THROUGH_EC2}`,
  ],
  [
    silent("kubelet-silent"),
    "The SSM agent does not answer for 12m, and neither does its kubelet.",
    `Likely, in this order: Windows hangs in its boot or installs updates; it has lost its network; the route to the metadata service is lost. ${THROUGH_EC2}`,
  ],
  [
    silent("none"),
    "The SSM agent does not answer for 12m.",
    `Likely, in this order: Windows hangs in its boot or installs updates; the service \`AmazonSSMAgent\` is stopped, disabled or blocked; the route to the metadata service is lost. ${THROUGH_EC2}`,
  ],
  [
    { kind: "clock-wrong", byMs: -3 * 3_600_000 },
    "The machine's clock is 3h behind: AWS refuses what it signs, and Casement's orders expire on it.",
    `${SET_CLOCK} It needs a route to Amazon Time Sync, \`169.254.169.123\`. ${AGAIN}`,
  ],
  [
    { kind: "disk-low", freeBytes: 3.4 * 1024 ** 3, sizeBytes: 100 * 1024 ** 3 },
    "The system drive is nearly full: 3 of 100 GB are free. Images cannot be pulled, and kubelet and scripts may fail.",
    `The kubelet removes unused images. Remove what else fills the drive, such as logs and dumps, in Session Manager; or add a node with a larger drive, then run \`{win} remove win-1\`. ${AGAIN}`,
  ],
  [
    { kind: "agent-fails", words: "plugin exited" },
    "The SSM agent takes commands, but cannot run them: plugin exited. This happens where the metadata route is missing.",
    `The route guard retries every minute. ${AGAIN} ${REBOOT} ${ROUTE}`,
  ],
  [
    { kind: "agent-blocked", words: "failed to run commands: fork/exec powershell.exe: blocked by group policy." },
    "The SSM agent takes commands, but Windows does not let it start PowerShell: failed to run commands: fork/exec powershell.exe: blocked by group policy.",
    `A policy (AppLocker, Software Restriction, App Control) or a virus scanner blocks it: allow \`powershell.exe\` to the account SYSTEM there. A reboot does not help. ${AGAIN}`,
  ],
  [
    { kind: "agent-before-boot", lastPingAt: before(9), bootedAt: before(4) },
    "The SSM agent has not reported since the boot: its last report is 5m older.",
    AGAIN,
  ],
  [
    { kind: "same-boot", bootId: "b-1", askedAt: before(20) },
    "The machine has not rebooted since 20m ago: its boot `b-1` is the same.",
    `${REBOOT} ${AGAIN}`,
  ],
  [
    { kind: "same-boot", bootId: null, askedAt: before(20) },
    "The machine has not rebooted since 20m ago: its boot is the same.",
    `${REBOOT} ${AGAIN}`,
  ],
  [
    { kind: "metadata-silent", guardError: "" },
    "The metadata service does not answer on the machine.",
    `The route guard retries every minute. ${AGAIN} ${ROUTE}`,
  ],
  [
    { kind: "metadata-silent", guardError: "no gateway." },
    "The metadata service does not answer on the machine. The route guard says: no gateway.",
    `The route guard retries every minute. ${AGAIN} ${ROUTE}`,
  ],
  [
    { kind: "routes-missing", prefixes: ["169.254.169.254/32", "169.254.169.253/32"] },
    "2 of the 6 routes from the machine to AWS's services are missing or use the wrong adapter: `169.254.169.254/32`, `169.254.169.253/32`.",
    `The route guard repairs them every minute. ${AGAIN}`,
  ],
  [
    { kind: "service-missing", service: "kubelet" },
    "The Windows service `kubelet` does not exist.",
    "The machine was changed outside Casement. Add a node, then run `{win} remove win-1`.",
  ],
  [
    service(0),
    "The Windows service `kubelet` is Stopped.",
    `Start it in Session Manager: \`Start-Service kubelet\`. ${AGAIN}`,
  ],
  [
    service(1077),
    "The Windows service `kubelet` is Stopped and was not started since the boot.",
    `Start it in Session Manager: \`Start-Service kubelet\`. ${AGAIN}`,
  ],
  [
    service(2, "panic: no certificate"),
    "The Windows service `kubelet` is Stopped, exit code 2. Its log ends: panic: no certificate",
    `Start it in Session Manager: \`Start-Service kubelet\`. ${AGAIN}`,
  ],
  [
    { kind: "service-exits", service: "kubelet", times: 5, last: before(2), log: "panic: no certificate" },
    "The Windows service `kubelet` exited 5 times in the last hour, last 2m ago. Its log ends: panic: no certificate",
    `\`{win} restart win-1\` restarts the node's services, and pods stay. If \`kubelet\` exits again, its log names the cause: a change of its configuration, or of what it reaches. ${AGAIN}`,
  ],
  [
    { kind: "network-missing", network: "OVNKubernetesHybridOverlayNetwork" },
    "The container network `OVNKubernetesHybridOverlayNetwork` does not exist: pods get no address.",
    `\`hybrid-overlay-node\` creates it when it starts: \`Restart-Service hybrid-overlay-node\` in Session Manager. ${AGAIN}`,
  ],
  [
    { kind: "endpoint-missing", endpoint: "VIPEndpoint" },
    "The endpoint `VIPEndpoint` is not attached to the machine: kube-proxy cannot reach pods from it.",
    `Run the task \`Casement network\` in Session Manager: \`Start-ScheduledTask "Casement network"\`. ${AGAIN}`,
  ],
  [
    { kind: "hns-restarted", at: before(15), pods: [] },
    "The Host Networking Service (HNS) restarted 15m ago, after kube-proxy started: load balancers of Services are lost.",
    `\`{win} restart win-1\` restarts kube-proxy, which makes them again; pods stay. ${AGAIN}`,
  ],
  [
    { kind: "hns-restarted", at: before(15), pods: ["shop/a", "shop/b"] },
    "The Host Networking Service (HNS) restarted 15m ago, after kube-proxy started: load balancers of Services are lost. 2 pods on the node have no endpoint in HNS and so no network: `shop/a`, `shop/b`.",
    MOVED,
  ],
  [
    { kind: "pods-without-endpoint", pods: ["shop/a"] },
    "1 pod on the node has no endpoint in HNS and so no network: `shop/a`.",
    MOVED,
  ],
  [
    { kind: "requests-waiting", requests: [request("csr-1", 4)] },
    "1 certificate request of this node waits for approval: `csr-1` (4m).",
    "`{win} doctor` checks the approvers. By hand: `kubectl certificate approve csr-1`.",
  ],
  [
    { kind: "requests-waiting", requests: [request("csr-1", 4), request("csr-2", 3)] },
    "2 certificate requests of this node wait for approval: `csr-1` (4m), `csr-2` (3m).",
    "`{win} doctor` checks the approvers. By hand: `kubectl certificate approve csr-1`.",
  ],
  [
    {
      kind: "requests-waiting",
      requests: [{ ...request("csr-1", 4), by: "system:serviceaccount:ns:node-bootstrapper" }],
    },
    "1 certificate request of this node waits for approval: `csr-1` (4m, by `system:serviceaccount:ns:node-bootstrapper`).",
    "`{win} doctor` checks the approvers. The node itself did not ask: `kubectl describe csr csr-1` shows who did. Deny it unless this machine is joining.",
  ],
  [
    { kind: "not-registered" },
    "The cluster has no Node for this machine.",
    "`{win} node win-1` shows what is known about it.",
  ],
  [
    { kind: "heartbeat-old", heartbeatAt: before(15) },
    "The kubelet's last report is 15m old, or from before the last boot.",
    "The kubelet runs but does not reach the API server, or does not run. `{win} doctor` checks the API server; the log is `C:\\var\\log\\kubelet\\kubelet.log`.",
  ],
  [
    { kind: "not-ready", status: "False", reason: "KubeletNotReady", message: "CNI is down." },
    "The node is not Ready (False): KubeletNotReady: CNI is down.",
    "The log of the kubelet is `C:\\var\\log\\kubelet\\kubelet.log`. If this persists, add a node, then run `{win} remove win-1`.",
  ],
  [
    { kind: "not-ready", status: "Unknown", reason: "NodeStatusUnknown", message: "" },
    "The node is not Ready (Unknown): NodeStatusUnknown.",
    "The log of the kubelet is `C:\\var\\log\\kubelet\\kubelet.log`. If this persists, add a node, then run `{win} remove win-1`.",
  ],
  [
    { kind: "cordoned", by: "drain-3f9c2a71" },
    "The node is cordoned by `drain-3f9c2a71`.",
    "`{win} uncordon win-1` lets pods start on it again.",
  ],
  [
    { kind: "cordoned", by: null },
    "The node is cordoned, not by Casement.",
    "`{win} uncordon win-1` lets pods start on it again.",
  ],
  [
    { kind: "cordoned", by: null, quarantined: true },
    "The node is quarantined: two of its reboots could not be verified within a day. It stays cordoned until someone takes it out of quarantine.",
    `When it works: \`{win} uncordon win-1 --quarantined win-1\`. ${AGAIN}`,
  ],
  [
    { kind: "tainted", taints: ["node.kubernetes.io/disk-pressure:NoSchedule"] },
    "The node has 1 taint that keeps pods away: `node.kubernetes.io/disk-pressure:NoSchedule`.",
    `Kubernetes removes its own taints when their cause is gone. ${AGAIN}`,
  ],
  [
    {
      kind: "tainted",
      taints: ["karpenter.sh/disrupted:NoSchedule"],
      marks: [{ key: "karpenter.sh/disrupted", by: "karpenter", since: "2026-11-21T11:00:00Z", isLeft: true }],
    },
    "The node has 1 taint that keeps pods away: `karpenter.sh/disrupted:NoSchedule`.",
    `Kubernetes removes its own taints when their cause is gone. \`karpenter.sh/disrupted\` is at least 3h30m old. Its controller left it behind: \`kubectl taint node win-1 karpenter.sh/disrupted-\` lets pods start on it. ${AGAIN}`,
  ],
  [
    { kind: "tainted", taints: ["casement.dev/starting:NoSchedule", "example.com/x:NoExecute"] },
    "The node has 2 taints that keep pods away: `casement.dev/starting:NoSchedule`, `example.com/x:NoExecute`.",
    `A Node that registers anew keeps \`casement.dev/starting\`. If no operation works on it, \`kubectl taint node win-1 casement.dev/starting-\` lets pods start on it. ${AGAIN}`,
  ],
  [
    { kind: "tainted-by-others", taints: ["a/x:NoSchedule"], keys: ["a/x"] },
    "Another controller, or a person, gave the node 1 taint that keeps pods away: `a/x:NoSchedule`.",
    `Once nothing needs it: \`kubectl taint node win-1 a/x-\`. ${AGAIN}`,
  ],
  [
    {
      kind: "tainted-by-others",
      taints: ["a/x:NoSchedule", "a/x:NoExecute", "b=c:NoSchedule"],
      keys: ["a/x", "b"],
    },
    "Another controller, or a person, gave the node 3 taints that keep pods away: `a/x:NoSchedule`, `a/x:NoExecute`, `b=c:NoSchedule`.",
    `Once nothing needs them: \`kubectl taint node win-1 a/x-\`, \`kubectl taint node win-1 b-\`. ${AGAIN}`,
  ],
  [
    plane("start", { words: "no sandbox." }),
    "A pod on the node gets no network: the kubelet cannot create its sandbox (event FailedCreatePodSandBox). The kubelet says: no sandbox.",
    `${PROBED}. ${AGAIN}`,
  ],
  [plane("dns"), "A pod on the node cannot resolve cluster DNS names.", `${PROBED}. ${AGAIN}`],
  [plane("api"), "A pod on the node cannot reach the service kubernetes.default.", `${PROBED}. ${AGAIN}`],
  [
    plane("metadata"),
    "A pod on the node reaches the instance metadata service, and with it the node's role.",
    `${PROBED}. ${AGAIN}`,
  ],
  [
    plane("host"),
    "A pod on the node is reached from another node, but not from its own host: every readiness probe fails.",
    `${PROBED}. ${AGAIN}`,
  ],
  [
    plane("outside", { words: "registry.example.com:443" }),
    "A pod on the node does not reach a host outside of the cluster, which a pod on a Linux node reaches (`registry.example.com:443`).",
    `${WAY_OUT}. ${AGAIN}`,
  ],
  [
    plane("unreached", { from: "linux-1", at: before(30) }),
    "A pod on the node cannot be reached from another node (`linux-1`). The probe failed 30m ago.",
    `${PROBED}, or reboot it with \`{win} reboot win-1\`: it takes pods again once the reboot is proven.`,
  ],
  [
    { kind: "guard-broken", what: "missing", error: "" },
    "The route guard is not on the machine: after a reboot no command would reach it.",
    `Do not reboot the machine: \`{win} guard win-1\` installs the guard. ${AGAIN}`,
  ],
  [
    { kind: "guard-broken", what: "disabled", error: "" },
    "The task of the route guard is missing or disabled: after a reboot no command would reach the machine.",
    `Do not reboot the machine: \`{win} guard win-1\` installs the guard. ${AGAIN}`,
  ],
  [
    { kind: "guard-broken", what: "failing", error: "exit 1." },
    "The last run of the route guard failed: exit 1.",
    `Do not reboot the machine: \`{win} guard win-1\` installs the guard. ${AGAIN}`,
  ],
  [
    { kind: "guard-broken", what: "failing", error: "" },
    "The last run of the route guard failed.",
    `Do not reboot the machine: \`{win} guard win-1\` installs the guard. ${AGAIN}`,
  ],
];

describe("What is wrong with a node", () => {
  test.each(sentences.map(([trouble, says, next]) => [says, next, trouble] as const))(
    "reads %s",
    (says, next, trouble) => {
      expect(words(trouble)).toMatchObject({ says, next });
    },
  );

  test.each<readonly [string | undefined, Trouble]>([
    [undefined, down("stopped")],
    [undefined, down("stopping")],
    ["remove win-1", down("terminated")],
    ["reboot win-1 --ec2", { kind: "status-impaired", of: "instance" }],
    [undefined, { kind: "status-impaired", of: "system" }],
    ["reboot win-1 --ec2", { kind: "agent-fails", words: "x" }],
    ["reboot win-1", silent("none")],
    [undefined, silent("no-profile")],
    [undefined, { kind: "agent-silent", since: null, evidence: { kind: "many", silent: 12, of: 30 } }],
    ["reboot win-1", { kind: "network-missing", network: "x" }],
    ["reboot win-1", { kind: "endpoint-missing", endpoint: "x" }],
    ["reboot win-1", plane("dns")],
    ["uncordon win-1", { kind: "cordoned", by: null }],
    [undefined, { kind: "cordoned", by: "drain-3f9c2a71" }],
    [undefined, { kind: "cordoned", by: null, quarantined: true }],
    ["guard win-1", { kind: "guard-broken", what: "missing", error: "" }],
  ])("has the button for %s where a command helps", (command, trouble) => {
    expect(words(trouble).press?.command).toBe(command);
  });

  test("names of a machine that Casement only observes what its owner can do, and no command of Casement's", () => {
    const { next, press } = words(silent("kubelet-silent"), true);
    expect(next).toContain("Likely, in this order: Windows hangs in its boot");
    expect(next).toContain("No route guard of Casement's is known on this machine");
    expect(press).toBeUndefined();
    expect(words({ kind: "status-impaired", of: "instance" }, true).next).toBe(
      `Check the screenshot in the EC2 console. Its owner decides about a reboot. ${AGAIN}`,
    );
    expect(words({ kind: "status-impaired", of: "instance" }, true).press).toBeUndefined();
  });
});
