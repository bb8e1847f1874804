import { keys } from "../../ledger-table.ts";
import type { StepContext } from "../context.ts";
import { table } from "../ledger/table.ts";

/** A file by its sha256, the node that did not take it, and a time in milliseconds. */
export interface Blocked {
  readonly sha256: string;
  readonly instanceId: string;
  readonly until: number;
}

/** State of the schedule that gives nodes the kubelets' client authority, from tick to tick. */
export interface AuthorityWatch {
  /** Tick that wrote the news: the same tick again has the same news. */
  readonly tick: string;
  readonly news: "bad" | "well" | null;
  /** Have people been told that it cannot be read? */
  readonly isTold: boolean;
  /** Milliseconds: time at which every node was last checked. */
  readonly comparedAt: number;
  /** The operation that changes nodes, as long as the ledger does not say that it ended. */
  readonly operation: string | null;
  /** A file that a node did not take well: no other node is given it before this time, and then this node comes last. */
  readonly blocked: Blocked | null;
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
 * Decides what people are told: once when the authority is refused or damaged, and once when it can be read again. An API
 * server that does not answer is no news: nodes keep what they have, and the credential watch reports a long outage.
 */
function noted(before: AuthorityWatch, tick: string, outcome: "read" | "busy" | "refused"): AuthorityWatch {
  if (outcome === "busy") return { ...before, tick, news: null };
  if (outcome === "read") return { ...before, tick, isTold: false, news: before.isTold ? "well" : null };
  return { ...before, tick, isTold: true, news: before.isTold ? null : "bad" };
}

/** Keeps the schedule's state in the ledger. */
export const authorityWatch = (context: StepContext) => {
  const items = table(context);
  const revise = (change: (before: AuthorityWatch) => AuthorityWatch | null): Promise<AuthorityWatch | undefined> =>
    items.revise<AuthorityWatch>(keys.authority, (before) => change({ ...empty, ...before }));

  return {
    read: async (): Promise<AuthorityWatch> => ({ ...empty, ...(await items.read<AuthorityWatch>(keys.authority)) }),

    /**
     * Records whether the authority could be read.
     * @param outcome "busy": the API server was unavailable, which may be over at the next tick
     * @returns the message to people; null when they know already, or need not
     */
    note: async (tick: string, outcome: "read" | "busy" | "refused"): Promise<AuthorityWatch["news"]> => {
      const after = await revise((before) => (before.tick === tick ? null : noted(before, tick, outcome)));
      return after?.news ?? null;
    },

    /** Notes the operation that changes nodes from now on; false while another one, which has not ended, does. */
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

    /** Keeps a file from other nodes for a while. */
    block: async (blocked: Blocked): Promise<void> => {
      await revise((before) => ({ ...before, blocked }));
    },
  };
};
