import type { BootBefore } from "../../desired/health/facts.ts";
import { EXPIRES, keys, openCordons, UNFINISHED } from "../../ledger-table.ts";
import type { CordonOutcome } from "../../messages/node/cordon.ts";
import type { CordonRecord } from "../cluster/cordon-rules.ts";
import { type StepContext, timestamp } from "../context.ts";
import { expiryAfter } from "./retention.ts";
import { table } from "./table.ts";

/** A reboot that was not proven. */
export interface Unproven {
  /** The boot that must be over; null where the machine was not told to reboot. */
  readonly before: BootBefore | null;
  /** Two reboots were not proven within a day: only a person gives the node back. */
  readonly isQuarantined: boolean;
}

/** Two reboots of a node that were not proven within this time quarantine it. */
const QUARANTINE_WITHIN_MS = 24 * 3_600_000;

/** Times of failed proofs that still count. @param now ISO 8601 */
export const recentFailures = (failedAt: readonly string[] = [], now: string): readonly string[] =>
  failedAt.filter((at) => Date.parse(now) - Date.parse(at) < QUARANTINE_WITHIN_MS);

/** Fields of a cordon that is left because a reboot was not proven; null before the machine was told to reboot. */
function unprovenFields(before: BootBefore | null, failedAt: readonly string[] | undefined, now: string) {
  // A machine that was not told to reboot has failed no proof.
  const failures = before === null ? recentFailures(failedAt, now) : [...recentFailures(failedAt, now), now];
  return { failedAt: failures, unproven: { before, isQuarantined: failures.length > 1 } };
}

/** The record of a cordon that was not given back, and how far that is. */
export interface OpenCordon extends CordonRecord {
  /** Written before the Node is changed back: a step that is repeated finds the Node changed, and knows by whom. */
  readonly planned?: CordonOutcome;
  /** The node was given back; people are to be told. */
  readonly outcome?: CordonOutcome;
  /** ISO 8601: the cordon is the end that a person asked for, and outlasts its operation. */
  readonly keptAt?: string;
  /** The cordon is of a reboot that was not proven: a proof gives the node back. */
  readonly unproven?: Unproven;
  /** ISO 8601: reboots of this Node that were not proven, whatever became of their cordons. */
  readonly failedAt?: readonly string[];
  /** The kept cordon of an earlier operation, which holds again when this one gives the node back. */
  readonly kept?: OpenCordon;
}

interface CordonItem extends OpenCordon {
  readonly closedAt?: string;
}

/** A record as it leaves the list of those that must be given back. */
function withoutIndex(open: OpenCordon): OpenCordon {
  const { [UNFINISHED.hash]: _list, ...rest } = open as OpenCordon & Record<string, unknown>;
  return rest as unknown as OpenCordon;
}

/** The kept cordon that a record is, or stands over. */
const keptIn = (open: OpenCordon): OpenCordon | undefined =>
  open.keptAt === undefined ? open.kept : withoutIndex(open);

/** Reboots that were not proven outlast the record of their cordon. */
const failuresIn = (before: OpenCordon | undefined): Pick<OpenCordon, "failedAt"> =>
  before?.failedAt ? { failedAt: before.failedAt } : {};

/** Decisions of people about cordons that operations have left to them. */
const decided = (context: StepContext) => {
  const items = table(context);
  return {
    /**
     * Makes the cordon of a reboot that was not proven a person's: no proof gives the node back any more. A quarantine stays.
     * @returns whether there was one
     */
    accept: async (uid: string): Promise<boolean> => {
      let isTaken = false;
      await items.revise<CordonItem>(keys.cordon(uid), (before) => {
        isTaken = before?.closedAt === undefined && before?.unproven?.isQuarantined === false;
        if (!before || !isTaken) return null;
        const { unproven: _taken, ...rest } = before;
        return rest;
      });
      return isTaken;
    },
  };
};

/** Owners of cordons, by the UID of the Node: who cordoned it, and the state before. */
export const cordons = (context: StepContext) => {
  const items = table(context);
  const list = openCordons(context.settings.cluster);
  const isOpen = (item: CordonItem | undefined): item is CordonItem =>
    item !== undefined && item.closedAt === undefined;
  const indexed = (item: OpenCordon) => ({ ...item, [UNFINISHED.hash]: list, [UNFINISHED.range]: item.at });

  const closed = (open: OpenCordon): CordonItem => {
    const closedAt = timestamp(context);
    const expires = { [EXPIRES]: expiryAfter(closedAt, context.settings.retentionDays) };
    return { ...withoutIndex(open), closedAt, ...expires };
  };

  const find = async (uid: string): Promise<OpenCordon | undefined> => {
    const item = await items.read<CordonItem>(keys.cordon(uid));
    return isOpen(item) ? item : undefined;
  };

  /** Changes the open record of one operation; undefined when there is none. */
  const change = async (
    { uid, operation }: Pick<CordonRecord, "uid" | "operation">,
    revision: (open: OpenCordon) => object | null,
  ): Promise<OpenCordon | undefined> => {
    const item = await items.revise<CordonItem>(keys.cordon(uid), (before) =>
      isOpen(before) && before.operation === operation ? (revision(before) as CordonItem | null) : null,
    );
    return isOpen(item) && item.operation === operation ? item : undefined;
  };

  return {
    ...decided(context),

    /** The record of a Node that was not given back; undefined when there is none. */
    find,

    /** Every record that was not closed; one that was written a moment ago may be missing. */
    open: async (): Promise<OpenCordon[]> => {
      const listed = await items.indexed<OpenCordon>(UNFINISHED, list, "oldest first");
      const found = await Promise.all(listed.map(({ uid }) => find(uid)));
      return found.filter((one) => one !== undefined);
    },

    /**
     * Writes who owns a cordon, right before the Node is changed. A record that an earlier operation left is taken over.
     * @throws Retryable when the record was changed at the same moment
     */
    own: async (record: Omit<CordonRecord, "at">): Promise<OpenCordon> => {
      const owned = { ...record, at: timestamp(context) };
      await items.revise<CordonItem>(keys.cordon(record.uid), (before) => {
        const kept = isOpen(before) ? keptIn(before) : undefined;
        return indexed({ ...owned, ...failuresIn(before), ...(kept === undefined ? {} : { kept }) });
      });
      return owned;
    },

    /** Ends every record of a node that a person uncordoned: nothing is given back to it any more. */
    forget: async (uid: string): Promise<void> => {
      await items.revise<CordonItem>(keys.cordon(uid), (before) => (isOpen(before) ? closed(before) : null));
    },

    /**
     * Makes the cordon of an operation last: it is no rest of an operation any more, and the sweep leaves it alone. A repeated
     * call changes nothing: one reboot fails one proof.
     */
    keep: (uid: string, operation: string, unproven?: Pick<Unproven, "before">): Promise<OpenCordon | undefined> =>
      change({ uid, operation }, (open) => {
        if (open.keptAt !== undefined) return null;
        const { kept: _replaced, ...rest } = withoutIndex(open);
        const keptAt = timestamp(context);
        return {
          ...rest,
          keptAt,
          ...(unproven ? unprovenFields(unproven.before, open.failedAt, keptAt) : {}),
          [EXPIRES]: expiryAfter(keptAt, context.settings.retentionDays),
        };
      }),

    /** Writes what is about to become of the Node; undefined when the record is not this operation's any more. */
    plan: (record: CordonRecord, planned: CordonOutcome): Promise<OpenCordon | undefined> =>
      change(record, (open) => (open.planned === planned ? null : indexed({ ...open, planned }))),

    /** Writes what became of the Node: the first outcome stays. */
    settle: (record: CordonRecord, outcome: CordonOutcome): Promise<OpenCordon | undefined> =>
      change(record, (open) => (open.outcome === undefined ? indexed({ ...open, outcome }) : null)),

    /** Ends the record of an operation: its cordon was given back and told, or needs no giving back. */
    close: async (uid: string, operation: string): Promise<void> => {
      await change({ uid, operation }, (open) => open.kept ?? closed(open));
    },
  };
};
