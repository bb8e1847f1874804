import { expect, test } from "vitest";
import { commandOf } from "../../../lambdas/commands/list.ts";
import { parse } from "../../../lambdas/commands/parse.ts";
import {
  alreadyTriedAgain,
  type Cancellation,
  cancelAnswer,
  decisionHeard,
  decisionUnjudged,
  groupDecided,
  lateClick,
  misplacedClick,
  misplacedCommand,
  notTriedAgain,
  staleClick,
  startedAnswer,
  strangeDialog,
  troubleAnswer,
} from "../../../lambdas/messages/command/acknowledgements.ts";
import { noRole, type Refusal, refusalMessage, unreadableRules } from "../../../lambdas/messages/command/refusals.ts";
import { usageMessage } from "../../../lambdas/messages/command/usage.ts";
import { neverConfirmed, notAccepted } from "../../../lambdas/messages/operation/accepted.ts";
import {
  addDryRun,
  noSuchNode,
  removeDryRun,
  severalNodes,
  type TooMany,
  tooManyNodes,
} from "../../../lambdas/messages/operation/dry-runs.ts";
import { followUpBlock, followUpOn, startedNote } from "../../../lambdas/messages/operation/follow-ups.ts";
import type { ShownFollowUp } from "../../../lambdas/records/follow-up.ts";
import { NOW, nodeRecord, operationRecord } from "../records.ts";
import { each, written } from "./written.ts";

const vocabulary = { pools: ["web", "batch"], commandWord: "/win" };

/** Typed lines that are refused: one for each kind of mistake. */
const typed = [
  `add ${"x".repeat(3_000)}`,
  "moonwalk",
  "nods",
  "add",
  "add web 2 3",
  "add web --dri-run",
  "add web --zzz",
  "add web --ec2",
  "add web --dry-run --dry-run",
  "reboot web --max",
  "add web --dry-run=yes",
  "reboot web --max 0",
  "reboot web --max x",
  "reboot win-1 win-2 --force win-1",
  "reboot web --force win-1",
  'drain win-1 --reason "no end',
  "drain win-1 --reason two words",
  `drain win-1 --reason "${"x".repeat(600)}"`,
  "reboot web win-1",
  "add wbe",
  "add nowhere",
  "add web 0",
  "add web 101",
  "node ???",
  "audit ???",
  "mirrors ???",
  "cancel ???",
] as const;

const usage = (text: string): string => {
  const read = parse(text, vocabulary);
  return "problem" in read ? usageMessage(read.problem).text : JSON.stringify(read);
};

const refusals: readonly Refusal[] = [
  { kind: "workspace" },
  { kind: "guest" },
  { kind: "bot" },
  { kind: "shared-channel" },
  { kind: "channel", channel: "C0WINDOWS", cluster: "prod-west" },
  { kind: "policy", command: "drain" },
  { kind: "policy", command: "drain", allowed: ["U0OPERATOR", "S0ONCALL"] },
  { kind: "unknown-groups", command: "drain" },
  { kind: "unreadable", command: "drain", pools: ["web"] },
  { kind: "unreadable", command: "drain", pools: ["web", "batch"] },
];

const running = nodeRecord({ index: 0, workflow: "remove", operation: "remove-1", stage: "evict" });
const operation = "add-3f9c2a71";
const cancellations: Readonly<Record<string, Cancellation>> = {
  unknown: { kind: "unknown", operation },
  ended: { kind: "ended", operation, status: "failed", summary: "1 node failed." },
  "ended without a summary": { kind: "ended", operation, status: "succeeded", summary: "" },
  already: { kind: "already", operation, by: "U0OPERATOR" },
  asked: { kind: "asked", operation, nodes: [running] },
  "asked of no node": { kind: "asked", operation, nodes: [] },
};

const record = operationRecord();
const removal = operationRecord({ id: "remove-1", request: { command: "remove", node: "win-1", dryRun: false } });
const starts = {
  add: record,
  "a dry run": operationRecord({ request: { command: "add", pool: "web", count: 2, dryRun: true } }),
  "a look": operationRecord({ request: { command: "nodes", pool: null } }),
  "a dialog": removal,
  "not started": operationRecord({ status: "not-started", summary: "Lambda did not accept the operation." }),
  "not started by its execution": operationRecord({ status: "not-started", executionArn: "arn" }),
} as const;

const full: TooMany = { pool: "web", before: 3, count: 2, maximum: 4, kept: 0 };
const pod = { namespace: "shop", name: "web-0", owner: "ReplicaSet web", localData: [] };
const removed = { node: "win-1", instanceId: "i-0a", pool: "web", pods: [pod, { ...pod, name: "b", owner: null }] };

test("Every answer to a command or a press says what was not done and what to type", async () => {
  const words = written({
    ...each("usage", Object.fromEntries(typed.map((text) => [text.slice(0, 40), text])), usage),
    ...each("refusal", Object.fromEntries(refusals.map((one) => [JSON.stringify(one), one])), refusalMessage),
    "no role": noRole("drain"),
    "unreadable rules of many pools": unreadableRules(Array.from({ length: 22 }, (_, at) => `pool-${at}`)),
    ...each("started", starts, startedAnswer),
    trouble: troubleAnswer(),
    ...each("cancel", cancellations, cancelAnswer),
    kept: decisionHeard("i-0a", true),
    terminated: decisionHeard("i-0a", false),
    "a group": groupDecided(3, 3),
    "a part of a group": groupDecided(2, 3),
    ...each("unjudged", { keep: "keep", terminate: "terminate", cancel: "cancel" } as const, (decision) =>
      decisionUnjudged(decision, `no\n answer ${"x".repeat(600)}`),
    ),
    "tried again": alreadyTriedAgain(record),
    "not tried again, running": notTriedAgain(record),
    "not tried again, ended": notTriedAgain({ ...record, endedAt: NOW }),
    "late click": lateClick("`win-1`"),
    "stale click": staleClick,
    "misplaced click": misplacedClick(record, "acme"),
    "misplaced click, with its message": misplacedClick(operationRecord({ messageTs: "1763733600.000100" }), "acme"),
    "misplaced command": misplacedCommand("reboot win-1"),
    "strange dialog": strangeDialog("remove-1"),
    "no node": noSuchNode("win-*"),
    "several nodes": severalNodes("win", ["win-1", "win-2"]),
    "more nodes than it names": severalNodes(
      "win",
      Array.from({ length: 12 }, (_, at) => `win-${at}`),
    ),
    "dry run of add": addDryRun({
      ...{ pool: { name: "web", before: 2, after: 4, maximum: 5 }, windows: "2022", imageId: "ami-1" },
      ...{ instanceTypes: ["m6i.large", "m6a.large"], subnets: ["subnet-1"] },
    }),
    "dry run of remove": removeDryRun(removed),
    "dry run of remove, without pods": removeDryRun({ ...removed, pods: [] }),
    "dry run of remove, one pod": removeDryRun({ ...removed, pods: [pod] }),
    "dry run of remove, a machine": removeDryRun({ ...removed, node: null, pods: [] }),
    "room for fewer": tooManyNodes(full),
    "no room": tooManyNodes({ ...full, before: 4 }),
    "no room, one kept": tooManyNodes({ ...full, before: 5, kept: 1 }),
    "room, two kept": tooManyNodes({ ...full, kept: 2, maximum: 1_000 }),
    "not accepted": notAccepted(operation),
    "never confirmed": neverConfirmed("remove-1"),
    "follow-up": followUpBlock({
      ...{ by: "U0OPERATOR", operation: "reboot-1", at: NOW, domain: "acme", index: 0 },
      ...{ channel: "C0", messageTs: null },
    } as unknown as ShownFollowUp),
    "started note": startedNote(record, "U0OPERATOR"),
  });
  await expect(words).toMatchFileSnapshot("commands.txt");
});

test("The newest operation that a button started counts, of its node or of the whole operation", () => {
  const started = [
    { index: 0, operation: "reboot-1" },
    { index: null, operation: "add-1" },
    { index: 0, operation: "reboot-2" },
  ] as unknown as readonly ShownFollowUp[];
  expect([followUpOn(started, 0), followUpOn(started, null), followUpOn(started, 1)]).toEqual([
    ...[started[2], started[1], undefined],
  ]);
  expect(commandOf("remove").dialog).toBe(true);
});
