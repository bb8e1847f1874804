import { expect, test } from "vitest";
import { settlingWords } from "../../../lambdas/capabilities/reboot/rollout/settling-message.ts";
import type { Start } from "../../../lambdas/commands/request.ts";
import { continueButtons } from "../../../lambdas/messages/node/continue.ts";
import {
  type CordonOutcome,
  cordonLeaves,
  cordonLeft,
  cordonSummary,
  endEvent,
  gaveBackEvent,
} from "../../../lambdas/messages/node/cordon.ts";
import { commandAfter, failureBlocks, failureButtons } from "../../../lambdas/messages/operation/failure.ts";
import {
  busyMessage,
  busySummary,
  nodesSummary,
  notRemovedSummary,
  refusedMessage,
  removedSummary,
  terminatedSummary,
  troubleMessage,
} from "../../../lambdas/messages/operation/final.ts";
import { lostMessage } from "../../../lambdas/messages/operation/lost.ts";
import { operationMessage } from "../../../lambdas/messages/operation/operation.ts";
import { waitLines, waitNotice, waitReminder } from "../../../lambdas/messages/operation/waits.ts";
import {
  losesMore,
  notApprovedPart,
  notMeant,
  pauseCall,
  pausedSummary,
  pausedWords,
  pauseNotice,
  pauseWords,
  resumedSummary,
  rolloutButtons,
  rolloutClosed,
  rolloutSummary,
  worseThanApproved,
} from "../../../lambdas/messages/rollout/rollout.ts";
import { steerAnswer } from "../../../lambdas/messages/rollout/steer.ts";
import type { NodeRecord, OperationRecord } from "../../../lambdas/records/records.ts";
import type { RolloutPause } from "../../../lambdas/records/steering.ts";
import { type PersonWait, waitKinds } from "../../../lambdas/records/waits.ts";
import type { Stop } from "../../../lambdas/time/stops.ts";
import { decidingRecord, NOW, nodeRecord, operationRecord, settings } from "../records.ts";
import { each, written } from "./written.ts";

const SINCE = "2026-11-21T14:00:00.000Z";
const reboot = operationRecord({ id: "reboot-1", request: { command: "reboot", node: "win-1", dryRun: false } });
const drain = operationRecord({ id: "drain-1", request: { command: "drain", node: "win-1", dryRun: false } });
const failedNode = (fields: Partial<NodeRecord> = {}): NodeRecord =>
  decidingRecord({ status: "failed", nodeName: "win-1", endedAt: NOW, failedAt: NOW, decideBy: null, ...fields });
const failure = (
  stage: "launch" | "features" | "evict" | "prove" | "restore",
  code?: "losses-not-allowed" | "check-fails",
) => ({
  ...{ stage, why: "gave up waiting for the kubelet", left: "the node stays cordoned", ...(code ? { code } : {}) },
});

const nodes: Readonly<Record<string, readonly [NodeRecord, OperationRecord]>> = {
  "that waits for a decision": [decidingRecord(), operationRecord()],
  "that waits without a deadline": [decidingRecord({ decideBy: null }), operationRecord()],
  "whose decision was not judged": [decidingRecord({ unjudgedBy: "U0OPERATOR" }), operationRecord()],
  "that is kept": [failedNode({ keptAt: NOW }), operationRecord()],
  "that is kept and was silent": [failedNode({ keptAt: NOW, failure: failure("launch") }), operationRecord()],
  "that is gone": [failedNode({ isTerminated: true }), operationRecord()],
  "without an instance": [failedNode({ instanceId: null }), operationRecord()],
  "of a drain": [failedNode({ workflow: "drain", failure: failure("evict"), evicted: 2 }), drain],
  "of a drain that loses something": [failedNode({ failure: failure("evict", "losses-not-allowed") }), drain],
  "of a reboot": [failedNode({ workflow: "reboot", failure: failure("evict") }), reboot],
  "of an unproven reboot": [failedNode({ workflow: "reboot", failure: failure("prove", "check-fails") }), reboot],
  "of an unproven reboot without a name": [
    ...([failedNode({ nodeName: null, workflow: "reboot", failure: failure("prove") }), reboot] as const),
  ],
  "that has settled since": [failedNode({ settled: "uncordoned since", failure: failure("restore") }), reboot],
  "that has not failed": [nodeRecord(), operationRecord()],
};

test("A failed node shows what happened, what is left, the next step and its buttons", async () => {
  const linked = { ...settings, runbook: "https://example.com/runbook" };
  const words = written({
    ...each("failure", nodes, ([node, operation]) =>
      failureBlocks(node, { operation, now: NOW }, linked, 1_000)
        .map((block) => JSON.stringify(block))
        .join("\n"),
    ),
    ...each("buttons", nodes, ([node]) => failureButtons(node, settings, NOW)),
    ...each("command", nodes, ([node, operation]) => commandAfter(operation, node)),
    ...each("operation", nodes, ([node, operation]) =>
      operationMessage({ operation, nodes: [node], pool: null, now: NOW }, settings),
    ),
    "several nodes": nodesSummary([
      nodeRecord({ status: "succeeded" }),
      failedNode({ instanceId: "i-1" }),
      failedNode({ instanceId: "i-2", isTerminated: true }),
      nodeRecord({ status: "cancelled", instanceId: null }),
    ]),
    "one of each": nodesSummary([nodeRecord({ status: "cancelled", instanceId: "i-1", isTerminated: true })]),
    "two of each": nodesSummary([
      ...Array.from({ length: 2 }, () => nodeRecord({ status: "succeeded" })),
      ...Array.from({ length: 2 }, () => nodeRecord({ status: "cancelled", instanceId: null })),
    ]),
    "no buttons of a drain that waits": continueButtons(
      decidingRecord({ workflow: "drain", failure: failure("evict") }),
    ),
    lost: lostMessage(drain, "its execution ended", [failedNode({ outcome: "left" }), nodeRecord({ index: 1 })], {
      0: ["the join slot", "the lease on `i-1`"],
    }),
    "lost without a node": lostMessage(drain, "its execution ended", [], {}),
    "lost without anything released": lostMessage(drain, "it ended", [failedNode({ outcome: "left" })], {}),
    "lost of many": lostMessage(
      ...([
        drain,
        "it ended",
        Array.from({ length: 22 }, (_, index) => failedNode({ index, outcome: "left" })),
        {},
      ] as const),
    ),
  });
  await expect(words).toMatchFileSnapshot("failures.txt");
});

const start: Start = {
  ...{ operation: "drain-1", request: { command: "drain", node: "win-1", dryRun: false }, notAfter: 0 },
  ...{ asker: { userId: "U0OPERATOR", userName: "olivia", channel: "C0WINDOWS" } },
};
const states = ["requested", "waiting", "scheduled", "running", "succeeded", "failed", "cancelled", "refused"] as const;
const outcomes: readonly CordonOutcome[] = [
  ...(["uncordoned", "cordoned-instead", "schedulable", "never-cordoned", "as-before"] as const),
  ...(["cordoned-since", "another-owner", "replaced", "deleted", "terminating"] as const),
];

test("An operation says how it stands, how it ended and what became of its cordon", async () => {
  const subject = { node: "win-1", instanceId: "i-0a" };
  const running = (fields: Partial<OperationRecord>) => operationRecord({ ...fields });
  const working = nodeRecord();
  const shown = (operation: OperationRecord, nodes: readonly NodeRecord[] = [working]) =>
    operationMessage({ operation, nodes, pool: { name: "web", before: 2, after: 4, maximum: 5 }, now: NOW }, settings);
  const results = [
    "cordoned",
    "cordoned-before",
    "kept",
    "uncordoned",
    "uncordoned-marked",
    "schedulable-before",
  ] as const;
  const words = written({
    ...each("status", Object.fromEntries(states.map((one) => [one, one])), (status) =>
      shown(running({ status, endedAt: status === "failed" || status === "succeeded" ? NOW : null })),
    ),
    "with a reason": shown(running({ request: { ...start.request, reason: "patches" } as OperationRecord["request"] })),
    "that is being cancelled": shown(running({ cancelledBy: "U0OPERATOR" })),
    "that is being cancelled, with a decision": shown(running({}), [working, decidingRecord({ index: 1 })]),
    "that is being cancelled, with two decisions": shown(running({}), [
      ...[working, decidingRecord({ index: 1 }), decidingRecord({ index: 2, failure: failure("launch") })],
    ]),
    "that waits for decisions alone": shown(running({}), [decidingRecord()]),
    "with a summary": shown(running({ summary: "2 nodes are Ready." })),
    "of many nodes": shown(
      running({}),
      Array.from({ length: 31 }, (_, index) => nodeRecord({ index })),
    ),
    "of as many as it lists": shown(
      running({}),
      Array.from({ length: 30 }, (_, index) => nodeRecord({ index })),
    ),
    refused: refusedMessage(start, "the pool is frozen. To end it: `{win} thaw web`."),
    "refused without a stop": refusedMessage(start, "kured works on it."),
    "busy summary": busySummary("EC2 throttles"),
    busy: busyMessage(start, "EC2 throttles"),
    "busy, to be repeated": busyMessage(start, "EC2 throttles", true),
    trouble: troubleMessage(start, "TypeError"),
    removed: removedSummary("win-1"),
    terminated: terminatedSummary("i-0a"),
    "not removed": notRemovedSummary("eviction failed", "the node stays cordoned"),
    ...each("cordon left", Object.fromEntries(outcomes.map((one) => [one, one])), (one) => cordonLeft(one, subject)),
    ...each("event", Object.fromEntries(outcomes.map((one) => [one, one])), (one) =>
      gaveBackEvent(one, "drain-1", subject),
    ),
    "uncordoned after a restart": cordonLeft("uncordoned", { ...subject, workflow: "restart" }),
    "uncordoned after a reboot": cordonLeft("uncordoned", { ...subject, workflow: "reboot" }),
    "end of a cancelled change": endEvent("drain-1", "CasementDraining", null),
    "end of a failed change": endEvent("drain-1", "CasementDraining", failure("evict")),
    ...each("cordon", Object.fromEntries(results.map((one) => [one, one])), (one) => cordonSummary(one, "win-1")),
    held: cordonLeaves.held("win-1"),
    stuck: cordonLeaves.stuck("win-1"),
    asks: cordonLeaves.asks("win-1"),
    unproven: cordonLeaves.unproven("win-1"),
    quarantined: cordonLeaves.quarantined("win-1"),
    cordoned: cordonLeaves.cordoned("win-1", "403"),
  });
  await expect(words).toMatchFileSnapshot("operations.txt");
});

const stop: Stop = {
  ...{ kind: "freeze", target: { kind: "pool", pool: "web" }, by: "olivia", reason: "release night" },
  ...{ at: SINCE, until: "2026-11-21T18:00:00.000Z" },
} as Stop;
const taken = { pool: "web", most: 1, away: ["win-9"] };
const pauses: Readonly<Record<string, RolloutPause>> = {
  "by a person": { by: "U0OPERATOR", at: NOW, why: "<@U0OPERATOR> paused it" },
  "after a failure": { by: null, at: NOW, why: "win-1 failed at proof", cause: "the kubelet does not run" },
  "by a freeze": { by: null, at: NOW, why: "pool web is frozen", stop },
  "by a freeze that has ended": { by: null, at: NOW, why: "pool web is frozen", stop: null },
  "without a slot": { by: null, at: NOW, why: "no slot became free", taken },
  "without any of two slots": {
    by: null,
    at: NOW,
    why: "no slot",
    taken: { pool: null, most: 2, away: ["win-8", "win-9"] },
  },
};
const wait = (kind: PersonWait["kind"], more: Partial<PersonWait> = {}): PersonWait => ({
  ...{ kind, operation: "reboot-1", index: 0, node: "win-1", pool: "web", since: SINCE },
  ...{ audience: { command: "reboot" }, ...more },
});

test("A rollout that pauses and everything that waits for a person name the next step", async () => {
  const of = (index: number, fields: Partial<NodeRecord>) =>
    nodeRecord({ index, workflow: "reboot", nodeName: `win-${index}`, ...fields });
  const done = of(0, { status: "succeeded", outcome: null });
  const broken = of(1, { status: "failed", failure: failure("prove") });
  const all = [done, broken, of(2, { status: "queued" }), of(3, { status: "succeeded", outcome: "gone" })];
  const restarts = all.map((node): NodeRecord => ({ ...node, workflow: "restart" }));
  const rollout = (paused: RolloutPause | null, more: Partial<OperationRecord> = {}) =>
    operationRecord({ ...reboot, rollout: { paused, part: 1, parkedAt: null, heard: null }, ...more });
  const slot = { from: Date.parse(NOW), until: Date.parse("2026-11-21T18:00:00.000Z"), timeZone: "Europe/Berlin" };
  const steered = ["unknown", "no rollout", "not running", "not paused"] as const;
  const kinds = Object.fromEntries(waitKinds.map((kind) => [kind, kind]));
  const words = written({
    worse: worseThanApproved("win-1", "reboot", ["one pod more", "a budget"]),
    "loses more": losesMore("win-1", ["shop/a", "shop/b"]),
    "not approved": notApprovedPart("win-1", "reboot"),
    "not meant": notMeant("win-1"),
    "pause of a canary": pauseWords({ kind: "canary" } as Parameters<typeof pauseWords>[0], all),
    "pause of a failure": pauseWords({ kind: "failed", indexes: [1] }, all),
    "pause of a failure without words": pauseWords({ kind: "failed", indexes: [2] }, all),
    "pause of a stop": pauseWords({ kind: "stopped", indexes: [1] }, all),
    "pause without a slot": pauseWords({ kind: "no slot", indexes: [2] }, all),
    ...each("paused", pauses, pausedWords),
    ...each("summary", pauses, (pause) => pausedSummary(pause, all)),
    "summary of restarts": pausedSummary({ why: "no slot" }, restarts),
    ...each("call", pauses, (pause) => pauseCall(reboot, pause)),
    ...each("notice", pauses, (pause) => pauseNotice(reboot, pause)),
    ...each("buttons", pauses, (pause) => rolloutButtons(rollout(pause))),
    "buttons while it runs": rolloutButtons(rollout(null)),
    "buttons after its end": rolloutButtons(rollout(null, { endedAt: NOW })),
    "buttons of no rollout": rolloutButtons(reboot),
    closed: rolloutClosed(all, slot),
    "closed for ever": rolloutClosed(all, null),
    "closed restarts": rolloutClosed(restarts, { ...slot, until: null }),
    resumed: resumedSummary("U0OPERATOR"),
    end: rolloutSummary(all),
    "end of one": rolloutSummary([done]),
    "end with a node left out": rolloutSummary([
      done,
      of(1, { status: "failed", failure: failure("evict", "losses-not-allowed") }),
    ]),
    "end of restarts": rolloutSummary([...restarts, { ...of(4, { status: "cancelled" }), workflow: "restart" }]),
    settling: settlingWords([
      { workload: "shop/cart", ready: 3, now: 1, until: Date.parse(NOW) },
      { workload: "shop/web", ready: 2, now: 0, until: Date.parse(SINCE) },
    ]),
    ...each("steered", Object.fromEntries(steered.map((kind) => [kind, kind])), (kind) =>
      steerAnswer({ kind, operation: "reboot-1" }),
    ),
    "steered: pause": steerAnswer({ kind: "heard", operation: "reboot-1", decision: "pause", isBlocked: false }),
    "steered: resume": steerAnswer({ kind: "heard", operation: "reboot-1", decision: "resume", isBlocked: false }),
    "steered: blocked": steerAnswer({ kind: "heard", operation: "reboot-1", decision: "resume", isBlocked: true }),
    ...each("wait", kinds, (kind) => waitLines([wait(kind)], NOW).join("\n")),
    "more waits than it lists": waitLines(
      Array.from({ length: 12 }, () => wait("held")),
      NOW,
    ).join("\n"),
    "wait of an operation": waitLines([wait("approval", { node: null })], NOW).join("\n"),
    "wait of takers": waitLines([wait("slot", { takers: ["win-8", "win-9"] })], NOW).join("\n"),
    ...each("reminder", kinds, (kind) => waitReminder(wait(kind), { called: ["S0ONCALL"], now: NOW })),
    "reminder of a restart": waitReminder(wait("unproven", { isRestart: true }), { called: [], now: NOW }),
    "reminder of takers": waitReminder(wait("slot", { takers: ["win-9"] }), { called: [], now: NOW }),
    "reminder of a pause": waitReminder(
      wait("paused", { node: null, pause: pauses["after a failure"] as RolloutPause }),
      {
        ...{ called: [], now: NOW, holder: { userId: "U0OPERATOR", since: SINCE, until: NOW } },
      },
    ),
    "reminder of one person": waitReminder(wait("confirmation", { audience: { person: "U0OPERATOR" } }), {
      ...{ called: ["U0OPERATOR"], now: NOW },
    }),
    ...each("page", kinds, (kind) => waitNotice(wait(kind), NOW)),
  });
  await expect(words).toMatchFileSnapshot("rollouts-and-waits.txt");
});
