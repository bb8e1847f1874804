import { expect, test } from "vitest";
import {
  goneBeforeRestart,
  notRestartedSummary,
  notRestartedYet,
  notTried,
  ofWitness,
  restartDryRun,
  restartedSummary,
  restartPlanCard,
} from "../../../lambdas/capabilities/reboot/restart-message.ts";
import { proxiedMachine } from "../../../lambdas/messages/node/agent-proxy.ts";
import { bootCauseWords, type ForeignBootNews, foreignBootsMessage } from "../../../lambdas/messages/node/boots.ts";
import { staysInService } from "../../../lambdas/messages/node/breaker.ts";
import { guardBlocks } from "../../../lambdas/messages/node/guard.ts";
import { lateMachines, screenshotButtons } from "../../../lambdas/messages/node/late.ts";
import {
  ec2RefusedReboot,
  goneBeforeReboot,
  guardNotReady,
  keepsEnding,
  machineNotReady,
  notKnownYet,
  notProbed,
  notProvenSummary,
  notProvenYet,
  notRebootedSummary,
  provenSummary,
  rebootDryRun,
  rebootedSummary,
  rebootPlanCard,
  rebootRefused,
  restartedInProof,
  silentInProof,
} from "../../../lambdas/messages/node/reboot.ts";
import type { GuardSeen, NodePlan } from "../../../lambdas/messages/plan/plan.ts";
import { planBlocks } from "../../../lambdas/messages/plan/plan-card.ts";
import type { NodeRecord } from "../../../lambdas/records/records.ts";
import { NOW, nodeRecord, settings } from "../records.ts";
import { nodePlan } from "./plans.ts";
import { each, written } from "./written.ts";

const guards: Readonly<Record<string, GuardSeen>> = {
  "in order": { state: "in order" },
  "in order on an unfit machine": { state: "in order", unfit: "the clock of the machine is wrong" },
  missing: { state: "fault", what: "the guard is missing", refuses: true },
  "missing, seen by the last release": { state: "fault", what: "the guard is missing" },
  unknown: { state: "unknown", why: "no answer" },
};

const away = { node: "win-2", why: "cordoned" };
const instance = { system: "ok", instance: "ok", volumes: "ok", hasProfile: true, events: [] } as const;
const blocker = { budgets: ["shop/web"], pods: ["shop/web-0"], why: "needs 2 healthy pods", isForever: false };
const job = { pod: "shop/job-0", annotation: "do-not-disrupt", startedAt: "2026-11-21T12:10:00.000Z" };
const placed = { namespace: "shop", name: "web-0", node: null };
const plans: Readonly<Record<string, Partial<NodePlan>>> = {
  empty: {},
  "with one pod that stays": { staying: 1 },
  "with a Terminating pod": { terminating: ["shop/web-9"] },
  "with pods of one workload": { lone: [{ owner: "shop/ReplicaSet web", pods: 2 }] },
  "with more workloads than it lists": {
    lone: Array.from({ length: 6 }, (_, at) => ({ owner: `shop/w-${at}`, pods: 1 })),
  },
  "with as many workloads as it lists": {
    lone: Array.from({ length: 4 }, (_, at) => ({ owner: `shop/w-${at}`, pods: 1 })),
  },
  "with facts that were not read": { unread: ["the budgets", "other nodes"] },
  "with evictions that were not tried": { untried: { pods: 2, why: "403" } },
  "with a budget that blocks": { blockers: [blocker] },
  "with a budget that blocks for ever": { blockers: [{ ...blocker, isForever: true }] },
  "with two budgets on a pod": { blockers: [{ ...blocker, budgets: ["shop/a", "shop/b"] }] },
  "with a refusal of no budget": { blockers: [{ ...blocker, budgets: [] }] },
  "with long jobs": {
    longJobs: [
      job,
      { ...job, startedAt: null },
      { ...job, until: "2026-11-21T14:25:00.000Z" },
      { ...job, until: "2026-11-21T14:25:01.000Z" },
    ],
  },
  "with an unread hold": { unreadHolds: ["shop/a (karpenter.sh/do-not-disrupt: soon)"] },
  "with pods that fit nowhere": {
    placements: [
      { ...placed, obstacle: "release" },
      { ...placed, name: "web-1", obstacle: "selector" },
      { ...placed, name: "web-2", obstacle: "taint" },
      { ...placed, name: "web-3", obstacle: "zone" },
    ],
  },
  "with a pod that needs memory": { placements: [{ ...placed, obstacle: { resource: "memory" } }] },
  "of an unknown release": { release: null, placements: [{ ...placed, obstacle: "release" }] },
  "with pods that fit": { placements: [{ ...placed, node: "win-2", obstacle: null }] },
  "beside a node that is out of service": { away: [away] },
  "that waits for a slot": { away: [away], waitsForSlot: true },
  "beside another controller": { others: [{ kind: "kured", acting: true }] },
  "through EC2": { throughEc2: "asked", instance },
  "through EC2, without a profile": { throughEc2: "silent", instance: { ...instance, hasProfile: false } },
  "of an impaired instance": {
    instance: { ...instance, system: "impaired", instance: "impaired", volumes: "impaired", hasProfile: false },
  },
};

const soon = "2026-11-21T14:02:00.000Z";
const lateNode = (fields: Partial<NodeRecord> = {}): NodeRecord =>
  nodeRecord({
    ...{ workflow: "reboot", operation: "reboot-3f9c2a71", nodeName: "win-1", stage: "reboot", lateSince: soon },
    ...{ callbacks: { decision: "callback" }, ...fields },
  });
const taken = { triedAt: soon, taken: { at: soon, url: "https://example.com/a.jpg" } };
const lates: Readonly<Record<string, NodeRecord>> = {
  offered: lateNode(),
  "with a screenshot": lateNode({ screenshot: taken }),
  "with a screenshot that failed": lateNode({ screenshot: { triedAt: soon } as NonNullable<NodeRecord["screenshot"]> }),
  "that EC2 rebooted": lateNode({ ec2Reboot: { by: "U0OPERATOR", at: soon } }),
  "that EC2 rebooted, not offered again": lateNode({ ec2Reboot: { at: soon }, callbacks: {} }),
  "whose reboot EC2 refused": lateNode({ ec2Reboot: { at: soon, answer: "refused" } }),
  "whose reboot is unknown": lateNode({ ec2Reboot: { at: soon, answer: "unknown" } }),
  "without an instance": lateNode({ instanceId: null, callbacks: {} }),
  "that has ended": lateNode({ status: "succeeded" }),
};

const restart = { node: "win-1", pool: "web", away: [], maxUnavailable: 1, others: [], unread: [] };

test("A reboot says what it plans, what refuses it and how it ended", async () => {
  const words = written({
    ...each("guard", guards, (guard) => guardBlocks(nodePlan({ guard }))),
    ...each("refused for its guard", guards, (guard) => rebootRefused("win-1", guard)),
    ...each("card", guards, (guard) => rebootPlanCard(nodePlan({ guard }))),
    ...each("dry run", guards, (guard) => rebootDryRun(nodePlan({ guard }), "`/win reboot win-1`")),
    ...each("plan", plans, (fields) =>
      planBlocks(nodePlan(fields))
        .map((block) => JSON.stringify(block))
        .join("\n"),
    ),
    "card through EC2": rebootPlanCard(nodePlan({ throughEc2: "asked" })),
    "card through EC2, silent": rebootPlanCard(nodePlan({ throughEc2: "silent" })),
    rebooted: rebootedSummary("win-1", "it is schedulable"),
    gone: goneBeforeReboot("win-1"),
    cancelled: notRebootedSummary.cancelled("left"),
    failed: notRebootedSummary.failed("left"),
    unproven: notRebootedSummary.unproven("left"),
    proven: provenSummary("win-1", "the node is schedulable again"),
    "proven without a cordon": provenSummary("win-1", null),
    "not proven": notProvenSummary("left"),
    "guard not ready": guardNotReady("the guard is missing"),
    "machine not ready": machineNotReady("the disk is full"),
    "refused by EC2": ec2RefusedReboot("IncorrectInstanceState"),
    "restarted in the proof": restartedInProof("kubelet"),
    "silent in the proof": silentInProof(soon, NOW),
    "silent for ever": silentInProof(null, NOW),
    "keeps ending": keepsEnding("kubelet restarts"),
    "not proven yet": notProvenYet(
      { name: "network", state: "wrong", trouble: { kind: "network-missing", network: "ovn" } },
      "win-1",
      NOW,
    ),
    "not known yet": notKnownYet("disk", "no answer"),
    "not probed": notProbed("no image"),
  });
  await expect(words).toMatchFileSnapshot("reboots.txt");
});

test("A machine that is late, boots by itself or only restarts its services says what can be done", async () => {
  const boot: ForeignBootNews = { node: "win-1", bootedAt: soon, cause: { kind: "unclean" }, of: 9, mark: "look-1" };
  const asked = { kind: "asked", text: "The process wuauclt.exe has initiated the restart" } as const;
  const words = written({
    ...each("late", lates, (node) => lateMachines([node], settings, NOW)),
    "more late machines than it shows": lateMachines(
      Array.from({ length: 4 }, () => lateNode()),
      settings,
      NOW,
    ),
    ...each("screenshot", lates, (node) => screenshotButtons(node, NOW)),
    ...each(
      "cause",
      {
        asked,
        unread: { kind: "unread", why: "the machine did not answer" },
        "EC2's start": { kind: "ec2-start" },
        unclean: { kind: "unclean" },
        update: { kind: "windows-update" },
        unknown: { kind: "untold" },
      } as const,
      bootCauseWords,
    ),
    "one boot": foreignBootsMessage([boot]),
    "one boot at an unknown time": foreignBootsMessage([{ ...boot, bootedAt: null }]),
    "two boots": foreignBootsMessage([boot, { ...boot, node: "win-2", cause: asked }]),
    "three unclean boots": foreignBootsMessage(["win-1", "win-2", "win-3"].map((node) => ({ ...boot, node }))),
    "more causes than it lists": foreignBootsMessage(
      Array.from({ length: 12 }, (_, at) => ({
        ...boot,
        node: `win-${at}`,
        cause: { ...asked, text: `cause ${at}` },
      })),
    ),
    "proxied machine": proxiedMachine(["service"]),
    "twice proxied machine": proxiedMachine(["service", "machine"]),
    "stays in service": staysInService("win-1", { notReady: 3, all: 7 }, "30%", "web"),
    "stays in service without a pool": staysInService("win-1", { notReady: 1, all: 1 }, "30%", null),
    restarted: restartedSummary("win-1", "it is schedulable"),
    "gone before the restart": goneBeforeRestart("win-1"),
    "restart cancelled": notRestartedSummary.cancelled("left"),
    "restart failed": notRestartedSummary.failed("left"),
    "restart unproven": notRestartedSummary.unproven("left"),
    "not restarted yet": notRestartedYet("kubelet"),
    "not tried": notTried("no image"),
    "of a witness": ofWitness("the pod does not answer"),
    "restart card": restartPlanCard({ ...restart, services: ["containerd", "kubelet"] }),
    "restart card without a slot": restartPlanCard({
      ...restart,
      services: ["kubelet"],
      away: [away],
      waitsForSlot: true,
    }),
    "restart dry run": restartDryRun({ ...restart, services: ["kubelet"] }),
  });
  await expect(words).toMatchFileSnapshot("late-and-restarts.txt");
});
