import { hostNames } from "../../commands/node-matches.ts";
import { LONGEST_COMMAND } from "../../commands/normalize.ts";
import type {
  FleetCause,
  FleetGroup,
  FleetNode,
  FleetTrouble,
  FleetTroubleKind,
  PoolShare,
} from "../../health/fleet-trouble.ts";
import { nobodyAwake } from "../../messages/approval/break-glass.ts";
import { sharedWords } from "../../messages/fleet/shared-traits.ts";
import { foreign } from "../../messages/health/trouble-text.ts";
import { line, type Notice } from "../../messages/operation/escalations.ts";
import { holderWords, takeButton } from "../../messages/operation/waits.ts";
import { between, localDate, utc } from "../../messages/slack/age.ts";
import { actions, type Button, say, section, sections } from "../../messages/slack/blocks.ts";
import { DO_NEXT, LOOK_AGAIN } from "../../messages/slack/buttons.ts";
import { sign } from "../../messages/slack/signs.ts";
import { code, counted, mentionOf, plain, some } from "../../messages/slack/text.ts";
import { type FleetCall, fleetCallName } from "../../records/fleet-call.ts";
import type { Block, Message } from "../../records/records.ts";
import type { WaitHolder } from "../../records/reminders.ts";

const RUNBOOK = "docs/runbook.md#many-nodes-are-notready";

/** Most nodes that a group names; the rest is counted. */
const MOST_NODES = 8;

/** Most causes that a message tells; a kubelet chooses its words, so there may be one for each node. */
const MOST_GROUPS = 10;

const pools = (shares: readonly PoolShare[]): string =>
  shares.map(({ pool, failing, all }) => `${pool ?? "no pool"} ${failing} of ${all}`).join(", ");

/** Trouble as a clause: "4 of 7 Windows nodes are NotReady". */
const heads: Readonly<Record<FleetTroubleKind, (trouble: FleetTrouble) => string>> = {
  "not-ready": ({ failing, all }) => `${failing.length} of ${counted(all, "Windows node")} are NotReady`,
  "agents-silent": ({ failing, all }) =>
    `The SSM agents of ${failing.length} of ${counted(all, "Windows node")} are silent`,
};

const causeWords = (cause: FleetCause): string => {
  switch (cause.kind) {
    case "instance":
      return `the instance is ${plain(cause.state, 40)}`;
    case "kubelet-silent":
      return `the kubelet has stopped reporting${cause.isAgentSilent ? ", and so has the SSM agent" : ", the SSM agent reports"}`;
    case "kubelet-unready":
      return `the kubelet reports ${foreign(cause.reason, 80)}${cause.message ? `: ${foreign(cause.message, 200)}` : ""}`;
    case "no-profile":
      return "the instance has no instance profile, so the agent has no permissions";
    case "agent-silent":
      return "the agent has stopped reporting; the kubelet reports";
  }
};

const shortNames = (failing: readonly FleetNode[]) => hostNames(failing.map(({ node }) => node));

/** Short name of the first failing node, for the button and the step that look at one of them. */
const firstName = ({ failing }: FleetTrouble): string => shortNames(failing)(failing[0]?.node ?? "");

function groupLines({ cause, nodes, shared }: FleetGroup, { failing }: FleetTrouble, working: string): string[] {
  const short = shortNames(failing);
  const names = some(
    nodes.map(({ node }) => code(short(node))),
    MOST_NODES,
  );
  const words = sharedWords(shared, working);
  return [`• ${counted(nodes.length, "node")}: ${causeWords(cause)}. ${names}`, ...(words ? [`    ${words}`] : [])];
}

/** A command that recovers failing nodes of one pool, and the text of its button. */
interface Recovery {
  readonly command: string;
  readonly text: string;
}

/** Most pools for which a message has a button. */
const MOST_RECOVERIES = 5;

/** Names that fit into a button's command: the others are recovered by the button of the next update. */
function fitting(names: readonly string[]): readonly string[] {
  const lengths = names.map((_name, at) => `reboot ${names.slice(0, at + 1).join(" ")}`.length);
  return names.slice(0, lengths.filter((length) => length <= LONGEST_COMMAND).length);
}

const recoverText = (pool: string | null, some: number, all: number): string =>
  some < all ? `Recover ${some} of ${all} in ${pool ?? "no pool"}…` : `Recover ${pool ?? "the others"}…`;

/**
 * Builds a recovery for each pool, because a rollout is about one: it only reboots failing nodes. Nodes on which an operation
 * works, or for which Casement does not act, are left out.
 */
function recoveriesOf({ kind, failing, pools: shares }: FleetTrouble): Recovery[] {
  if (kind !== "not-ready") return [];
  const short = shortNames(failing);
  const recoveries = shares.flatMap(({ pool }) => {
    const names = failing
      .filter((node) => node.pool === pool && node.isOwn && !node.isHeld)
      .map(({ node }) => short(node));
    const few = fitting(names);
    const text = recoverText(pool, few.length, names.length);
    return few.length > 0 ? [{ command: `reboot ${few.join(" ")}`, text, isAll: few.length === names.length }] : [];
  });
  const [only] = recoveries;
  if (only?.isAll && recoveries.length === 1) return [{ ...only, text: "Recover them…" }];
  return recoveries.slice(0, MOST_RECOVERIES);
}

/** A row of buttons for each recovery, because a row may have a kind of button once; Why? is in the first, I have it in the last. */
function rows(trouble: FleetTrouble): Block[] {
  const why: Button = { actionId: LOOK_AGAIN, value: `why ${firstName(trouble)}`, text: "Why?" };
  const recoveries = recoveriesOf(trouble).map(
    ({ command, text }): Button => ({ actionId: DO_NEXT, value: command, text }),
  );
  const [one, ...others] = recoveries;
  const all = [[why, ...(one ? [one] : [])], ...others.map((other) => [other])];
  const last = all.length - 1;
  return all.map((buttons, at) =>
    actions(`fleet:${trouble.kind}:${at}`, at === last ? [...buttons, takeButton(fleetCallName(trouble))] : buttons),
  );
}

function next(trouble: FleetTrouble, isDispensable: boolean): string {
  const { kind, failing, all } = trouble;
  const first = code(firstName(trouble));
  if (kind === "agents-silent")
    return `Pods go on running, but no command reaches these machines. Next: press *Why?* for ${first}, and check the way to Systems Manager from what they share: endpoint, NAT, instance profile.`;
  const outside = failing.length === all ? "All of them fail, so the cause is likely outside the nodes. " : "";
  const canRecover = recoveriesOf(trouble).length > 0;
  const recover = canRecover ? "; *Recover…* plans a reboot of failing nodes alone, under the usual approval" : "";
  const alone = canRecover && isDispensable ? ` ${nobodyAwake("reboot")}` : "";
  return `${outside}Next: press *Why?* for the checks of ${first}, and mend a common cause first${recover}.${alone}`;
}

/** People of a call to many nodes. */
interface Called {
  /** Ids of user groups (S…) and people. */
  readonly called: readonly string[];
  /** The person who has it. */
  readonly holder?: WaitHolder | undefined;
  /** May some role act without waiting for an approval? */
  readonly isDispensable: boolean;
}

/**
 * Builds the one message about trouble of many nodes: how many, since when, in which pools, each cause with what its nodes
 * share, and the next step.
 */
export function fleetTroubleMessage(trouble: FleetTrouble, { called, holder, isDispensable }: Called): Message {
  const { kind, since, groups } = trouble;
  const head = heads[kind](trouble);
  const working = kind === "not-ready" ? "no Ready node" : "no other node";
  const lines = [
    `${sign.alarm} *${head}* since ${localDate(since)} (${plain(pools(trouble.pools), 300)})`,
    ...(called.length > 0 ? [called.map(mentionOf).join(" ")] : []),
    ...groups.slice(0, MOST_GROUPS).flatMap((group) => groupLines(group, trouble, working)),
    ...(groups.length > MOST_GROUPS ? [`• ${counted(groups.length - MOST_GROUPS, "other cause")}`] : []),
  ];
  const has = holder ? [section(holderWords(holder))] : [];
  return {
    text: `${sign.alarm} ${head}`,
    blocks: [...sections(lines), ...has, section(next(trouble, isDispensable)), ...rows(trouble)],
  };
}

/**
 * Calls people again, in the message's thread: nobody is notified of a message that is only updated.
 * @param called ids of user groups (S…) and people
 * @param now ISO 8601
 */
export function fleetReminder(trouble: FleetTrouble, called: readonly string[], now: string): Message {
  const words = `${sign.reminder} ${heads[trouble.kind](trouble)}, for ${between(trouble.since, now)}. Next: read the message above, and press *Why?* there, or *I have it*.`;
  const text = `${called.map(mentionOf).join(" ")} ${words}`.trim();
  return {
    text,
    blocks: [section(text), actions(`fleet:${trouble.kind}:again`, [takeButton(fleetCallName(trouble))])],
  };
}

/** Calls people past Slack to trouble of many nodes. */
export function fleetTroubleNotice(trouble: FleetTrouble): Notice {
  const shared = trouble.groups.flatMap((group) => sharedWords(group.shared, "no other node") ?? []);
  const names = some(
    trouble.failing.map(({ node }) => node),
    MOST_NODES,
  );
  const words = [
    `${heads[trouble.kind](trouble)} since ${utc(trouble.since)} (${pools(trouble.pools)}): ${names}.`,
    ...shared,
    `See ${RUNBOOK}.`,
  ];
  return { kind: "fleet", operation: null, message: line(words.join(" ")), until: null };
}

/** Words of the end of each kind of trouble, and what is said of a node that still fails. */
const ends: Readonly<
  Record<FleetTroubleKind, { readonly words: string; readonly left: (node: FleetNode) => string | null }>
> = {
  "not-ready": {
    words: "Windows nodes are Ready again",
    left: ({ node, notReadySince }) => (notReadySince === null ? null : `${code(node)} is still NotReady.`),
  },
  "agents-silent": {
    words: "Windows nodes have an SSM agent that reports again",
    left: ({ node, agentSilentSince }) =>
      agentSilentSince === null ? null : `The agent of ${code(node)} is still silent.`,
  },
};

/**
 * Rewrites the message of a call once fewer than two of its nodes fail.
 * @param nodes all Windows nodes in service
 * @param now ISO 8601
 */
export function fleetRecoveredMessage({ kind, since }: FleetCall, nodes: readonly FleetNode[], now: string): Message {
  const { words, left } = ends[kind];
  const members = kind === "agents-silent" ? nodes.filter(({ isOwn }) => isOwn) : nodes;
  const failing = members.flatMap((node) => left(node) ?? []);
  const all = members.length;
  const head = failing.length === 0 ? `All ${all}` : `${all - failing.length} of ${all}`;
  const mark = failing.length <= 1 ? sign.done : sign.warning;
  return say([`${mark} *${head} ${words}* after ${between(since, now)}.`, ...failing.slice(0, MOST_NODES)].join(" "));
}
