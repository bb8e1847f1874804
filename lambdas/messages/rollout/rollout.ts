import { workOwner } from "../../records/node-work.ts";
import { requesterOf } from "../../records/origin.ts";
import type { Message, NodeRecord, OperationRecord } from "../../records/records.ts";
import { isLeftOut, type PauseCause } from "../../records/rollout-moves.ts";
import type { RolloutPause, TakenSlots } from "../../records/steering.ts";
import { type TitledOperation, titleOfOperation, typeThis } from "../command/syntax.ts";
import { withFoldedLog } from "../health/log-words.ts";
import { slotTimes } from "../maintenance/times.ts";
import { line, type Notice } from "../operation/escalations.ts";
import { stageName } from "../operation/stages.ts";
import { type Button, say } from "../slack/blocks.ts";
import { PAUSE_ROLLOUT, RESUME_ROLLOUT, RESUME_WITH_MORE } from "../slack/buttons.ts";
import { counted, failureWords, GAVE_UP, prose, some } from "../slack/text.ts";
import { commonReason, stopAndEnd } from "../stops/stop.ts";

/** Nodes named in a sentence; the rest is counted. */
const MOST = 5;

/** Reason why a node of a rollout is not begun. */
export const worseThanApproved = (node: string, command: string, worse: readonly string[]): string =>
  `the plan of ${node} got worse since it was approved (${worse.join("; ")}); a ${command} of this node alone asks again`;

/** Reason why a node of a rollout is left out: it would lose something that the rollout's plan does not list. */
export const losesMore = (node: string, losses: readonly string[]): string =>
  `the eviction of ${node} loses what the plan of the rollout does not list: ${some(losses, MOST)}`;

/** Reason why a rollout skips a node whose plan too few people approve now. */
export const notApprovedPart = (node: string, command: string): string =>
  `too few people who may approve now have approved the rollout's plan; a ${command} of ${node} alone asks again`;

/** Reason why a rollout skips a node that its request does not name. */
export const notMeant = (node: string): string => `the request of the rollout does not name ${node}`;

/** Outcome of a node whose turn did not come. */
export const notBegun = "not begun";

const nameOf = ({ nodeName, index }: NodeRecord): string => nodeName ?? `node ${index + 1}`;

const failedWords = (nodes: readonly NodeRecord[]): string =>
  some(
    nodes.map((node) =>
      node.failure ? `${nameOf(node)} failed at ${stageName(node.failure.stage)}` : `${nameOf(node)} failed`,
    ),
    MOST,
  );

const causes: Readonly<Record<PauseCause["kind"], (nodes: readonly NodeRecord[]) => string>> = {
  canary: () => "the first node is proven, and the rollout was started with --canary",
  failed: failedWords,
  stopped: (nodes) =>
    some([...new Set(nodes.map((node) => commonReason(node.failure?.why ?? "", nameOf(node))))], MOST),
  "no slot": (nodes) => `no slot became free for ${some(nodes.map(nameOf), MOST)}`,
};

/** Reason of a pause that the rollout made by itself, as a clause. */
export const pauseWords = (cause: PauseCause, nodes: readonly NodeRecord[]): string =>
  causes[cause.kind](cause.kind === "canary" ? [] : nodes.filter(({ index }) => cause.indexes.includes(index)));

/** Cause of the only failure after which a rollout has paused; undefined for several failures, and for another pause. */
export function pauseCauseOf(cause: PauseCause, nodes: readonly NodeRecord[]): string | undefined {
  if (cause.kind !== "failed" || cause.indexes.length !== 1) return undefined;
  const why = nodes.find(({ index }) => index === cause.indexes[0])?.failure?.why;
  return why === undefined ? undefined : withFoldedLog(why.replace(GAVE_UP, ""));
}

/** Reason of a pause, and its cause where it is known, as a clause; then what ends the freeze or hold over it. */
export const pausedWords = ({ why, cause, stop }: Omit<RolloutPause, "by" | "at">): string =>
  [
    cause === undefined ? prose(why) : `${prose(why)} (${failureWords(cause, 300)})`,
    ...(stop ? [prose(stopAndEnd(stop, why))] : []),
  ].join(". ");

/** Reason of a pause by a person, as a clause. */
export const pausedBy = (userId: string): string => `<@${userId}> paused it`;

const doneOf = (nodes: readonly NodeRecord[]): number =>
  nodes.filter(({ status, outcome }) => status === "succeeded" && outcome === null).length;

/** Work of a rollout on its nodes, as a verb. */
const verbOf = ([first]: readonly NodeRecord[]): string => (first?.workflow === "restart" ? "restart" : "reboot");

/** "2 of 4 nodes are rebooted and proven" */
const progress = (nodes: readonly NodeRecord[]): string => {
  const done = doneOf(nodes);
  return `${done} of ${counted(nodes.length, "node")} ${done === 1 || nodes.length === 1 ? "is" : "are"} ${verbOf(nodes)}ed and proven`;
};

/** State of a paused rollout, for message and ledger. */
export const pausedSummary = (
  pause: Pick<RolloutPause, "why" | "taken" | "stop">,
  nodes: readonly NodeRecord[],
): string => [`Paused: ${pause.why}. ${progress(nodes)}.`, onwards(pause, nodes), "Cancel ends the rollout."].join(" ");

/** Next step of a paused rollout: what ends its freeze or frees a slot, or that Resume continues it. */
function onwards(
  { why, taken, stop }: Pick<RolloutPause, "why" | "taken" | "stop">,
  nodes: readonly NodeRecord[],
): string {
  if (stop) return `${stopAndEnd(stop, why)}, then press Resume.`;
  if (taken)
    return `${takenWords(taken)} Bring ${taken.away.length === 1 ? "it" : "one of them"} back into service, then press Resume; or go on with ${moreOf(taken)} nodes unavailable.`;
  if (stop === null) return "No freeze or hold stops it any more: press Resume.";
  return `Nodes whose ${verbOf(nodes)} has not been sent are restored, the others are finished. Resume goes on with the nodes that are left.`;
}

/** "win-1 is NotReady or cordoned and takes the only slot of pool web." */
function takenWords({ pool, most, away }: TakenSlots): string {
  const [is, takes] = away.length === 1 ? ["is", "takes"] : ["are", "take"];
  const slots = most === 1 ? "the only slot" : `all ${most} slots`;
  const where = pool === null ? "of the nodes without a pool" : `of pool ${pool}`;
  return `${some(away, MOST)} ${is} NotReady or cordoned and ${takes} ${slots} ${where}.`;
}

/** Number of unavailable nodes with which a rollout can go on beside those that take all slots. */
const moreOf = ({ away }: TakenSlots): number => away.length + 1;

/**
 * State of a rollout whose slot has ended, for message and ledger.
 * @param wait its next slot, in milliseconds since the epoch; null when none is in sight
 */
export function rolloutClosed(
  nodes: readonly NodeRecord[],
  wait: { readonly from: number; readonly until: number | null; readonly timeZone: string } | null,
): string {
  const next = wait
    ? `goes on ${slotTimes(wait.from, wait.until, wait.timeZone)}`
    : "waits: there is no maintenance in the next 35 days, and it is looked for every day";
  return `The maintenance is over: nodes whose ${verbOf(nodes)} was not sent were restored, the others are finished. ${progress(nodes)}. The rollout ${next}.`;
}

/** State of a rollout that a person let go on. */
export const resumedSummary = (userId: string): string => `Resumed by <@${userId}>.`;

/** Sums up a rollout at its end, for message and ledger. */
export function rolloutSummary(nodes: readonly NodeRecord[]): string {
  const leftOut = nodes.filter(isLeftOut);
  const failed = nodes.filter((node) => node.status === "failed" && !isLeftOut(node));
  const gone = nodes.filter(({ status, outcome }) => status === "succeeded" && outcome !== null);
  const left = nodes.filter(({ status }) => status === "cancelled" || status === "queued");
  return [
    `${progress(nodes)}.`,
    ...(failed.length > 0 ? [`${failedWords(failed)}.`] : []),
    ...(leftOut.length > 0
      ? [`Left out, because pods or data would be lost: ${some(leftOut.map(nameOf), MOST)}.`]
      : []),
    ...(gone.length > 0 ? [`No longer there: ${some(gone.map(nameOf), MOST)}.`] : []),
    ...(left.length > 0 ? [`Not ${verbOf(nodes)}ed: ${some(left.map(nameOf), MOST)}.`] : []),
  ].join(" ");
}

/** Calls the requester to a rollout that has paused by itself. */
export function pauseCall(operation: OperationRecord, pause: RolloutPause): Message {
  const { taken } = pause;
  const person = requesterOf(operation);
  const to = person ? `${prose(`<@${person.userId}>`)}, the` : "The";
  const { id } = operation;
  return say(
    `${to} rollout is paused: ${pausedWords(pause)}.${taken ? ` ${takenWords(taken)}` : ""} Press *Resume* or *Cancel operation* above, or type ${typeThis("resume", id)} or ${typeThis("cancel", id)}.`,
  );
}

/** Calls people past Slack to a rollout that has paused by itself. */
export const pauseNotice = (
  operation: Pick<OperationRecord, "id"> & TitledOperation,
  { why }: RolloutPause,
): Notice => ({
  kind: "decision",
  operation: operation.id,
  message: line(
    `${operation.id} (${titleOfOperation(operation)}) is paused: ${why}. Press Resume or Cancel in Slack; until then no further node is begun. See docs/runbook.md#a-rollout-is-paused.`,
  ),
  until: null,
});

function resumeWithMore(id: string, taken: TakenSlots): Button {
  const more = moreOf(taken);
  return {
    actionId: RESUME_WITH_MORE,
    value: workOwner({ operation: id, index: more }),
    text: `Go on with ${more} unavailable`,
    confirm: {
      title: `Go on with ${more} nodes unavailable?`,
      text: `${takenWords(taken)} The rollout reboots another node although the configuration allows ${counted(taken.most, "unavailable node")}.`,
      confirm: "Go on",
      deny: "Stay paused",
    },
  };
}

/** Buttons of a rollout beside the one that cancels it. */
export function rolloutButtons({ id, rollout, endedAt }: OperationRecord): Button[] {
  if (!rollout || endedAt !== null) return [];
  const { paused } = rollout;
  if (!paused) return [{ actionId: PAUSE_ROLLOUT, value: id, text: "Pause" }];
  const resume: Button = { actionId: RESUME_ROLLOUT, value: id, text: "Resume" };
  return paused.taken ? [resume, resumeWithMore(id, paused.taken)] : [{ ...resume, style: "primary" }];
}
