import type { OperationStatus } from "../../records/records.ts";

/** Sign and words of each status of an operation. */
export const statuses: Readonly<Record<OperationStatus, { readonly sign: string; readonly words: string }>> = {
  requested: { sign: "⏳", words: "starting" },
  running: { sign: "⏳", words: "running" },
  waiting: { sign: "❓", words: "action required" },
  scheduled: { sign: "🗓️", words: "scheduled" },
  succeeded: { sign: "✅", words: "done" },
  failed: { sign: "❌", words: "failed" },
  cancelled: { sign: "⛔", words: "cancelled" },
  refused: { sign: "🚫", words: "refused" },
  "not-started": { sign: "🚫", words: "not started" },
};

/** The sign and the words of an operation's status. */
export const statusWords = (status: OperationStatus): string => `${statuses[status].sign} ${statuses[status].words}`;
