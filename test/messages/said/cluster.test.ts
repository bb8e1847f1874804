import { expect, test } from "vitest";
import { credentialMessage, credentialNotice } from "../../../lambdas/capabilities/doctor/credential-news.ts";
import { operationsMessage } from "../../../lambdas/capabilities/look/operations-table.ts";
import { deadNodeMessage, deadNodesMessage, deadNotice } from "../../../lambdas/capabilities/probe/messages.ts";
import { registeredMeanwhile, removalLeaves } from "../../../lambdas/capabilities/remove/failures.ts";
import { removalPlanCard } from "../../../lambdas/capabilities/remove/plan-card.ts";
import { rulesChanged } from "../../../lambdas/capabilities/sweep/rules-message.ts";
import { mirrorsInput } from "../../../lambdas/inputs/mirrors/input.ts";
import {
  dateAndNow,
  farDate,
  heldUpNow,
  movedWhy,
  neverBegan,
  noMaintenance,
  noWindowSummary,
  outsideMaintenance,
  pastDate,
  restoredText,
  type ShownWait,
  scheduledSummary,
  unreadableDate,
} from "../../../lambdas/messages/maintenance/schedule.ts";
import {
  cutOffText,
  exposedText,
  mirrorFaultText,
  unusedCredentialsText,
} from "../../../lambdas/messages/mirrors/faults.ts";
import { agentSilentForGuard, guardDryRun } from "../../../lambdas/messages/node/guard.ts";
import { fleetMessage, fleetNotice, type fleetSummary } from "../../../lambdas/messages/operation/fleet.ts";
import {
  inputNewsMessage,
  inputRemarksMessage,
  inputUnreadNotice,
} from "../../../lambdas/messages/operation/inputs.ts";
import { finishedWords, isPastCancelling } from "../../../lambdas/messages/operation/past-return.ts";
import { consequencesLeft, nothingToChange, requestedSummary } from "../../../lambdas/messages/operation/reconcile.ts";
import { removalDialog } from "../../../lambdas/messages/remove/dialog.ts";
import { removalNotice, removalSkeleton } from "../../../lambdas/messages/remove/modal.ts";
import { removalRefusal, removalRefusedMessage } from "../../../lambdas/messages/remove/refusal.ts";
import { say } from "../../../lambdas/messages/slack/blocks.ts";
import { endOfStop } from "../../../lambdas/messages/stops/end.ts";
import {
  endedSummary,
  staysPaused,
  stopNeedsReason,
  stopperText,
  stopSummary,
  stopWords,
  undoRow,
  withStops,
} from "../../../lambdas/messages/stops/stop.ts";
import type { Stop } from "../../../lambdas/time/stops.ts";
import { NOW, nodeRecord, operationRecord } from "../records.ts";
import { nodePlan } from "./plans.ts";
import { each, written } from "./written.ts";

const SINCE = "2026-11-21T14:00:00.000Z";
const freeze: Stop = {
  ...{ kind: "freeze", target: { kind: "pool", pool: "web" }, by: "olivia", reason: "release night" },
  ...{ at: SINCE, until: "2026-11-21T18:00:00.000Z" },
};
const hold: Stop = {
  ...freeze,
  kind: "hold",
  target: { kind: "node", name: "win-1", uid: "uid-1" } as Stop["target"],
  until: null,
};
const stops: Readonly<Record<string, Stop>> = {
  "of a pool": freeze,
  "of the cluster": { ...freeze, target: { kind: "cluster" } },
  "of a node": hold,
  "of an annotation": { ...freeze, at: null, until: null },
  "of the configuration": { ...freeze, isConfigured: true },
};
const wait: ShownWait = {
  ...{ from: Date.parse(NOW), until: Date.parse("2026-11-21T18:00:00.000Z"), timeZone: "Europe/Berlin" },
  ...{ pool: "web", isDate: false },
};

test("Freezes, holds and maintenance say until when and what ends them", async () => {
  const at = Date.parse(NOW);
  const zone = "Europe/Berlin";
  const ends = {
    none: {},
    "four hours": { for: "4h" },
    "forty days": { for: "40d" },
    both: { for: "4h", until: "Sat 02:00" },
    "a day": { until: "Sun 02:00" },
    "no time": { until: "soon" },
    "a past time": { until: "2026-11-20 02:00" },
    "a far time": { until: "2027-11-20 02:00" },
  };
  const held = [
    { operation: "drain-1", pool: "web", nodes: [] },
    { operation: "reboot-1", pool: null, nodes: ["win-1"] },
  ];
  const states = {
    approved: { kind: "approved" },
    undecided: { kind: "undecided" },
    moved: { kind: "moved", why: movedWhy.late },
    closed: { kind: "moved", why: movedWhy.closed("the node is schedulable") },
    stopped: { kind: "stopped", why: "pool web is frozen" },
  } as const;
  const words = written({
    ...each("stop", stops, (stop) => withStops(say("Nodes"), { stops: [stop], isWhole: true }, held)),
    "more than is known": withStops(say("Nodes"), { stops: [], isWhole: false }),
    ...each("words", stops, stopWords),
    ...each("stopper", stops, (stop) => stopperText(stop, "win-1")),
    ...each("stays paused", stops, (stop) => staysPaused("reboot-1", stop)),
    ...each("undo", stops, (stop) => undoRow("undo", stopperText(stop, "win-1"))),
    ...each("set", stops, (stop) => stopSummary(stop, [stop.target])),
    "set on two": stopSummary(freeze, [freeze.target, { kind: "pool", pool: "batch" }]),
    "taken off": endedSummary("freeze", { targets: [freeze.target], ended: [freeze.target], left: [] }),
    "taken off two": endedSummary("hold", {
      targets: [hold.target, hold.target],
      ended: [hold.target, hold.target],
      left: [],
    }),
    "was not set": endedSummary("freeze", { targets: [freeze.target], ended: [], left: [] }),
    "were not set": endedSummary("freeze", { targets: [freeze.target, freeze.target], ended: [], left: [] }),
    "goes on": endedSummary("freeze", {
      ...{ targets: [freeze.target], ended: [freeze.target], left: [{ ...freeze, target: { kind: "cluster" } }] },
    }),
    "needs a reason": stopNeedsReason("freeze"),
    ...each("end", ends, (typed) => endOfStop(typed, at, zone)),
    ...each("waits", states, (state) => scheduledSummary(state, wait, "reboot-1")),
    "waits for a date": scheduledSummary({ kind: "not needed" }, { ...wait, isDate: true }, "reboot-1"),
    "waits without a pool or an end": scheduledSummary(
      { kind: "approved" },
      { ...wait, pool: null, until: null },
      "reboot-1",
    ),
    "no window": noWindowSummary(movedWhy.unapproved, "reboot-1"),
    "held up": heldUpNow("pool web is frozen"),
    restored: restoredText("the node is schedulable"),
    cancelled: neverBegan.cancelled("U0OPERATOR"),
    missed: neverBegan.missed("`/win reboot web`"),
    "too long": neverBegan.tooLong("`/win reboot web`"),
    unreadable: unreadableDate("soon", "at"),
    past: pastDate(at, zone),
    far: farDate(at, zone, 30),
    "date and now": dateAndNow,
    outside: outsideMaintenance(at, "web", { from: wait.from, until: wait.until } as never, zone),
    "outside, and none comes": outsideMaintenance(at, null, null, zone),
    "no maintenance": noMaintenance("web"),
    "no maintenance anywhere": noMaintenance(null),
  });
  await expect(words).toMatchFileSnapshot("stops.txt");
});

const pod = { namespace: "shop", name: "web-0", owner: "ReplicaSet web", localData: [] };
const removed = { node: "win-1", instanceId: "i-0a", pool: "web", pods: [] };

test("A removal says what is lost, what it needs and that it cannot be undone", async () => {
  const approval = { needs: 2, roles: ["approver"] };
  const facts = {
    "of an empty node": removed,
    "of a machine": { ...removed, node: null },
    "of a node of two": { ...removed, poolNodes: 2, pods: [pod, { ...pod, name: "b", localData: ["emptyDir cache"] }] },
    "of no pool": { ...removed, pool: null, approval: null },
    "with an approval": { ...removed, approval },
    "with an approval of nobody": { ...removed, approval: { needs: 1, roles: [] } },
    "with many pods": { ...removed, pods: Array.from({ length: 45 }, (_, at) => ({ ...pod, name: `web-${at}` })) },
    "with a budget": {
      ...removed,
      outlook: nodePlan({ blockers: [{ budgets: ["shop/web"], pods: ["shop/web-0"], why: "no", isForever: true }] }),
    },
    "without a slot": {
      ...removed,
      outlook: nodePlan(),
      slots: {
        pool: "web",
        away: [{ node: "win-9", why: "cordoned" }],
        maxUnavailable: 1,
        waitsForSlot: true as const,
      },
    },
  };
  const words = written({
    ...each("dialog", facts, (one) => removalDialog("remove-1", one)),
    ...each("card", facts, removalPlanCard),
    skeleton: removalSkeleton("remove-1", "win-1"),
    notice: removalNotice("remove-1", removalRefusedMessage("win-1", removalRefusal({ kind: "linux" }))),
    leaves: removalLeaves.terminating("i-0a"),
    registered: registeredMeanwhile("win-1", "i-0a"),
  });
  await expect(words).toMatchFileSnapshot("removals.txt");
});

test("News of the cluster say what happened, whom it concerns and the next step", async () => {
  const news = (say: "failing" | "ended" | "well", account: "look" | "act" | "join", expiresAt?: number) =>
    ({
      say,
      renewal: {
        account,
        ...(say === "well" ? {} : { why: "403 Forbidden" }),
        ...(expiresAt ? { term: { expiresAt } } : {}),
      },
    }) as unknown as Parameters<typeof credentialMessage>[1][number];
  const failing = [
    news("failing", "look", Date.parse("2026-11-22T14:00:00.000Z")),
    news("failing", "act", Date.parse("2026-11-22T13:00:00.000Z")),
  ];
  const groups = {
    failing,
    "failing without an end": [news("failing", "join")],
    ended: [news("ended", "look"), news("ended", "act"), news("ended", "join")],
    well: [news("well", "look")],
    mixed: [...failing, news("ended", "join"), news("well", "act")],
  };
  const dead = (node: string, fault: "dns" | "api" = "dns") =>
    ({ node, result: { fault, from: "win-1", words: "no answer" } }) as never;
  const told = { node: "win-1", now: NOW };
  const shared = { values: [{ trait: "zone", value: "us-west-2a" }], startedSince: null } as const;
  const change = {
    operation: "reconcile-1",
    changed: ["win-1"],
    failed: [],
    untouched: [],
    note: null,
    cancelledBy: null,
  };
  const failed = { ...change, failed: [{ node: "win-2", why: "no answer" }], untouched: ["win-3"] };
  const many = { ...change, failed: Array.from({ length: 40 }, (_, at) => ({ node: `win-${at}`, why: "no answer" })) };
  const changes = {
    well: change,
    "with a note": { ...change, note: "Pulled on win-1." },
    failed,
    cancelled: { ...failed, cancelledBy: "U0OPERATOR" },
    "failed often": many,
    "of none": { ...change, changed: [] },
  } as Readonly<Record<string, Parameters<typeof fleetSummary>[0]>>;
  const { words: mirrors } = mirrorsInput;
  const origin = operationRecord();
  const past = (workflow: "provision" | "remove" | "reboot" | "restart", stage: string) =>
    nodeRecord({ workflow, stage: stage as never, nodeName: "win-1" });
  const fault = { object: "shop", source: "quay.io/shop", mirror: null, reason: "tag", registry: "quay.io" } as const;
  const words = written({
    ...each("credentials", groups, (all) => credentialMessage("prod-west", all)),
    ...each("credentials' page", groups, credentialNotice),
    "dead node": deadNodeMessage(dead("win-1"), told),
    "dead node of three": deadNodeMessage(dead("win-1"), told, 3),
    "dead nodes": deadNodesMessage([dead("win-1"), dead("win-2", "api")], 1, shared, ["S0ONCALL"]),
    "dead nodes that share nothing": deadNodesMessage([dead("win-1")], 2, { values: [], startedSince: null }, []),
    "page of dead nodes": deadNotice([dead("win-1"), dead("win-2")], true),
    "page of a dead node": deadNotice([dead("win-1")], false),
    rules: rulesChanged([{ path: "policy.drain", added: ["U0OPERATOR"], removed: ["operator"] }], "prod-west", "7"),
    "rules added": rulesChanged([{ path: "policy.drain", added: ["operator"], removed: [] }], "prod-west", "7"),
    ...each("fleet", changes, (one) => fleetMessage(one, origin, mirrors)),
    ...each("fleet's page", changes, (one) => fleetNotice(one, mirrors)),
    unread: inputUnreadNotice(mirrors, "403"),
    "bad news": inputNewsMessage(mirrors, "bad", "403"),
    "good news": inputNewsMessage(mirrors, "well", ""),
    remarks: inputRemarksMessage(mirrors, ["one", "two"]),
    "more remarks than it shows": inputRemarksMessage(
      mirrors,
      Array.from({ length: 11 }, (_, at) => `remark ${at}`),
    ),
    "consequences left": consequencesLeft([mirrors, { noun: "proxy" }]),
    "nothing to change": nothingToChange([mirrors], []),
    "requested of one": requestedSummary([{ words: mirrors, end: { state: "held" } }], null),
    "requested of four": requestedSummary(
      [
        { words: mirrors, end: { state: "current" } },
        { words: { title: "Proxy" }, end: { state: "not-begun" } },
        { words: { title: "Trust" }, end: { state: "refused", why: "it cannot be read." } },
        { words: { title: "Kubelets" }, end: { state: "ended", result: failed } as never },
      ],
      "U0OPERATOR",
    ),
    "no operation": operationsMessage([], {}, NOW),
    operations: operationsMessage(
      [
        operationRecord({ summary: "<@U0OPERATOR> and <@U0OTHER> `did` it", endedAt: NOW, status: "succeeded" }),
        operationRecord({ id: "add-2", summary: "x".repeat(400) }),
      ],
      { "add-2": "a slot", "add-9": "x" },
      NOW,
    ),
    "past return": finishedWords([past("remove", "terminate"), past("remove", "terminate")]),
    "not past return": finishedWords([past("remove", "evict")]),
    "one of two past return": isPastCancelling([past("remove", "terminate"), past("remove", "evict")]),
    "mirror fault": mirrorFaultText(fault),
    "mirror fault of a mirror": mirrorFaultText({ ...fault, mirror: "mirror.example.com", registry: "*.example.com" }),
    "mirror fault without a file": mirrorFaultText({ ...fault, registry: null }),
    "cut off": cutOffText({ registry: "quay.io", forbidden: ["quay.io/shop"], images: ["quay.io/a:1"] } as never),
    exposed: exposedText("quay.io"),
    "unused credentials": unusedCredentialsText(["quay.io"]),
    "silent for the guard": agentSilentForGuard("win-1"),
    "guard's dry run": guardDryRun([
      { name: "win-1", refusal: null },
      { name: "win-2", refusal: "`win-2` is Linux" },
    ]),
  });
  await expect(words).toMatchFileSnapshot("news.txt");
});
