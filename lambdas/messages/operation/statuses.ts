import type { OperationStatus } from "../../records/records.ts";
import { sign } from "../slack/signs.ts";

/** Sign and words of each status of an operation. */
export const statuses: Readonly<Record<OperationStatus, { readonly sign: string; readonly words: string }>> = {
  requested: { sign: sign.running, words: "starting" },
  running: { sign: sign.running, words: "running" },
  waiting: { sign: sign.decide, words: "action required" },
  scheduled: { sign: sign.scheduled, words: "scheduled" },
  succeeded: { sign: sign.done, words: "done" },
  failed: { sign: sign.failed, words: "failed" },
  cancelled: { sign: sign.cancelled, words: "cancelled" },
  refused: { sign: sign.refused, words: "refused" },
  "not-started": { sign: sign.refused, words: "not started" },
};

/** The sign and the words of an operation's status. */
export const statusWords = (status: OperationStatus): string => `${statuses[status].sign} ${statuses[status].words}`;
