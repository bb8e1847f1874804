import type { BootBefore } from "../../health/facts.ts";
import type { CordonOutcome } from "../../messages/node/cordon.ts";
import { EXPIRES, keys, openCordons, UNFINISHED } from "../../records/ledger-table.ts";
import { type CordonRecord, withLabelsBeneath } from "../cluster/cordon-rules.ts";
import { type StepContext, timestamp } from "../context.ts";
import { expiryAfter } from "./retention.ts";
import { tableClient } from "./table.ts";

/** A reboot that could not be verified. */
export interface UnprovenReboot {
  /** The boot that the reboot, or an earlier unproven one, should have ended; null if none was ordered. */
  readonly before: BootBefore | null;
  /** Did two proofs fail within a day, so that only a person may uncordon the node? */
  readonly isQuarantined: boolean;
}

/** Two unverified reboots of a node within this many milliseconds quarantine it. */
const QUARANTINE_WITHIN_MS = 24 * 3_600_000;

/** Times of failed proofs that are recent enough for a quarantine. @param now ISO 8601 */
export const recentFailures = (failedAt: readonly string[] = [], now: string): readonly string[] =>
  failedAt.filter((at) => Date.parse(now) - Date.parse(at) < QUARANTINE_WITHIN_MS);

/**
 * Fields of a cordon that stays because a reboot could not be verified. Work that ordered no reboot leaves the boot that an
 * earlier reboot should have ended.
 */
function unprovenFields(before: BootBefore | null, { failedAt, kept }: OpenCordon, now: string) {
  // A machine whose reboot was not ordered has not failed a proof.
  const failures = before === null ? recentFailures(failedAt, now) : [...recentFailures(failedAt, now), now];
  const mustEnd = before ?? kept?.unproven?.before ?? null;
  return { failedAt: failures, unproven: { before: mustEnd, isQuarantined: failures.length > 1 } };
}

/** The record of a cordon that is not restored yet, and the progress of that. */
export interface OpenCordon extends CordonRecord {
  /**
   * The outcome that the operation is about to reach, written before the Node is changed, so that a repeated step
   * recognises its own change.
   */
  readonly planned?: CordonOutcome;
  /** The outcome that was reached; it is not posted yet. */
  readonly outcome?: CordonOutcome;
  /** ISO 8601. Set if a person wants to keep the cordon, which then outlasts its operation. */
  readonly keptAt?: string;
  /** Set if the cordon stays because a reboot could not be verified; a later proof uncordons the node. */
  readonly unproven?: UnprovenReboot;
  /** ISO 8601: failed proofs of this Node's reboots, also under earlier cordons. */
  readonly failedAt?: readonly string[];
  /** The kept cordon of an earlier operation, which applies again once this one's is given back. */
  readonly kept?: OpenCordon;
}

interface CordonItem extends OpenCordon {
  readonly closedAt?: string;
}

/** Removes a record from the list of cordons that must be restored. */
function withoutIndex(open: OpenCordon): OpenCordon {
  const { [UNFINISHED.hash]: _list, ...rest } = open as OpenCordon & Record<string, unknown>;
  return rest as unknown as OpenCordon;
}

/** The kept cordon: the record itself, or the one of an earlier operation that it contains. */
const keptIn = (open: OpenCordon): OpenCordon | undefined =>
  open.keptAt === undefined ? open.kept : withoutIndex(open);

/**
 * The cordon that is kept when an operation leaves its own. On a node that was cordoned before, an unproven reboot leaves
 * what an earlier one left, under its own name: one proof ends both. Any other kept cordon stays beneath it, for the
 * person who decides about it.
 */
function keptCordon(open: OpenCordon, isUnproven: boolean): OpenCordon {
  const { kept: beneath, ...own } = withoutIndex(open);
  if (!isUnproven || !beneath || !own.wasUnschedulable) return { ...own, adds: withLabelsBeneath(own.adds, beneath) };
  if (beneath.unproven === undefined) return { ...own, kept: beneath };
  const { operation, index } = own;
  const labels = { ...beneath.adds.labels, ...own.adds.labels };
  return { ...beneath, operation, index, adds: { ...beneath.adds, labels } };
}

/** Failed proofs, which outlast the record of their cordon. */
const failuresIn = (before: OpenCordon | undefined): Pick<OpenCordon, "failedAt"> =>
  before?.failedAt ? { failedAt: before.failedAt } : {};

const isOpen = (item: CordonItem | undefined): item is CordonItem => item !== undefined && item.closedAt === undefined;

/** Records people's decisions about cordons that operations left in place. */
const decided = (context: StepContext) => {
  const items = tableClient(context);
  return {
    /**
     * Makes a person the owner of a cordon that stays because of an unverified reboot, so that no proof uncordons the
     * node any more. A quarantine stays.
     * @returns true if there was such a cordon
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

/** Records the owners of cordons, by the UID of the Node: the operation that cordoned it, and the state before. */
export const cordons = (context: StepContext) => {
  const items = tableClient(context);
  const list = openCordons(context.settings.cluster);
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

  /** Changes an operation's open record; undefined if it has none. */
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

    /** Reads the open record of a Node; undefined if there is none. */
    find,

    /** Lists every open record; one that was written a moment ago may be missing. */
    open: async (): Promise<OpenCordon[]> => {
      const listed = await items.indexed<OpenCordon>(UNFINISHED, list, "oldest first");
      const found = await Promise.all(listed.map(({ uid }) => find(uid)));
      return found.filter((one) => one !== undefined);
    },

    /**
     * Records the owner of a cordon right before the Node is changed. Takes over a record that an earlier operation
     * left open.
     * @throws Retryable if the record was changed at the same time
     */
    own: async (record: Omit<CordonRecord, "at">): Promise<OpenCordon> => {
      const owned = { ...record, at: timestamp(context) };
      await items.revise<CordonItem>(keys.cordon(record.uid), (before) => {
        const kept = isOpen(before) ? keptIn(before) : undefined;
        return indexed({ ...owned, ...failuresIn(before), ...(kept === undefined ? {} : { kept }) });
      });
      return owned;
    },

    /** Closes the record of a node that a person uncordoned, so that no operation restores it any more. */
    forget: async (uid: string): Promise<void> => {
      await items.revise<CordonItem>(keys.cordon(uid), (before) => (isOpen(before) ? closed(before) : null));
    },

    /**
     * Makes an operation's cordon outlast the operation, so that the sweep does not remove it. A repeated call changes
     * nothing, so that one reboot is only one failed proof.
     */
    keep: (uid: string, operation: string, unproven?: Pick<UnprovenReboot, "before">) =>
      change({ uid, operation }, (open) => {
        if (open.keptAt !== undefined) return null;
        const keptAt = timestamp(context);
        return {
          ...keptCordon(open, unproven !== undefined),
          keptAt,
          ...(unproven ? unprovenFields(unproven.before, open, keptAt) : {}),
          [EXPIRES]: expiryAfter(keptAt, context.settings.retentionDays),
        };
      }),

    /** Records the planned outcome for the Node; undefined if the record no longer belongs to this operation. */
    plan: (record: CordonRecord, planned: CordonOutcome): Promise<OpenCordon | undefined> =>
      change(record, (open) => (open.planned === planned ? null : indexed({ ...open, planned }))),

    /** Records the outcome that was reached for the Node; the first one stays. */
    settle: (record: CordonRecord, outcome: CordonOutcome): Promise<OpenCordon | undefined> =>
      change(record, (open) => (open.outcome === undefined ? indexed({ ...open, outcome }) : null)),

    /** Closes the record of an operation, once the node is restored and that was posted, or needs no restoring. */
    close: async (uid: string, operation: string): Promise<void> => {
      await change({ uid, operation }, (open) => open.kept ?? closed(open));
    },
  };
};
