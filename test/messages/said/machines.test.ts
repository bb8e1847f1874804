import { expect, test } from "vitest";
import { strayEndMessage, strayMessage } from "../../../lambdas/capabilities/reboot-watch/strays-message.ts";
import {
  fleetRecoveredMessage,
  fleetReminder,
  fleetTroubleMessage,
  fleetTroubleNotice,
} from "../../../lambdas/capabilities/sweep/fleet-call-message.ts";
import type { FleetNode, FleetTrouble } from "../../../lambdas/health/fleet-trouble.ts";
import { fleetTroubleOf } from "../../../lambdas/health/fleet-trouble.ts";
import { commonOutcome, groupBlocks, sameFailureMessage } from "../../../lambdas/messages/fleet/failure-group.ts";
import { sharedWords } from "../../../lambdas/messages/fleet/shared-traits.ts";
import {
  type AssistPlan,
  type AssistRefusal,
  assistanceBusy,
  assistanceOfAnother,
  assistDryRun,
  assistEndDryRun,
  assistLeaves,
  assistPlanCard,
  assistRefused,
  assistSummary,
  notAssisted,
} from "../../../lambdas/messages/node/assist.ts";
import {
  lookFailed,
  machinesMessage,
  sentenceOf,
  type UnavailableService,
  unavailable,
  withoutEc2,
} from "../../../lambdas/messages/node/away.ts";
import { nodeMessage } from "../../../lambdas/messages/node/details.ts";
import { troubleRemedy, troubleSays } from "../../../lambdas/messages/node/machine-troubles.ts";
import { missing } from "../../../lambdas/messages/node/why.ts";
import { type Decider, signingRequest } from "../../../lambdas/messages/provision/signing-requests.ts";
import { say } from "../../../lambdas/messages/slack/blocks.ts";
import type { NodeRecord } from "../../../lambdas/records/records.ts";
import { decidingRecord, NOW, nodeRecord, operationRecord, settings } from "../records.ts";
import { each, written } from "./written.ts";

const SINCE = "2026-11-21T14:00:00.000Z";
const node = (at: number, more: Partial<FleetNode> = {}): FleetNode => ({
  ...{ node: `win-${at}`, pool: "web", zone: "us-west-2a", subnet: "subnet-1", image: "ami-1" },
  ...{ update: "10.0.20348.4052", type: "m6i.xlarge", startedAt: null },
  ...{ notReadySince: SINCE, agentSilentSince: SINCE, cause: { kind: "kubelet-silent", isAgentSilent: true } },
  ...{ isHeld: false, isOwn: true, ...more },
});
const troubleOf = (nodes: readonly FleetNode[], kind: FleetTrouble["kind"] = "not-ready"): FleetTrouble => {
  const called = nodes.map((one) => one.node);
  const trouble = fleetTroubleOf(kind, nodes, called, { most: "30%", now: Date.parse(NOW) });
  if (!trouble) throw new Error("there is no trouble");
  return trouble;
};
const causes: readonly NonNullable<FleetNode["cause"]>[] = [
  { kind: "instance", state: "stopped" },
  { kind: "kubelet-silent", isAgentSilent: true },
  { kind: "kubelet-silent", isAgentSilent: false },
  { kind: "kubelet-unready", reason: "KubeletNotReady", message: "container runtime is down" },
  { kind: "kubelet-unready", reason: "KubeletNotReady", message: "" },
  { kind: "no-profile" },
  { kind: "agent-silent" },
];
const well = node(8, { notReadySince: null, agentSilentSince: null, cause: null, zone: "us-west-2b" });
const ready = (at: number): FleetNode => node(at, { notReadySince: null, cause: { kind: "agent-silent" } });
const troubles: Readonly<Record<string, FleetTrouble>> = {
  "of every cause": troubleOf(causes.map((cause, at) => node(at, { cause }))),
  "of some nodes": troubleOf([node(1), node(2), well]),
  "of two pools": troubleOf([node(1), node(2, { pool: "batch" }), node(3, { pool: null }), well]),
  "of more pools than it has buttons for": troubleOf(
    Array.from({ length: 7 }, (_, at) => node(at, { pool: `p${at}` })),
  ),
  "of nodes that are held or not its own": troubleOf([node(1, { isHeld: true }), node(2, { isOwn: false })]),
  "of more causes than it tells": troubleOf(
    Array.from({ length: 12 }, (_, at) => node(at, { cause: { kind: "instance", state: `state ${at}` } })),
  ),
  "of names that end alike": troubleOf([
    node(1, { node: "win.a.example.com" }),
    node(2, { node: "win.b.example.com" }),
  ]),
  "of agents": troubleOf([ready(1), ready(2), well], "agents-silent"),
};

test("A call about many nodes says how many, why, what they share and the next step", async () => {
  const holder = { userId: "U0OPERATOR", since: SINCE, until: "2026-11-21T18:00:00.000Z" };
  const called = ["S0ONCALL", "U0OPERATOR"];
  const call = { kind: "not-ready", since: SINCE, nodes: [], pagedAt: null, ts: "1.0", shown: "" } as const;
  const agents = { ...call, kind: "agents-silent" } as const;
  const poolTrait = { trait: "pool", value: "web" } as const;
  const words = written({
    ...each("call", troubles, (one) => fleetTroubleMessage(one, { called: [], isDispensable: true })),
    "call of people": fleetTroubleMessage(troubleOf([node(1), node(2)]), { called, holder, isDispensable: false }),
    ...each("reminder", troubles, (one) => fleetReminder(one, called, NOW)),
    "reminder to nobody": fleetReminder(troubleOf([node(1), node(2)]), [], NOW),
    ...each("notice", troubles, fleetTroubleNotice),
    "all are Ready": fleetRecoveredMessage(call, [well, { ...well, node: "win-9" }], NOW),
    "one is NotReady": fleetRecoveredMessage(call, [well, node(1)], NOW),
    "two are NotReady": fleetRecoveredMessage(call, [well, node(1), node(2)], NOW),
    "all agents report": fleetRecoveredMessage(agents, [well], NOW),
    "an agent is silent": fleetRecoveredMessage(agents, [well, node(1), node(2, { isOwn: false })], NOW),
    "they share nothing": sharedWords({ values: [], startedSince: null }, "no Ready node"),
    "they share a zone": sharedWords({ values: [{ trait: "zone", value: "a" }], startedSince: null }, "no Ready node"),
    "they share two traits and a start": sharedWords(
      { values: [poolTrait, { trait: "update", value: "1" }], startedSince: SINCE },
      "no other node",
    ),
  });
  await expect(words).toMatchFileSnapshot("fleet-calls.txt");
});

const failed = (index: number, more: Partial<NodeRecord> = {}): NodeRecord =>
  decidingRecord({ index, nodeName: `win-${index}`, instanceId: `i-${index}`, failedAt: SINCE, ...more });
const groups: Readonly<Record<string, readonly NodeRecord[]>> = {
  "that waits": [failed(1), failed(2)],
  "of many": Array.from({ length: 10 }, (_, at) => failed(at)),
  "that was not judged": [failed(1, { unjudgedBy: "U0OPERATOR" }), failed(2)],
  "that is kept": [failed(1, { status: "failed", keptAt: NOW }), failed(2, { status: "failed", keptAt: NOW })],
  "that has ended": [failed(1, { status: "failed", outcome: "terminated" }), failed(2, { status: "failed" })],
  "without a deadline": [failed(1, { decideBy: null }), failed(2, { decideBy: null })],
  "of no failure": [nodeRecord()],
  "of none": [],
};

test("Machines that fail together, stray or lack a certificate are told with the next step", async () => {
  const stray = (kind: "no-node" | "stopped" | "starting", at: number, pool: string | null = "web") => ({
    ...{ kind, instanceId: `i-${at}`, node: kind === "starting" ? `win-${at}` : null, pool },
  });
  const kinds = { "no Node": "no-node", stopped: "stopped", starting: "starting" } as const;
  const by: Decider = { program: "kubectl", reason: "KubectlApprove", message: "ok" };
  const deciders: Readonly<Record<string, Decider>> = {
    kubectl: by,
    "the machine approver": { program: "x", reason: "NodeCSRApprove", message: "" },
    "the Windows operator": { program: "x", reason: "WMCOApprove", message: "" },
    "the controller manager": { program: "x", reason: "AutoApproved", message: "" },
    "a program": { program: `approver${"x".repeat(70)}`, reason: "Mine", message: "m".repeat(210) },
    nobody: { program: null, reason: "", message: "" },
  };
  const nameless = failed(1, { nodeName: null, instanceId: null });
  const words = written({
    ...each("group", groups, (nodes) =>
      groupBlocks(nodes, operationRecord(), settings, 1_000)
        .map((block) => JSON.stringify(block))
        .join("\n"),
    ),
    "common outcome": commonOutcome([failed(1, { outcome: "kept" }), failed(2, { outcome: "kept" })]),
    "no common outcome": commonOutcome([failed(1, { outcome: "kept" }), failed(2)]),
    "same failure": sameFailureMessage(failed(2), failed(1), settings, NOW),
    "same failure as an instance": sameFailureMessage(failed(2), failed(1, { nodeName: null }), settings, NOW),
    "same failure as a number": sameFailureMessage(failed(2, { failure: null }), nameless, settings, NOW),
    ...each("one stray", kinds, (kind) => strayMessage(kind, [stray(kind, 1)])),
    ...each("one stray without a pool", kinds, (kind) => strayMessage(kind, [stray(kind, 1, null)])),
    ...each("strays", kinds, (kind) => strayMessage(kind, [stray(kind, 1), stray(kind, 2)])),
    ...each("one stray's end", kinds, (kind) => strayEndMessage(kind, [stray(kind, 1)])),
    ...each("strays' end", kinds, (kind) => strayEndMessage(kind, [stray(kind, 1), stray(kind, 2)])),
    "left pending": signingRequest.leftPending("csr-1", "another name"),
    ...each("approved", deciders, (one) => signingRequest.approvedByOthers("csr-1", one)),
    "approved wrongly": signingRequest.approvedWrongly("csr-1", "another name", by, "win-1"),
    denied: signingRequest.denied("csr-1", by),
    "asked again": signingRequest.askedAgain("win-1"),
    "registered anyhow": signingRequest.registeredAnyhow("win-1"),
    "taken over": signingRequest.takenOver("csr-1", "win-1"),
  });
  expect(() => strayMessage("no-node", [])).toThrow(new RangeError("a message on strays needs one"));
  await expect(words).toMatchFileSnapshot("failures-and-strays.txt");
});

const owner = { kind: "machine-set", owner: "winworker" } as const;
const fault = { kind: "other-name", instanceId: "i-0a", node: "win-1", wanted: "win-2" } as const;
const assistRefusals: readonly AssistRefusal[] = [
  ...(["linux", "control-plane", "no-instance", "launched-by-us", "no-owner", "agent-silent"] as const).map((kind) => ({
    kind,
  })),
  { kind: "launched-and-owned", owner },
  { kind: "not-of-cluster", instanceId: "i-0a", clusterId: "prod-x7k2p" },
  { kind: "assisted", operation: "assist-1" },
  { kind: "identity", fault },
  { kind: "busy", operation: "drain-1" },
  { kind: "no-profile", instanceId: "i-0a" },
  { kind: "no-agent", instanceId: "i-0a" },
];
const assist: AssistPlan = {
  ...{ node: "win-1", instanceId: "i-0a", machineName: "win-1", owner, others: [], unread: [], before: "none" },
};

test("An assistance says whose machine it is, what Casement will do and what is left", async () => {
  const owners = [
    "auto-scaling-group",
    "machine-set",
    "machine",
    "windows-instances",
    "karpenter",
    "node-group",
  ] as const;
  const verdicts = ["tag-of-others", "tag-gone", "started-anew", "another-owner", "unfinished"] as const;
  const words = written({
    ...each("refused", Object.fromEntries(assistRefusals.map((one) => [one.kind, one])), (one) =>
      assistRefused(one, "win-1"),
    ),
    "not assisted": notAssisted("win-1"),
    "of another": assistanceOfAnother("win-1", fault),
    busy: assistanceBusy("win-1", "drain-1"),
    ...each("card", Object.fromEntries(owners.map((kind) => [kind, kind])), (kind) =>
      assistPlanCard({ ...assist, owner: { kind, owner: "x" } }),
    ),
    ...each("before", Object.fromEntries(verdicts.map((one) => [one, one])), (before) =>
      assistPlanCard({ ...assist, before }),
    ),
    "card of another name": assistPlanCard({ ...assist, machineName: "win-2" }),
    "card beside others": assistPlanCard({
      ...{ ...assist, unread: ["health checks"] },
      others: [
        { kind: "owner", owner },
        { kind: "kured", acting: true },
      ],
    }),
    "card of the owner alone": assistPlanCard({ ...assist, others: [{ kind: "owner", owner }] }),
    "dry run": assistDryRun(assist),
    "dry run of the end": assistEndDryRun("win-1"),
    ...each("summary", { begun: assistSummary.begun, ended: assistSummary.ended }, (says) => says("win-1")),
    "ended with the guard": assistSummary.endedWithGuard("win-1"),
    cancelled: assistSummary.cancelled("left"),
    failed: assistSummary.failed("left"),
    "not ended": assistSummary.notEnded("left"),
    "leaves a guard": assistLeaves.guard("no answer"),
    "leaves a tag": assistLeaves.tag("403"),
    "lost whole": assistLeaves.lost("win-1", true),
    "lost in the middle": assistLeaves.lost("win-1", false),
  });
  await expect(words).toMatchFileSnapshot("assistance.txt");
});

const silent: UnavailableService = { service: "ec2", host: null, reason: { kind: "silent", seconds: 6 } };
const services: Readonly<Record<string, UnavailableService>> = {
  "EC2, silent": silent,
  "SSM, with a reason": { service: "ssm", host: null, reason: { kind: "answered", with: "400", words: "Throttled." } },
  "Kubernetes, with a status": {
    ...{ service: "kubernetes", host: "api.example.com", reason: { kind: "answered", with: "503", words: null } },
  },
  "Kubernetes, failed": { service: "kubernetes", host: null, reason: { kind: "failed", words: "ECONNREFUSED." } },
};
const row = (at: number, more: object = {}) => ({
  ...{ instanceId: `i-0ab12cd34ef56789${at}`, state: "running", pool: "web", name: `win-${at}.example.com` },
  ...{ zone: "us-west-2a", launchedAt: SINCE, ...more },
});
const details = {
  ...{ name: "win-1", status: "Ready", roles: ["worker"], pool: "web", createdAt: SINCE, version: "v1.34.0" },
  ...{ build: "10.0.20348", instanceId: "i-0a", osImage: "Windows Server 2022", containerRuntime: "containerd://1.7" },
  ...{ addresses: ["10.0.0.4"], instanceType: "m6i.large", zone: "us-west-2a", instanceState: "running" },
  ...{
    ownership: "managed",
    taints: ["os=Windows:NoSchedule"],
    conditions: [],
    pods: [],
    heldBy: null,
  },
} as unknown as Parameters<typeof nodeMessage>[0];

test("A look says what it could not read, and a trouble what helps", async () => {
  const condition = { type: "Ready", status: "True", reason: "KubeletReady", since: SINCE };
  const kinds = {
    "a service that exits": { kind: "service-exits", service: "kubelet", times: 3 },
    "a service that is stopped": { kind: "service-stopped", service: "kubelet" },
    "a service that is absent": { kind: "service-absent", service: "kubelet" },
    "lost routes": { kind: "routes-lost", times: 3 },
    "a restarted HNS": { kind: "hns-restarted" },
    "a full drive": { kind: "disk-low" },
  } as const;
  const words = written({
    ...each("service", services, sentenceOf),
    ...each("machines", services, (one) => machinesMessage(one, [row(1), row(2)], NOW)),
    "no machine": machinesMessage(silent, [], NOW),
    "machines of several pools": machinesMessage(silent, [row(1), row(2, { pool: null, state: "stopped" })], NOW),
    "neither service": machinesMessage(silent, silent, NOW),
    "without EC2": withoutEc2(say("Nodes"), silent),
    "look failed": lookFailed("List the nodes", "403."),
    unavailable: unavailable("EC2", "Request limit exceeded."),
    details: nodeMessage(details, NOW),
    "details of a held node": nodeMessage(
      { ...details, heldBy: "drain-1", pods: ["shop/a", "shop/b"], conditions: [condition], taints: [], pool: null },
      NOW,
    ),
    "details of a node without an instance": nodeMessage(
      { ...details, instanceId: null, instanceType: null, zone: null, instanceState: null, build: null },
      NOW,
    ),
    "details of many pods and conditions": nodeMessage(
      {
        ...details,
        pods: Array.from({ length: 31 }, (_, at) => `shop/pod-${at}`),
        conditions: Array.from({ length: 16 }, (_, at) => ({ ...condition, type: `Type${at}` })),
      },
      NOW,
    ),
    ...each("trouble", kinds, (one) => troubleSays(one, "`win-1`")),
    ...each("remedy", kinds, (one) => troubleRemedy(one, "win-1")),
    "not running": missing.notRunning("stopped"),
    "no answer": missing.noAnswer(20),
    failed: missing.failed("403"),
    "not sent": missing.notSent("403"),
  });
  await expect(words).toMatchFileSnapshot("machines.txt");
});
