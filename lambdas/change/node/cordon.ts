import { CORDONED_BY, OUT_OF_BALANCERS } from "../../cluster/node-keys.ts";
import { Retryable } from "../../errors.ts";
import { log } from "../../logging.ts";
import { type CordonOutcome, cordonEvent, gaveBackEvent, type NodeEvent } from "../../messages/node/cordon.ts";
import { isBusy, wordsOf } from "../../steps/client-errors.ts";
import {
  type CordonRecord,
  cordonPatch,
  isCordonedByOthers,
  isRecorded,
  judgeGiveBack,
} from "../../steps/cluster/cordon-rules.ts";
import type { Node } from "../../steps/cluster/nodes.ts";
import type { OpenCordon } from "../../steps/ledger/cordons.ts";
import type { Steps } from "../../steps/steps.ts";
import { reopenLeftWork, takeOverLeftWork } from "./settle.ts";

/** The Node to cordon, and the operation that does it. */
export type CordonTarget = Pick<CordonRecord, "node" | "uid" | "instanceId" | "operation" | "index"> & {
  /** Takes the node out of the load balancers too, as a drain does. */
  readonly takesOut?: boolean;
};

/** The label that takes the node out of load balancers; none if others had set it already, or it belongs to a kept cordon. */
function labelsFor(node: Node, { takesOut }: CordonTarget, open: OpenCordon | undefined): Record<string, string> {
  const isThere = node.metadata?.labels?.[OUT_OF_BALANCERS] !== undefined;
  const isOwn = open?.keptAt === undefined && open?.adds.labels[OUT_OF_BALANCERS] !== undefined;
  return takesOut && (!isThere || isOwn) ? { [OUT_OF_BALANCERS]: "true" } : {};
}

/**
 * Cordons a node, after the ledger has the owner and the state before. A Node that was deleted needs no cordon.
 * @throws Retryable until the Node shows the cordon
 */
export async function putCordon(steps: Steps, cordoning: CordonTarget): Promise<void> {
  // Read the record first: another operation that uncordons changes the Node before its record.
  const open = await steps.cordons.find(cordoning.uid);
  const node = await steps.nodes.read(cordoning.node);
  if (node?.metadata?.uid !== cordoning.uid) return;
  if (open?.operation === cordoning.operation && isRecorded(node, open)) return;
  const isByOthers = isCordonedByOthers(node, open);
  const annotations: Record<string, string> = isByOthers ? {} : { [CORDONED_BY]: cordoning.operation };
  const adds = { taints: [], annotations, labels: labelsFor(node, cordoning, open) };
  const { takesOut: _takesOut, ...owner } = cordoning;
  if (open && open.operation !== cordoning.operation) await takeOverLeftWork(steps, open, cordoning.operation);
  const record = await steps.cordons.own({ ...owner, wasUnschedulable: isByOthers, adds });
  if (isByOthers) return labelOnly(steps, node, record);
  await steps.nodes.change(node, cordonPatch(record));
  await checkCordoned(steps, record);
  const { type, reason, message } = cordonEvent(record.operation);
  await inform(steps, record, { type, reason, message });
}

/**
 * Writes an Event on the Node. It only informs people: if the API server refuses it, the log shows that and the work
 * continues.
 */
async function inform(steps: Steps, { node, uid }: CordonRecord, { type, reason, message }: NodeEvent): Promise<void> {
  try {
    await steps.nodes.announce({ name: node, uid }, type, reason, message);
  } catch (error) {
    if (isBusy(error)) throw error;
    log("WARN", "refusal", { service: "kubernetes", action: "create an Event", node, why: wordsOf(error) });
  }
}

/** Adds only the label to a node that another person or controller has cordoned; their cordon stays. */
async function labelOnly(steps: Steps, node: Node, { adds: { labels } }: CordonRecord): Promise<void> {
  const isMissing = Object.keys(labels).some((key) => node.metadata?.labels?.[key] === undefined);
  if (isMissing) await steps.nodes.change(node, { metadata: { labels } });
}

async function checkCordoned(steps: Steps, { node: name, uid }: CordonRecord): Promise<void> {
  const node = await steps.nodes.read(name);
  if (node?.metadata?.uid === uid && node.spec?.unschedulable !== true)
    throw new Retryable(`the cordon of ${name} is not seen yet`);
}

/**
 * Uncordons a node that an operation had cordoned, and keeps what others changed since. May be repeated, also by two
 * executions together; the record stays open until `close`.
 * @param isEnding EC2 is terminating the instance: then its Node stays as it is
 * @returns the outcome; null when the operation has no open record of this Node
 * @throws Retryable when another writer changed the Node or its record at the same time
 */
export async function giveBackCordon(
  steps: Steps,
  uid: string,
  operation: string,
  isEnding: boolean,
): Promise<CordonOutcome | null> {
  const record = await steps.cordons.find(uid);
  if (!record || record.operation !== operation) return null;
  if (record.outcome) return record.outcome;
  const outcome = await changeBack(steps, record, isEnding);
  await announce(steps, record, outcome);
  if (outcome === "as-before" && record.kept) await reopenLeftWork(steps, record.kept);
  return (await steps.cordons.settle(record, outcome))?.outcome ?? null;
}

async function changeBack(steps: Steps, record: OpenCordon, isEnding: boolean): Promise<CordonOutcome> {
  const node = await steps.nodes.read(record.node);
  const { outcome, patch } = judgeGiveBack(record, node, record.planned);
  if (isEnding && node?.metadata?.uid === record.uid) return "terminating";
  if (!node || !patch) return outcome;
  if (!(await steps.cordons.plan(record, outcome))) throw new Retryable(`another operation has ${record.node} now`);
  await steps.nodes.change(node, patch);
  return outcome;
}

/** Writes the outcome as an Event, for people with kubectl; a Node that was deleted gets none. */
async function announce(steps: Steps, record: CordonRecord, outcome: CordonOutcome): Promise<void> {
  const event = gaveBackEvent(outcome, record.operation, record);
  if (!event) return;
  await inform(steps, record, event);
}
