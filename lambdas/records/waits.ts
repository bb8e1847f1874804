import { requesterOf } from "./origin.ts";
import { asksToContinue, type NodeRecord, type OperationRecord } from "./records.ts";

/** Every state in which something waits for a person, the most urgent first. */
export const waitKinds = [
  "approval",
  "confirmation",
  "continue",
  "decision",
  "late-reboot",
  "paused",
  "quarantined",
  "unproven",
  "held",
  "review",
  "kept",
] as const;

/** One of these states. */
export type WaitKind = (typeof waitKinds)[number];

/** People who may end a wait: those who may use a command, those of roles, or one person. */
export type Audience =
  | { readonly command: string }
  | { readonly roles: readonly string[] }
  | { readonly person: string | null };

/** Something that waits for a person. */
export interface PersonWait {
  readonly kind: WaitKind;
  /** The operation that waits, or that left it so. */
  readonly operation: string;
  /** Index of its node, where one of them waits. */
  readonly index: number | null;
  /** The node, or the machine that is none. */
  readonly node: string | null;
  readonly pool: string | null;
  /** ISO 8601. */
  readonly since: string;
  readonly audience: Audience;
}

/** A cordon that an operation has left to a person, as the ledger has it. */
export interface CordonWait {
  readonly node: string;
  readonly operation: string;
  readonly index: number;
  readonly keptAt?: string;
  readonly unproven?: { readonly isQuarantined: boolean };
}

/** A machine that is no node, as the ledger has it. */
export interface LeftMachine {
  readonly instanceId: string;
  readonly pool: string | null;
  readonly operation: string | null;
  readonly state: string;
  readonly since: string;
}

/** A cordon with the records of the operation that left it; undefined where they have lapsed. */
interface Cordoned {
  readonly cordon: CordonWait;
  readonly by: OperationRecord | undefined;
  readonly record: NodeRecord | undefined;
}

/** Everything that is looked through for what waits. */
export interface WaitsSeen {
  /** Operations that have not ended, each with its nodes. */
  readonly running: readonly { readonly operation: OperationRecord; readonly nodes: readonly NodeRecord[] }[];
  /** Operations that have ended without the approval that they needed, and were not reviewed. */
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

/** Operations alone. */
const among =
  (find: (operation: OperationRecord) => PersonWait | null) =>
  ({ running }: WaitsSeen): PersonWait[] =>
    running.flatMap(({ operation }) => find(operation) ?? []);

/** Nodes of running operations. */
const amongNodes =
  (waits: (node: NodeRecord) => boolean, wait: (operation: OperationRecord, node: NodeRecord) => PersonWait) =>
  ({ running }: WaitsSeen): PersonWait[] =>
    running.flatMap(({ operation, nodes }) => nodes.filter(waits).map((node) => wait(operation, node)));

/** Cordons that were left to a person. */
const amongCordons =
  (kind: WaitKind, command: string, waits: (cordoned: Cordoned) => boolean) =>
  ({ cordons }: WaitsSeen): PersonWait[] =>
    cordons.filter(waits).flatMap((one) => {
      const { node, operation, index, keptAt } = one.cordon;
      const pool = one.by ? poolOf(one.by) : null;
      return keptAt === undefined
        ? []
        : [{ kind, operation, index, node, pool, since: keptAt, audience: { command } } as const];
    });

/** EC2's reboot is offered, and its button waits for a press. */
const isLate = ({ status, lateSince, callbacks }: NodeRecord): boolean =>
  status === "running" && lateSince !== undefined && callbacks.decision !== undefined;

/** A drain left the cordon because its pool says so; one that a person has accepted is theirs. */
const isHeld = ({ cordon, by, record }: Cordoned): boolean =>
  cordon.unproven === undefined &&
  by?.request.command !== "cordon" &&
  record?.failure?.stage === "evict" &&
  record.settled === undefined;

/** Finds each kind of wait. */
const finders: Readonly<Record<WaitKind, (seen: WaitsSeen) => PersonWait[]>> = {
  approval: among((operation) => {
    const { approval, requestedAt, endedAt } = operation;
    if (approval?.state !== "open" || endedAt !== null) return null;
    return ofOperation("approval", operation, approval.askedAt ?? requestedAt, { roles: approval.roles });
  }),
  confirmation: among((operation) => {
    const { status, callbacks, requestedAt } = operation;
    if (status !== "waiting" || callbacks.dialog === undefined) return null;
    return ofOperation("confirmation", operation, requestedAt, { person: requesterOf(operation)?.userId ?? null });
  }),
  continue: amongNodes(asksToContinue, (operation, node) =>
    ofNode("continue", operation, node, operation.request.command),
  ),
  decision: amongNodes(
    (node) => node.status === "deciding" && !asksToContinue(node),
    (operation, node) => ofNode("decision", operation, node, "add"),
  ),
  "late-reboot": amongNodes(isLate, (operation, node) => ofNode("late-reboot", operation, node, "reboot")),
  paused: among((operation) => {
    const paused = operation.rollout?.paused;
    return paused ? ofOperation("paused", operation, paused.at, { command: "resume" }) : null;
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
        ...{ kind: "kept", operation: operation ?? "", index: null, node: instanceId, pool, since },
        audience: { command: "remove" },
      })),
};

/** Lists everything that waits for a person, the most urgent kind first, and in each the oldest. */
export const waitsIn = (seen: WaitsSeen): PersonWait[] =>
  waitKinds.flatMap((kind) => finders[kind](seen).sort((one, other) => (one.since < other.since ? -1 : 1)));

/** Names a wait: the same state again later is another one. */
export const waitName = ({ kind, operation, index, node, since }: PersonWait): string =>
  [kind, operation, index ?? "", node ?? "", since].join(" ");

const MINUTE_MS = 60_000;

/** People are reminded for the first time after so long. */
export const REMIND_AFTER_MS = 15 * MINUTE_MS;

/** From then on they are reminded this often, for as long as it waits. */
export const REMIND_EVERY_MS = 24 * 60 * MINUTE_MS;

/**
 * Says whether people are reminded now of what waits.
 * @param since ISO 8601: since when it waits
 * @param last ISO 8601: the last reminder; undefined before the first
 * @param now milliseconds since the epoch
 */
export const isReminderDue = (since: string, last: string | undefined, now: number): boolean =>
  last === undefined ? now - Date.parse(since) >= REMIND_AFTER_MS : now - Date.parse(last) >= REMIND_EVERY_MS;
