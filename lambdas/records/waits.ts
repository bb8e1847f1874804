import { isSettled } from "./left-node.ts";
import { requesterOf } from "./origin.ts";
import { asksToContinue, type NodeRecord, type OperationRecord } from "./records.ts";
import type { RolloutPause } from "./steering.ts";

/** Kinds of waits for a person, the most urgent first. */
export const waitKinds = [
  "approval",
  "confirmation",
  "continue",
  "decision",
  "late-reboot",
  "slot",
  "paused",
  "quarantined",
  "unproven",
  "held",
  "review",
  "kept",
] as const;

/** Kind of a wait. */
export type WaitKind = (typeof waitKinds)[number];

/** People who may end a wait: users of a command, people with a role, or one person. */
export type Audience =
  | { readonly command: string }
  | { readonly roles: readonly string[] }
  | { readonly person: string | null };

/** A wait for a person. */
export interface PersonWait {
  readonly kind: WaitKind;
  /** The operation that waits, or that left this state. */
  readonly operation: string;
  /** Index of the operation's waiting node; null if the operation itself waits. */
  readonly index: number | null;
  /** Name of the node, or id of a machine that is not a node. */
  readonly node: string | null;
  readonly pool: string | null;
  /** Nodes that take the slots for which it waits; missing for other kinds. */
  readonly takers?: readonly string[];
  /** ISO 8601: time at which it ends without a person; missing where it has no such end, or it is not known. */
  readonly until?: string;
  /** ISO 8601. */
  readonly since: string;
  readonly audience: Audience;
  /** The pause of a rollout; missing for other kinds. */
  readonly pause?: RolloutPause;
  /** The work that was not proven is a restart of services; missing for a reboot. */
  readonly isRestart?: true;
  /** People are called again within the hour, whatever its kind. */
  readonly isUrgent?: boolean;
}

/** A cordon in the ledger that an operation left to a person. */
export interface CordonWait {
  readonly node: string;
  readonly operation: string;
  readonly index: number;
  readonly keptAt?: string;
  readonly unproven?: { readonly isQuarantined: boolean };
}

/** A machine in the ledger that is not a node. */
export interface LeftMachine {
  readonly instanceId: string;
  readonly pool: string | null;
  readonly operation: string | null;
  readonly state: string;
  readonly since: string;
}

/** A cordon with the records of the operation that left it; undefined if they have expired. */
interface Cordoned {
  readonly cordon: CordonWait;
  readonly by: OperationRecord | undefined;
  readonly record: NodeRecord | undefined;
}

/** Everything in the ledger that may wait for a person. */
export interface WaitsSeen {
  /** Operations that have not ended, each with its nodes. */
  readonly running: readonly { readonly operation: OperationRecord; readonly nodes: readonly NodeRecord[] }[];
  /** Ended operations without the approval that they needed, which are not reviewed yet. */
  readonly unreviewed: readonly OperationRecord[];
  readonly cordons: readonly Cordoned[];
  readonly machines: readonly LeftMachine[];
}

const poolOf = ({ inPool, pool }: OperationRecord): string | null => inPool ?? pool?.name ?? null;

const ofOperation = (kind: WaitKind, operation: OperationRecord, since: string, audience: Audience): PersonWait => ({
  kind,
  operation: operation.id,
  index: null,
  node: null,
  pool: poolOf(operation),
  since,
  audience,
});

/** End of a wait that ends without a person. */
const ending = (until: string | null | undefined): Pick<PersonWait, "until"> => (until ? { until } : {});

const ofNode = (
  kind: WaitKind,
  operation: OperationRecord,
  { index, nodeName, instanceId, failedAt, stageSince, lateSince }: NodeRecord,
  command: string,
): PersonWait => ({
  ...ofOperation(kind, operation, (kind === "late-reboot" ? lateSince : failedAt) ?? stageSince, { command }),
  index,
  node: nodeName ?? instanceId,
});

/** Searches the running operations. */
const among =
  (find: (operation: OperationRecord) => PersonWait | null) =>
  ({ running }: WaitsSeen): PersonWait[] =>
    running.flatMap(({ operation }) => find(operation) ?? []);

/** Searches the nodes of running operations. */
const amongNodes =
  (waits: (node: NodeRecord) => boolean, wait: (operation: OperationRecord, node: NodeRecord) => PersonWait) =>
  ({ running }: WaitsSeen): PersonWait[] =>
    running.flatMap(({ operation, nodes }) => nodes.filter(waits).map((node) => wait(operation, node)));

/** Searches the cordons that were left to a person. */
const amongCordons =
  (kind: WaitKind, command: string, waits: (cordoned: Cordoned) => boolean) =>
  ({ cordons }: WaitsSeen): PersonWait[] =>
    cordons.filter(waits).flatMap((one) => {
      const { node, operation, index, keptAt } = one.cordon;
      if (keptAt === undefined) return [];
      const pool = one.by ? poolOf(one.by) : null;
      const isRestart = one.by?.request.command === "restart" ? ({ isRestart: true } as const) : {};
      return [{ kind, operation, index, node, pool, since: keptAt, audience: { command }, ...isRestart }];
    });

/** Does the node's message offer a reboot through EC2, whose button waits for a press? */
const isLate = ({ status, lateSince, callbacks }: NodeRecord): boolean =>
  status === "running" && lateSince !== undefined && callbacks.decision !== undefined;

/** Did a failed drain leave the cordon as its pool demands, and has no person accepted it since? */
const isHeld = ({ cordon, by, record }: Cordoned): boolean =>
  cordon.unproven === undefined &&
  by?.request.command !== "cordon" &&
  record?.failure?.stage === "evict" &&
  !isSettled(record);

/** Does the node wait for a slot that only people can free: a node without an operation at work takes it? */
const lacksSlot = ({ status, stage, slotTakenBy = [] }: NodeRecord): boolean =>
  status === "running" && stage === "slot" && slotTakenBy.length > 0;

/** Searches for each kind of wait. */
const finders: Readonly<Record<WaitKind, (seen: WaitsSeen) => PersonWait[]>> = {
  approval: among((operation) => {
    const { approval, requestedAt, endedAt } = operation;
    if (approval?.state !== "open" || endedAt !== null) return null;
    const wait = ofOperation("approval", operation, approval.askedAt ?? requestedAt, { roles: approval.roles });
    return { ...wait, ...ending(approval.until) };
  }),
  confirmation: among((operation) => {
    const { status, callbacks, requestedAt } = operation;
    if (status !== "waiting" || callbacks.dialog === undefined) return null;
    return ofOperation("confirmation", operation, requestedAt, { person: requesterOf(operation)?.userId ?? null });
  }),
  continue: amongNodes(asksToContinue, (operation, node) => ({
    ...ofNode("continue", operation, node, operation.request.command),
    ...ending(node.decideBy),
  })),
  decision: amongNodes(
    (node) => node.status === "deciding" && !asksToContinue(node),
    (operation, node) => ofNode("decision", operation, node, "add"),
  ),
  "late-reboot": amongNodes(isLate, (operation, node) => ofNode("late-reboot", operation, node, "reboot")),
  slot: amongNodes(lacksSlot, (operation, node) => ({
    ...ofNode("slot", operation, node, operation.request.command),
    takers: node.slotTakenBy ?? [],
    ...ending(node.slotUntil),
  })),
  paused: among((operation) => {
    const paused = operation.rollout?.paused;
    if (!paused) return null;
    return {
      ...ofOperation("paused", operation, paused.at, { command: "resume" }),
      pause: paused,
      // A person who pauses a rollout knows that it waits.
      isUrgent: paused.by === null,
    };
  }),
  quarantined: amongCordons("quarantined", "uncordon", ({ cordon }) => cordon.unproven?.isQuarantined === true),
  unproven: amongCordons("unproven", "prove", ({ cordon }) => cordon.unproven?.isQuarantined === false),
  held: amongCordons("held", "uncordon", isHeld),
  review: ({ unreviewed }) =>
    unreviewed.flatMap((operation) => {
      const { approval, endedAt } = operation;
      return approval?.state === "review" && endedAt !== null
        ? [ofOperation("review", operation, endedAt, { roles: approval.roles })]
        : [];
    }),
  kept: ({ machines }) =>
    machines
      .filter(({ state }) => state === "kept" || state === "left")
      .map(({ instanceId, pool, operation, since }) => ({
        kind: "kept",
        operation: operation ?? "",
        index: null,
        node: instanceId,
        pool,
        since,
        audience: { command: "remove" },
      })),
};

/** Lists all waits for a person, the most urgent kind first, and the oldest wait of each kind first. */
export const waitsIn = (seen: WaitsSeen): PersonWait[] =>
  waitKinds.flatMap((kind) => finders[kind](seen).sort((one, other) => (one.since < other.since ? -1 : 1)));

/** Names a wait; the same state at a later time is another wait. */
export const waitName = ({ kind, operation, index, node, since }: PersonWait): string =>
  [kind, operation, index ?? "", node ?? "", since].join(" ");

/** Waits on which an operation stands still, with a node away: people are called to them again within the hour. */
const urgent: ReadonlySet<WaitKind> = new Set<WaitKind>(["continue", "late-reboot"]);

/** Does an operation stand still until the wait ends, with a node away? */
export const isUrgent = ({ kind, isUrgent: isSo = urgent.has(kind) }: PersonWait): boolean => isSo;

/** States in which a node is left out of service by the failure that pauses its rollout. */
const leftByRollout: ReadonlySet<WaitKind> = new Set<WaitKind>(["unproven", "held"]);

/** Has the failure that paused the rollout left the node? A pause by a person, and one before, does not name it. */
const isCause = (paused: PersonWait, { kind, operation, since }: PersonWait): boolean =>
  paused.pause?.by === null &&
  leftByRollout.has(kind) &&
  operation === paused.operation &&
  Date.parse(since) <= Date.parse(paused.since);

/**
 * Leaves out nodes whose failure has paused their rollout: one call to the rollout names them as its cause.
 * @returns each remaining wait, with the names of those that its call covers too
 */
export function withoutDoubles(waits: readonly PersonWait[]): { wait: PersonWait; covers: readonly string[] }[] {
  const calls = waits.map((wait) => ({
    wait,
    covers: waits.filter((one) => isCause(wait, one)).map(waitName),
  }));
  const covered = new Set(calls.flatMap(({ covers }) => covers));
  return calls.filter(({ wait }) => !covered.has(waitName(wait)));
}
