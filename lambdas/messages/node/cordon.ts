import type { PlanCard } from "../../records/approval.ts";
import type { Failure } from "../../records/failures.ts";
import type { Message, OperationRecord } from "../../records/records.ts";
import type { NodeWorkflow } from "../../stages.ts";
import { titleOfOperation, typeThis } from "../command/syntax.ts";
import { context, say, section } from "../slack/blocks.ts";
import { code, plain, prose } from "../slack/text.ts";

/** Outcome of giving a node back; only the first three changed whether pods may be scheduled on it. */
export type CordonOutcome =
  /** It is schedulable again. */
  | "uncordoned"
  /** Its start-up taint is off, and it is cordoned instead: it was never in service. */
  | "cordoned-instead"
  /** Another actor had uncordoned it. */
  | "schedulable"
  /** The API server never took the operation's cordon. */
  | "never-cordoned"
  /** It was cordoned before the operation began. */
  | "as-before"
  /** Another actor has cordoned it since. */
  | "cordoned-since"
  /** Another operation or a person has put another name into the annotation. */
  | "another-owner"
  | "replaced"
  | "deleted"
  /** EC2 is terminating its instance. */
  | "terminating";

/** Outcome for a cordon that an execution left; "unproven" waits for the proof of a reboot. */
export type LeftCordonOutcome = CordonOutcome | "unproven";

/** The node that was cordoned, and its instance. */
interface Subject {
  readonly node: string;
  readonly instanceId: string;
  /** The workflow that cordoned it; missing where it does not matter. */
  readonly workflow?: NodeWorkflow;
}

/** State of a node after its cordon was given back, or why it was left as it is, with the next step. */
const sentences: Readonly<Record<CordonOutcome, (subject: Subject) => string>> = {
  uncordoned: ({ workflow }) =>
    workflow === "restart"
      ? "the node is schedulable again"
      : "the node is schedulable again; evicted pods stay where they are now",
  "cordoned-instead": ({ node }) =>
    `the node was cordoned in place of its start-up taint, because its setup did not finish; remove it, or put it in service with ${code(`kubectl uncordon ${node}`)}`,
  schedulable: () => "the node is schedulable; someone else uncordoned it",
  "never-cordoned": () => "the node is schedulable, as it was before",
  "as-before": () => "the node is cordoned, as it was before",
  "cordoned-since": ({ node }) =>
    `the node stays cordoned, because someone else has cordoned it since; ${code(`kubectl uncordon ${node}`)} makes it schedulable`,
  "another-owner": ({ node }) =>
    `the node stays cordoned, because ${code("casement.dev/cordoned-by")} names another owner; see ${code(`kubectl describe node ${node}`)}`,
  replaced: ({ node }) => `a new Node ${code(node)} has taken its place and was not changed`,
  deleted: () => nodeIsGone,
  terminating: ({ instanceId }) =>
    `EC2 is terminating ${code(instanceId)}; its Node stays cordoned until the cluster deletes it`,
};

/** Says in one clause what became of a node that an operation had cordoned. */
export const cordonLeft = (outcome: CordonOutcome, subject: Subject): string => sentences[outcome](subject);

/** An Event on a Node, for people with kubectl. */
export interface NodeEvent {
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly message: string;
}

/** The Event of a change that did not succeed, so that Events show that it has ended. @param reason of the Events of its stages */
export const endEvent = (operation: string, reason: string, failure: Failure | null): NodeEvent =>
  failure === null
    ? { type: "Normal", reason: `${reason}Cancelled`, message: `${operation} was cancelled` }
    : {
        type: "Warning",
        reason: `${reason}Failed`,
        message: `${operation} failed at stage ${failure.stage}: ${failure.why}`,
      };

/** The Event of a cordon. */
export const cordonEvent = (operation: string): NodeEvent => ({
  type: "Normal",
  reason: "CasementCordoned",
  message: `cordoned by ${operation}`,
});

/** Outcomes that leave a node out of service which was in service before. */
const STAYS_OUT: ReadonlySet<CordonOutcome> = new Set(["cordoned-instead", "cordoned-since", "another-owner"]);

/** Outcomes in which there is no Node to write an Event on. */
const NO_NODE: ReadonlySet<CordonOutcome> = new Set(["replaced", "deleted"]);

/** The Event that says what became of an operation's cordon; null where the Node is gone. */
export function gaveBackEvent(outcome: CordonOutcome, operation: string, subject: Subject): NodeEvent | null {
  if (NO_NODE.has(outcome)) return null;
  const stays = STAYS_OUT.has(outcome);
  return {
    type: stays ? "Warning" : "Normal",
    reason: outcome === "uncordoned" ? "CasementUncordoned" : "CasementLeftNode",
    message: `${operation} has ended: ${cordonLeft(outcome, subject).replaceAll("`", "")}`,
  };
}

/** Reply in the thread of an operation that ended and left a node cordoned: the node was uncordoned later. */
export function cordonGivenBack(operation: OperationRecord, subject: Subject, outcome: CordonOutcome): Message {
  const title = plain(titleOfOperation(operation), 300);
  return {
    text: `${title}: ${plain(subject.node, 200)} was given back`,
    blocks: [
      section(`${code(subject.node)} of *${title}*: ${prose(cordonLeft(outcome, subject), 600)}.`),
      context(code(operation.id)),
    ],
  };
}

/** Reply in the thread of an operation that ended and left a node cordoned: the node waits for the proof of its reboot. */
export function cordonKept(operation: OperationRecord, { node }: Subject): Message {
  const title = plain(titleOfOperation(operation), 300);
  return {
    text: `${title}: ${plain(node, 200)} stays cordoned`,
    blocks: [
      section(`${code(node)} of *${title}*: ${prose(cordonLeaves.unproven(node), 600)}.`),
      context(code(operation.id)),
    ],
  };
}

/** The Event of an uncordon that a person asked for. */
export const uncordonedEvent = (operation: string): NodeEvent => ({
  type: "Normal",
  reason: "CasementUncordoned",
  message: `uncordoned by ${operation}`,
});

/** Result of a cordon or uncordon that a person asked for. */
export type CordonResult =
  | "cordoned"
  | "cordoned-before"
  | "kept"
  | "uncordoned"
  /** Uncordoned, while the taint of an autoscaler stays. */
  | "uncordoned-marked"
  | "schedulable-before"
  | "gone";

const results: Readonly<Record<CordonResult, (node: string) => string>> = {
  cordoned: (node) => `${node} is cordoned: no new pods are scheduled on it. Its pods keep running.`,
  "cordoned-before": (node) => `${node} was already cordoned. Nothing was changed.`,
  kept: (node) => `${node} stays cordoned. Only {win} uncordon makes it schedulable again.`,
  uncordoned: (node) => `${node} is schedulable again.`,
  "uncordoned-marked": (node) =>
    `${node} is uncordoned, but the taint of an autoscaler still keeps new pods away: ${typeThis("why", node)} names it.`,
  "schedulable-before": (node) => `${node} was already schedulable. Nothing was changed.`,
  gone: (node) => `${node} no longer exists. Nothing was changed.`,
};

/** Outcome of the work on a node whose Node object was deleted meanwhile. */
export const nodeIsGone = "its Node no longer exists";

/** Sums up a cordon or uncordon that a person asked for, for message and ledger. */
export const cordonSummary = (result: CordonResult, node: string): string => results[result](node);

/** Opening of the state of a node whose pool has a person decide after a failed drain. */
export const asksForCordon = "the node stays cordoned until a person decides";

/** State that a cordon leaves behind when it fails. */
export const cordonLeaves = {
  untouched: "nothing was changed",
  held: (node: string): string =>
    `the node stays cordoned, as its pool's afterFailedDrain says; ${typeThis("uncordon", node)} makes it schedulable`,
  stuck: (node: string): string =>
    `the node stays cordoned, because pods on it do not end; once they have ended, ${typeThis("uncordon", node)} makes it schedulable`,
  asks: (node: string): string =>
    `${asksForCordon}: press Uncordon or Keep cordoned, or type ${typeThis("uncordon", node)} or ${typeThis("cordon", node)}`,
  leftToPerson: (node: string, operation: string): string =>
    `the node stays cordoned, as ${code(operation)} left it; ${typeThis("uncordon", node)} makes it schedulable`,
  unproven: (node: string): string => `the node stays cordoned until it is proven (${typeThis("prove", node)})`,
  quarantined: (node: string): string =>
    `the node is quarantined, because two of its reboots could not be verified within a day: it stays cordoned until ${typeThis("uncordon", node, "--quarantined", node)}`,
  unseen: (why: string): string => `the Node could not be read: ${why}`,
  unknown: "the node may still be cordoned",
  cordoned: (node: string, why: string): string =>
    `the node is still cordoned, because ${why}; ${code(`kubectl uncordon ${node}`)} makes it schedulable now, and the sweep does within 15 minutes if it can`,
} as const;

/** Reason why a quarantined node is not uncordoned, with the command that does it. */
export const stillQuarantined = (node: string): string =>
  `${code(node)} is quarantined: two of its reboots could not be verified within a day. Next: ${typeThis("why", node)} shows what is wrong; ${typeThis("uncordon", node, "--quarantined", node)} puts it back in service anyway.`;

/** Reason why a rollout leaves a quarantined node out. */
export const quarantinedInRollout = (node: string): string =>
  `${code(node)} is quarantined: two of its reboots could not be verified within a day. Next: ${typeThis("why", node)} shows what is wrong; once it is fixed, reboot it on its own.`;

/** Sums up a cordon or uncordon that did not come to its end. @param left as a clause */
export const cordonFailedSummary = {
  cancelled: (left: string): string => `Cancelled: ${left}.`,
  failed: (command: "cordon" | "uncordon", left: string): string => `The ${command} failed: ${left}.`,
} as const;

/** The dry run of a cordon or uncordon that would be allowed. */
export function cordonDryRun(command: "cordon" | "uncordon", node: string, isCordoned: boolean): Message {
  const isDone = isCordoned === (command === "cordon");
  const change = isDone ? `is already ${isCordoned ? "cordoned" : "schedulable"}` : `would be ${command}ed`;
  const next = isDone ? "Nothing to apply." : `To apply: ${typeThis(command, node)}`;
  return say(`*Dry run: nothing was changed.* ${code(node)} ${change}.\n${next}`);
}

/** The plan of a cordon or uncordon, for the message that asks for its approval. */
export function cordonPlanCard(command: "cordon" | "uncordon", node: string, isCordoned: boolean): PlanCard {
  const does =
    command === "cordon"
      ? `${code(node)} is cordoned: no new pods are scheduled on it, and running pods stay`
      : `${code(node)} is uncordoned: new pods may be scheduled on it`;
  const already =
    isCordoned === (command === "cordon") ? ` It is already ${isCordoned ? "cordoned" : "schedulable"}.` : "";
  return { blocks: [section(`*Plan*: ${does}.${already}`)] };
}

const by = (userId: string | null): string => (userId === null ? "" : ` by <@${userId}>`);

/** Later state of a node that was left cordoned: a person took the cordon over. */
export const keptCordoned = (userId: string | null): string =>
  `kept cordoned${by(userId)}; only {win} uncordon makes it schedulable again`;

/** Later state of a node that was left cordoned: a person gave it back. */
export const uncordonedSince = (userId: string | null): string => `uncordoned since${by(userId)}`;

/** Later state of a node that was left cordoned: a later operation proved that it works. */
export const provenSince = (operation: string): string => `proven since by ${operation}, which gave the node back`;

/** Later state of a node that was left cordoned: its Node was deleted, and the cordon with it. */
export const deletedSince = "its Node was deleted since, and the cordon with it";

/** Later state of a node that was left cordoned: a later operation works on it. */
export const takenOver = (operation: string): string => `${code(operation)} has taken the node over since`;
