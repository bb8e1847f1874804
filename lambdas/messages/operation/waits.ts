import type { Block, Message } from "../../records/records.ts";
import type { WaitHolder } from "../../records/reminders.ts";
import { type PersonWait, type WaitKind, waitName } from "../../records/waits.ts";
import { typeThis } from "../command/syntax.ts";
import { pausedWords } from "../rollout/rollout.ts";
import { between, localDate, localTime } from "../slack/age.ts";
import { actions, type Button, say, section } from "../slack/blocks.ts";
import {
  APPROVE_OPERATION,
  CONTINUE_DRAIN,
  CONTINUE_REBOOT,
  CONTINUE_REMOVAL,
  DENY_OPERATION,
  EC2_REBOOT,
  KEEP_ALL,
  KEEP_CORDONED,
  KEEP_INSTANCE,
  KEEP_ONE,
  LOOK_AGAIN,
  PROVE_AGAIN,
  REBOOT_THROUGH_EC2,
  REBOOT_WITH_PODS,
  RESUME_ROLLOUT,
  RESUME_WITH_MORE,
  RUN_UNAPPROVED,
  TAKE_WAIT,
  TERMINATE_ALL,
  TERMINATE_INSTANCE,
  UNCORDON_NODE,
} from "../slack/buttons.ts";
import { sign } from "../slack/signs.ts";
import { code, counted, mentionOf, plain, some } from "../slack/text.ts";
import { line, type Notice } from "./escalations.ts";

/** Words of one kind of wait. */
interface Words {
  /** State that waits, as a clause behind the node or the operation. */
  readonly says: string;
  /** Next step, as an order. */
  readonly next: (wait: PersonWait) => string;
  /** Section of the runbook. */
  readonly runbook: string;
  /** Buttons by which a person ends it. */
  readonly buttons: readonly string[];
  /** Kinds of the pages that call people to it when it begins. */
  readonly notices: readonly Notice["kind"][];
  /** Set where another part reminds people of it, with its buttons. */
  readonly remindsItself?: true;
}

const node = ({ node }: PersonWait): string => node ?? "";

/** Words, buttons and pages of everything that waits for a person. */
export const waitWords: Readonly<Record<WaitKind, Words>> = {
  approval: {
    says: "needs an approval",
    next: ({ operation }) => `press Approve or Deny in its message, or type ${typeThis("approve", operation)}`,
    runbook: "approvals",
    buttons: [APPROVE_OPERATION, DENY_OPERATION, RUN_UNAPPROVED],
    notices: ["approval"],
  },
  confirmation: {
    says: "waits for an answer in its dialog",
    next: ({ operation }) => `answer the dialog, or type ${typeThis("cancel", operation)}`,
    runbook: "when-removing-a-node-fails",
    buttons: [],
    notices: ["confirmation"],
  },
  continue: {
    says: "is not drained at its deadline",
    next: ({ operation }) =>
      `decide in the message of ${code(operation)} whether to go on, or type ${typeThis("cancel", operation)}`,
    runbook: "stage-eviction",
    buttons: [CONTINUE_DRAIN, CONTINUE_REBOOT, CONTINUE_REMOVAL, REBOOT_WITH_PODS],
    notices: ["decision"],
  },
  decision: {
    says: "failed and needs a decision",
    next: ({ operation }) => `press Keep for inspection or Terminate now in the message of ${code(operation)}`,
    runbook: "when-adding-a-node-fails",
    buttons: [KEEP_INSTANCE, TERMINATE_INSTANCE, KEEP_ONE, KEEP_ALL, TERMINATE_ALL],
    notices: ["decision"],
    remindsItself: true,
  },
  "late-reboot": {
    says: "has not come back from its reboot",
    next: ({ operation }) =>
      `look at its screen, then press Reboot through EC2… in the message of ${code(operation)}, or wait`,
    runbook: "stage-reboot",
    buttons: [EC2_REBOOT],
    notices: ["unproven"],
  },
  slot: {
    says: "waits for a slot of its pool",
    next: ({ takers = [], operation }) =>
      `bring ${some(takers.map(code), 3)} back into service (${typeThis("why", takers[0] ?? "<node>")}), or type ${typeThis("cancel", operation)}`,
    runbook: "stage-slot",
    buttons: [],
    notices: [],
  },
  paused: {
    says: "is a rollout that is paused",
    next: ({ operation }) =>
      `press Resume or Cancel operation in its message, or type ${typeThis("resume", operation)} or ${typeThis("cancel", operation)}`,
    runbook: "a-rollout-is-paused",
    buttons: [RESUME_ROLLOUT, RESUME_WITH_MORE],
    notices: ["decision"],
  },
  quarantined: {
    says: "is quarantined: two reboots could not be verified within a day",
    next: (wait) =>
      `find the cause with ${typeThis("why", node(wait))}, then type ${typeThis("uncordon", node(wait), "--quarantined", node(wait))}, or remove the node`,
    runbook: "stage-proof",
    buttons: [],
    notices: ["unproven"],
  },
  unproven: {
    says: "stays cordoned, because its reboot was not proven",
    next: (wait) =>
      `type ${typeThis("why", node(wait))}, then ${typeThis("prove", node(wait))}, or ${typeThis("cordon", node(wait))} to keep it`,
    runbook: "stage-proof",
    buttons: [PROVE_AGAIN, REBOOT_THROUGH_EC2, KEEP_CORDONED],
    notices: ["unproven"],
  },
  held: {
    says: "stays cordoned after a drain that failed",
    next: (wait) => `type ${typeThis("drain", node(wait))} again, or ${typeThis("uncordon", node(wait))}`,
    runbook: "stage-eviction",
    buttons: [UNCORDON_NODE, KEEP_CORDONED],
    notices: ["unproven"],
  },
  review: {
    says: "ran without an approval and needs a review",
    next: ({ operation }) =>
      `press Looks fine or Raise a concern in its message, or type ${typeThis("approve", operation)}`,
    runbook: "break-glass",
    buttons: [APPROVE_OPERATION, DENY_OPERATION],
    notices: ["break-glass"],
    remindsItself: true,
  },
  kept: {
    says: "has no Node and is billed",
    next: (wait) => `type ${typeThis("remove", node(wait))} when it is no longer needed`,
    runbook: "when-adding-a-node-fails",
    buttons: [TERMINATE_INSTANCE],
    notices: ["kept", "lost"],
    remindsItself: true,
  },
};

/** State that waits, as a clause behind the node or the operation. */
const stateOf = ({ kind, isRestart }: PersonWait): string =>
  kind === "unproven" && isRestart ? "stays cordoned, because its restart was not proven" : waitWords[kind].says;

/** Lines of the list; the rest is counted. */
const MOST = 10;

const subject = ({ node: name, operation }: PersonWait): string => code(name ?? operation);

/**
 * Lists what waits for a person, one line each.
 * @param now ISO 8601
 */
export function waitLines(waits: readonly PersonWait[], now: string): string[] {
  const lines = waits
    .slice(0, MOST)
    .map(
      (wait) =>
        `• ${subject(wait)} ${stateOf(wait)}, for ${between(wait.since, now)}: ${waitWords[wait.kind].next(wait)}.`,
    );
  const rest = waits.length - lines.length;
  return [...lines, ...(rest > 0 ? [`and ${counted(rest, "more")}`] : [])];
}

/**
 * Lists what waits for a person, above the nodes.
 * @param now ISO 8601
 * @returns no blocks when nothing waits
 */
export function waitBlocks(waits: readonly PersonWait[], now: string): Block[] {
  if (waits.length === 0) return [];
  return [section([`${sign.decide} *Waiting for a person*`, ...waitLines(waits, now)].join("\n").slice(0, 3_000))];
}

/** Says who has what waits, and how long reminders are silent. */
export const holderWords = ({ userId, since, until }: WaitHolder): string =>
  `${mentionOf(userId)} has had it since ${localTime(since)}. Reminders are silent until ${localTime(until)}.`;

/** Button with which a person takes what waits. @param name of the wait */
export const takeButton = (name: string): Button => ({ actionId: TAKE_WAIT, value: name, text: "I have it" });

/** Answers a person who presses **I have it** after the wait has ended. */
export const waitOver: Message = say("It no longer waits for a person. Nothing was changed.");

/** People who are called to a wait, and the one who has it. Ids are Slack's; `now` is ISO 8601. */
interface Called {
  readonly called: readonly string[];
  readonly holder?: WaitHolder | undefined;
  readonly now: string;
}

/** Reminds people of something that waits for them, or says who of them has it. */
export function waitReminder(wait: PersonWait, { called, holder, now }: Called): Message {
  const { next } = waitWords[wait.kind];
  const cause = wait.pause === undefined ? "" : `: ${pausedWords(wait.pause)}`;
  const end = wait.until === undefined ? "" : ` It waits until ${localDate(wait.until)}.`;
  const words = `${sign.reminder} ${subject(wait)} ${stateOf(wait)}, for ${between(wait.since, now)}${cause}.${end} Next: ${next(wait)}.`;
  const text = `${called.map(mentionOf).join(" ")} ${words}`.trim();
  const has = holder ? [section(holderWords(holder))] : [];
  const buttons = [
    ...(wait.takers ?? [])
      .slice(0, 1)
      .map((taker): Button => ({ actionId: LOOK_AGAIN, value: `why ${taker}`, text: "Why?" })),
    // Only the requester can answer a dialog: nobody else can have it.
    ...("person" in wait.audience ? [] : [takeButton(waitName(wait))]),
  ];
  const row =
    buttons.length > 0 ? [actions(`wait:${wait.kind}:${wait.operation}`, buttons, wait.node ?? wait.operation)] : [];
  return { text, blocks: [section(text), ...has, ...row] };
}

/** Calls people past Slack to a node that an operation has left out of service. @param now ISO 8601 */
export const waitNotice = (wait: PersonWait, now: string): Notice => ({
  kind: "unproven",
  operation: wait.operation,
  message: line(
    `${plain(node(wait))} ${stateOf(wait)}, for ${between(wait.since, now)}. It takes no pods until a person decides. See docs/runbook.md#${waitWords[wait.kind].runbook}.`,
  ),
  until: null,
});

/** Waits that leave a node out of service: people are called to them past Slack, because no page did when they began. */
export const pages = (kind: WaitKind): boolean => waitWords[kind].notices.includes("unproven");
