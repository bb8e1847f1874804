import { keys } from "../../records/ledger-table.ts";
import type { StepContext } from "../context.ts";
import { tableClient } from "../ledger/table.ts";

/** A file by its sha256, the node that rejected it, and a time in milliseconds. */
export interface BlockedFile {
  readonly sha256: string;
  readonly instanceId: string;
  readonly until: number;
}

/** State of the schedule that updates the kubelets' client authority on nodes, from tick to tick. */
export interface AuthorityWatch {
  /** The tick that wrote the news; the same tick again returns the same news. */
  readonly tick: string;
  readonly news: "bad" | "well" | null;
  /** Was it reported that the authority cannot be read? */
  readonly isTold: boolean;
  /** Milliseconds since the epoch at which every node was last checked. */
  readonly comparedAt: number;
  /** The operation that changes nodes, until the ledger records its end. */
  readonly operation: string | null;
  /**
   * A file with which a node failed. No other node gets it before this time; after that, this node is the last to get
   * it.
   */
  readonly blocked: BlockedFile | null;
}

const empty: AuthorityWatch = {
  tick: "",
  news: null,
  isTold: false,
  comparedAt: 0,
  operation: null,
  blocked: null,
};

/**
 * Decides what is posted: one message if the authority is refused or damaged, and one once it can be read again. If the
 * API server does not answer, nothing is posted: nodes keep their authority, and the credential watch reports a long
 * outage.
 */
function noted(before: AuthorityWatch, tick: string, outcome: "read" | "busy" | "refused"): AuthorityWatch {
  if (outcome === "busy") return { ...before, tick, news: null };
  if (outcome === "read") return { ...before, tick, isTold: false, news: before.isTold ? "well" : null };
  return { ...before, tick, isTold: true, news: before.isTold ? null : "bad" };
}

/** Stores the schedule's state in the ledger. */
export const authorityWatch = (context: StepContext) => {
  const items = tableClient(context);
  const revise = (change: (before: AuthorityWatch) => AuthorityWatch | null): Promise<AuthorityWatch | undefined> =>
    items.revise<AuthorityWatch>(keys.authority, (before) => change({ ...empty, ...before }));

  return {
    read: async (): Promise<AuthorityWatch> => ({ ...empty, ...(await items.read<AuthorityWatch>(keys.authority)) }),

    /**
     * Records whether the authority could be read.
     * @param outcome "busy": the API server is unavailable, perhaps only until the next tick
     * @returns the message to post; null if it was posted before, or none is needed
     */
    note: async (tick: string, outcome: "read" | "busy" | "refused"): Promise<AuthorityWatch["news"]> => {
      const after = await revise((before) => (before.tick === tick ? null : noted(before, tick, outcome)));
      return after?.news ?? null;
    },

    /** Makes an operation the one that changes nodes; false if another operation does so and has not ended. */
    claim: async (operation: string, hasEnded: (other: string) => Promise<boolean>): Promise<boolean> => {
      const before = { ...empty, ...(await items.read<AuthorityWatch>(keys.authority)) };
      const isFree = before.operation === null || before.operation === operation || (await hasEnded(before.operation));
      if (!isFree) return false;
      const after = await revise((now) => (now.operation === before.operation ? { ...now, operation } : null));
      return after?.operation === operation;
    },

    /** Records that every node was checked. */
    noteComparison: async (): Promise<void> => {
      await revise((before) => ({ ...before, comparedAt: context.now() }));
    },

    /** Keeps a file from all other nodes for a while. */
    block: async (blocked: BlockedFile): Promise<void> => {
      await revise((before) => ({ ...before, blocked }));
    },
  };
};
