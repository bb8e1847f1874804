import { hostOf } from "../../commands/node-matches.ts";
import type { Request } from "../../commands/request.ts";
import { typedAgain } from "../../commands/typed-again.ts";
import { isHopeless } from "../../records/failures.ts";
import { isSettled } from "../../records/left-node.ts";
import { workOwner } from "../../records/node-work.ts";
import {
  asksToContinue,
  type Block,
  isKept,
  type NodeRecord,
  type OperationRecord,
  type OperationView,
} from "../../records/records.ts";
import type { StageName } from "../../stages.ts";
import { typeThis } from "../command/syntax.ts";
import { withFoldedLog } from "../health/log-words.ts";
import { continueButtons, continueNext } from "../node/continue.ts";
import { takenOver } from "../node/cordon.ts";
import { cureButtons, DEAF } from "../node/cures.ts";
import { screenshotButtons } from "../node/late.ts";
import { remedyOf } from "../remedies/remedies.ts";
import { between, localTime } from "../slack/age.ts";
import { actions, type Button, section } from "../slack/blocks.ts";
import { KEEP_INSTANCE, OPEN_AWS, OPEN_RUNBOOK, PROVE_AGAIN, TERMINATE_INSTANCE } from "../slack/buttons.ts";
import { code, codeBlock, GAVE_UP, plain, prose, sentence } from "../slack/text.ts";
import { followUpBlock, followUpOn } from "./follow-ups.ts";
import { instanceLink, type MessageSettings, runbookLink } from "./links.ts";
import { nodeLabel, plainName, signs, workDone } from "./node-lines.ts";
import { stageName } from "./stages.ts";

type NodeRequest = Extract<Request, { readonly node: string }>;

const keep = (value: string): Button => ({ actionId: KEEP_INSTANCE, value, text: "Keep for inspection" });

const terminate = (value: string): Button => ({
  actionId: TERMINATE_INSTANCE,
  value,
  text: "Terminate now",
  style: "danger",
  confirm: {
    title: "Terminate the instance?",
    text: "Its disk is deleted too. The failure cannot be inspected afterwards.",
    confirm: "Terminate",
    deny: "Not yet",
  },
});

/** Terminates a kept machine: a removal, whose own dialog asks for the confirmation. */
const terminateKept = (value: string): Button => ({
  actionId: TERMINATE_INSTANCE,
  value,
  text: "Terminate now",
  style: "danger",
});

/** Buttons that open the runbook's section and the instance's page, where there is one. */
function links(node: NodeRecord, settings: MessageSettings, now: string): Button[] {
  const value = workOwner(node);
  const runbook = node.failure ? runbookLink(settings, node.failure) : null;
  const isGone = node.isTerminated || node.instanceId === null;
  return [
    ...(isGone ? [] : screenshotButtons(node, now)),
    ...(runbook ? [{ actionId: OPEN_RUNBOOK, value, text: "Runbook", url: runbook }] : []),
    ...(node.instanceId && !isGone
      ? [{ actionId: OPEN_AWS, value, text: "Open in AWS", url: instanceLink(settings, node.instanceId) }]
      : []),
  ];
}

/** Buttons of a failed node: while a decision is needed, and for as long as a kept machine lives. */
function buttonsOf(node: NodeRecord, settings: MessageSettings, now: string, cures: readonly Button[]): Button[] {
  const value = workOwner(node);
  if (asksToContinue(node)) return [...continueButtons(node), ...links(node, settings, now)];
  if (node.status === "deciding") return [keep(value), terminate(value), ...links(node, settings, now)];
  return [...(isKept(node) ? [terminateKept(value)] : []), ...cures, ...links(node, settings, now)];
}

/** Row of buttons about a node; no block where there are none. */
const rowOf = (node: NodeRecord, buttons: readonly Button[]): Block[] =>
  buttons.length > 0 ? [actions(`decide:${workOwner(node)}`, buttons, plainName(node))] : [];

/** Row of a failed machine's buttons. */
export function failureButtons(
  node: NodeRecord,
  settings: MessageSettings,
  now: string,
  cures: readonly Button[] = [],
): Block[] {
  return rowOf(node, buttonsOf(node, settings, now, cures));
}

/** Stages after whose failure the machine or its services were restarted, and the node only lacks its proof. */
const UNPROVEN: ReadonlySet<StageName | undefined> = new Set<StageName>(["prove", "restore"]);

/** Commands on several nodes that also take one of them. */
const OF_SEVERAL_NODES: ReadonlySet<string> = new Set(["guard", "reboot", "restart"]);

/** Words of a command for one node as they were typed, with the node that was found, without the date, which has come. */
const again = (request: NodeRequest, found: string | null, changed: object = {}): readonly string[] => [
  request.command,
  ...typedAgain({ ...request, node: found ?? request.node }, { at: undefined, ...changed }),
];

/** Words of the command that repeats the work on a failed node; null where none does. */
function commandAgain({ request }: OperationRecord, { nodeName, failure }: NodeRecord): readonly string[] | null {
  if (request.command === "add") return ["add", request.pool];
  const isProven = request.command === "reboot" || request.command === "restart";
  if (isProven && UNPROVEN.has(failure?.stage)) return nodeName ? ["prove", nodeName] : null;
  if ("node" in request) return again(request, nodeName);
  return nodeName && OF_SEVERAL_NODES.has(request.command) ? [request.command, nodeName] : null;
}

/** Commands whose losses a person may accept. */
const FORCED: ReadonlySet<string> = new Set(["drain", "reboot"]);

/** Names the command to run after the end. */
export function commandAfter(operation: OperationRecord, node: NodeRecord): string {
  const { nodeName, failure } = node;
  const { request } = operation;
  if (failure?.code === "losses-not-allowed" && nodeName && FORCED.has(request.command)) {
    const force = hostOf(nodeName);
    const words = "node" in request ? again(request, nodeName, { force }) : [request.command, force, "--force", force];
    return `${typeThis(...words)} accepts the losses.`;
  }
  const command = commandAgain(operation, node);
  if (command === null) return `${typeThis("operations")} shows ${operation.id}.`;
  const outcome = node.failure && isHopeless(node.failure) ? "fails the same way until that is done." : "tries again.";
  return `${typeThis(...command)} ${outcome}`;
}

/**
 * State of the machine: as the failure left it, until its outcome is known or a person has decided. An operation on one node
 * says in its summary what was not done as well.
 */
function state(
  { settled, takenOverBy, outcome, failure }: NodeRecord,
  { summary }: Pick<OperationRecord, "summary">,
): string {
  const known = settled ?? (takenOverBy && takenOver(takenOverBy)) ?? outcome ?? failure?.left ?? "";
  return sentence(prose(known !== "" && summary?.includes(known) ? summary : known, 400));
}

/** Stages in which the SSM agent of a new machine has not answered yet. */
const SILENT: ReadonlySet<StageName> = new Set<StageName>(["launch", "agent"]);

/** Way to look at a kept machine; empty where its agent takes no session. */
const session = ({ instanceId, failure }: NodeRecord): string =>
  failure === null || SILENT.has(failure.stage) || DEAF.has(failure.code)
    ? ""
    : `look at it with ${code(`aws ssm start-session --target ${instanceId}`)}; `;

const untilTerminated = ({ instanceId }: NodeRecord): string =>
  `it runs, and is billed, until someone terminates it: press Terminate now, or run ${typeThis("remove", instanceId ?? "")}`;

function next(node: NodeRecord, operation: OperationRecord, now: string): string {
  if (asksToContinue(node)) return continueNext(node, now);
  if (isKept(node)) return `${session(node)}${untilTerminated(node)}.`;
  if (node.status !== "deciding") return commandAfter(operation, node);
  const deadline = node.decideBy ? `at ${localTime(node.decideBy)} (in ${between(now, node.decideBy)})` : "soon";
  if (node.unjudgedBy)
    return `press again. Casement could not check whether ${prose(`<@${node.unjudgedBy}>`)} may decide; without another decision the instance is kept ${deadline}.`;
  return `keep the instance for inspection, or terminate it. Without a decision it is terminated ${deadline}.`;
}

/** Describes a node whose machine answers and fails a check: the check itself is the cause. */
const failsCheck = (node: NodeRecord, operation: OperationRecord, hasButtons: boolean): string[] => [
  sentence(plain((node.failure?.why ?? "").replace(GAVE_UP, ""), 600)),
  `${state(node, operation)}${hasButtons ? " *Why?* shows all checks; press *Check again* once this one is fixed." : ""}`,
];

/** Headline of a failed node, and of a drain that has passed its deadline. */
const headline = (node: NodeRecord, stage: StageName): string =>
  asksToContinue(node) ? `${nodeLabel(node)} is not drained yet` : `${nodeLabel(node)} failed at ${stageName(stage)}`;

/**
 * Describes a failed node: what happened, what it means, the next step, the details; and its buttons.
 * @param room characters that the details may take, at most 2,000
 * @returns no blocks when the node has not failed
 */
export function failureBlocks(
  node: NodeRecord,
  { operation, now, followUps = [] }: Pick<OperationView, "operation" | "now" | "followUps">,
  settings: MessageSettings,
  room: number,
): Block[] {
  const { failure } = node;
  if (!failure) return [];
  const remedy = remedyOf(failure);
  const cures = cureButtons(node, operation.request);
  const started = followUpOn(followUps, node.index);
  // The remedy names the buttons of a node that waits for its proof.
  const hasProof = cures.some(({ actionId }) => actionId === PROVE_AGAIN);
  const isNextSaid = isSettled(node) || hasProof;
  const lines =
    failure.code === "check-fails" && hasProof
      ? failsCheck(node, operation, started === undefined)
      : [
          `${state(node, operation)} Likely cause: ${remedy.cause}.`,
          `*Remedy:* ${(isKept(node) ? remedy.ofKept : undefined) ?? remedy.remedy}.`,
          ...(isNextSaid ? [] : [`*Next:* ${next(node, operation, now)}`]),
          codeBlock(withFoldedLog(failure.why), room),
        ];
  const head = `${signs[node.status]} *${headline(node, failure.stage)}* after ${workDone(node, now)}`;
  const text = section([head, ...lines].join("\n"));
  if (started) return [text, followUpBlock(started), ...rowOf(node, links(node, settings, now))];
  return [text, ...failureButtons(node, settings, now, cures)];
}
