import { randomBytes } from "node:crypto";
import { hasAsked, type InputAnswers, type InputQuestion, withAsked } from "../inputs/questions.ts";
import { keys } from "../records/ledger-table.ts";
import type { StepContext } from "./context.ts";
import { tableClient } from "./ledger/table.ts";

/** A content by its sha256, the node that failed with it, and a time in milliseconds; null for no time. */
export interface BlockedContent {
  readonly sha256: string;
  readonly instanceId: string;
  readonly until: number | null;
}

/** State of the schedule that keeps an input up to date on nodes, from tick to tick. */
export interface InputWatch extends InputAnswers {
  /** The tick that wrote the news; the same tick again returns the same news. */
  readonly tick: string;
  readonly news: "bad" | "well" | null;
  /** Was it reported that the input cannot be read? */
  readonly isTold: boolean;
  /** Milliseconds since the epoch at which every node was last checked. */
  readonly comparedAt: number;
  /** The operation that changes nodes, until the ledger records its end. */
  readonly operation: string | null;
  /**
   * A content with which a node failed. No other node gets it before this time; after that, this node is the last to
   * get it.
   */
  readonly blocked: BlockedContent | null;
  /** Hash of the whole content that the cluster wanted last, and that was put into the bucket. */
  readonly stored: string | null;
  /** Milliseconds since the epoch at which it was stored; 0 if unknown. */
  readonly storedAt: number;
  /** Remarks that were posted last. */
  readonly remarks: readonly string[];
  /** Key of the hash by which a changed secret is noticed without reading it; empty before the first one. */
  readonly secretKey: string;
}

const empty: InputWatch = {
  tick: "",
  news: null,
  isTold: false,
  comparedAt: 0,
  operation: null,
  blocked: null,
  stored: null,
  storedAt: 0,
  remarks: [],
  asked: [],
  accepted: [],
  secretKey: "",
  denied: [],
  question: null,
};

/** Does a blocked content block a content at a time? */
export const isBlocked = ({ blocked }: Pick<InputWatch, "blocked">, sha256: string, now: number): boolean =>
  blocked?.sha256 === sha256 && (blocked.until === null || blocked.until > now);

/** Posted questions by the keys of the parts about which they ask, until a person accepts them. */
export const openQuestions = ({
  asked,
  remarks,
}: Pick<InputWatch, "asked" | "remarks">): ReadonlyMap<string, string> => {
  const questions = remarks.slice(remarks.length - asked.length);
  return new Map(asked.map((key, at) => [key, questions[at] ?? ""]));
};

const hasRemarks = (watch: InputWatch, remarks: readonly string[]): boolean =>
  JSON.stringify(watch.remarks) === JSON.stringify(remarks);

/** Tells whether people must hear of a content: of other remarks, or that it can be read again. */
export const hasNews = (watch: InputWatch, remarks: readonly string[]): boolean =>
  watch.isTold || !hasRemarks(watch, remarks);

/**
 * Decides what is posted: one message if the input is refused or damaged, and one once it can be read again. If the API
 * server does not answer, nothing is posted: nodes keep their state, and the credential watch reports a long outage.
 */
function noted(before: InputWatch, tick: string, outcome: "read" | "busy" | "refused"): InputWatch {
  if (outcome === "busy") return { ...before, tick, news: null };
  if (outcome === "read") return { ...before, tick, isTold: false, news: before.isTold ? "well" : null };
  return { ...before, tick, isTold: true, news: before.isTold ? null : "bad" };
}

/** Reads and changes the state of one schedule. */
interface WatchItem {
  readonly read: () => Promise<InputWatch>;
  readonly revise: (change: (before: InputWatch) => InputWatch | null) => Promise<InputWatch | undefined>;
}

/** Records questions to people, and their answers. */
const answers = ({ read, revise }: WatchItem) => ({
  /** Records the parts that wait for an approval. @returns the answers of people that still hold */
  noteAsked: async (now: Parameters<typeof withAsked>[1]): Promise<InputAnswers> => {
    const before = await read();
    return hasAsked(before, now) ? before : ((await revise((one) => withAsked(one, now))) ?? before);
  },

  /** Records a request for approval; false if another request came first. */
  noteQuestion: async (question: InputQuestion, last: InputQuestion | null): Promise<boolean> => {
    const isLast = (before: InputWatch): boolean => before.question?.operation === last?.operation;
    const after = await revise((before) => (isLast(before) ? { ...before, question } : null));
    return after?.question?.operation === question.operation;
  },

  /** Records the decision of people about parts. */
  decide: async (decision: "approved" | "denied", keys: readonly string[]): Promise<void> => {
    const list = decision === "approved" ? "accepted" : "denied";
    await revise((before) => ({ ...before, [list]: [...new Set([...before[list], ...keys])] }));
  },

  /** Has the next tick ask people again about parts that they have denied, or about which they did not decide. */
  askAgain: async (): Promise<void> => {
    await revise((before) => {
      const question = before.question && { ...before.question, askedAt: 0 };
      return { ...before, denied: [], question };
    });
  },

  /** Accepts the consequence of every part about which the posted remarks ask. */
  accept: async (): Promise<void> => {
    await revise((before) =>
      before.asked.length === 0
        ? null
        : { ...before, accepted: [...new Set([...before.accepted, ...before.asked])], asked: [] },
    );
  },
});

/** Stores the state of an input's schedule in the ledger. */
const inputWatch = (context: StepContext, rule: string) => {
  const items = tableClient(context);
  const key = keys.inputWatch(rule);
  const revise = (change: (before: InputWatch) => InputWatch | null): Promise<InputWatch | undefined> =>
    items.revise<InputWatch>(key, (before) => change({ ...empty, ...before }));
  const read = async (): Promise<InputWatch> => ({ ...empty, ...(await items.read<InputWatch>(key)) });

  return {
    read,

    /**
     * Records that the input could not be read.
     * @param outcome "busy": the API server is unavailable, perhaps only until the next tick
     * @returns the message to post; null if it was posted before, or none is needed
     */
    note: async (tick: string, outcome: "busy" | "refused"): Promise<InputWatch["news"]> => {
      const after = await revise((before) => (before.tick === tick ? null : noted(before, tick, outcome)));
      return after?.news ?? null;
    },

    /** Makes an operation the one that changes nodes; false if another operation does so and has not ended. */
    claim: async (operation: string, hasEnded: (other: string) => Promise<boolean>): Promise<boolean> => {
      const before = await read();
      const isFree = before.operation === null || before.operation === operation || (await hasEnded(before.operation));
      if (!isFree) return false;
      const after = await revise((now) => (now.operation === before.operation ? { ...now, operation } : null));
      return after?.operation === operation;
    },

    /** Records that every node was checked. */
    noteComparison: async (): Promise<void> => {
      await revise((before) => ({ ...before, comparedAt: context.now() }));
    },

    /** Keeps a content from all other nodes for a while. */
    block: async (blocked: BlockedContent): Promise<void> => {
      await revise((before) => ({ ...before, blocked }));
    },

    /** Records the content that the bucket holds. */
    noteStored: async (stored: string): Promise<void> => {
      await revise((before) => (before.stored === stored ? null : { ...before, stored, storedAt: context.now() }));
    },

    /**
     * Records that the input could be read, its remarks, and the parts about which they ask.
     * @param seen state that this tick has read: if nothing changes, nothing is written
     * @returns the message to post, and the remarks that were not recorded before
     */
    noteRead: async (
      seen: InputWatch,
      tick: string,
      { remarks, asked }: Pick<InputWatch, "remarks" | "asked">,
    ): Promise<Pick<InputWatch, "news" | "remarks">> => {
      if (!hasNews(seen, remarks) && seen.tick !== tick) return { news: null, remarks: [] };
      const after = await revise((before) => ({
        ...(before.tick === tick ? before : noted(before, tick, "read")),
        ...(hasRemarks(before, remarks) ? {} : { remarks, asked }),
      }));
      return { news: after?.news ?? null, remarks: remarks.filter((one) => !seen.remarks.includes(one)) };
    },

    /** Reads the key of the secret's hash; the first call makes it. */
    secretKey: async (): Promise<string> => {
      const made = randomBytes(32).toString("base64");
      const after = await revise((before) => (before.secretKey === "" ? { ...before, secretKey: made } : null));
      return after?.secretKey ?? (await read()).secretKey;
    },

    ...answers({ read, revise }),
  };
};

/** The state of each input's schedule. */
export const inputWatches = (context: StepContext) => ({
  of: (rule: string) => inputWatch(context, rule),
});
