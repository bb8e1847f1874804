import { readFileSync, writeFileSync } from "node:fs";
import { gunzipSync, gzipSync } from "node:zlib";
import type { FunctionName } from "../../lib/functions.ts";
import type { ErrorObject, ExecutionStatus, Operation } from "../../lib/sandbox/durable/model.ts";

/** The file that holds complete histories of durable executions of the last release: JSON, gzipped, in lines of base64. */
const LAST_HISTORIES = "test/stack/last-histories.txt";

/** One operation with all that the service hands to the SDK on a replay; its times decide nothing there. */
export type RecordedOperation = Pick<
  Operation,
  | "id"
  | "parentId"
  | "name"
  | "type"
  | "subType"
  | "status"
  | "result"
  | "error"
  | "attempt"
  | "callbackId"
  | "replayChildren"
>;

/** One execution from its input to its end. */
export interface History {
  /** Names the way and the function: "drain, approved: drain-node". */
  readonly name: string;
  readonly function: FunctionName;
  readonly arn: string;
  /** JSON text. */
  readonly input: string;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly endedAt: number;
  readonly status: ExecutionStatus;
  readonly result: string | null;
  readonly error: ErrorObject | null;
  /** In the order in which they began. */
  readonly operations: readonly RecordedOperation[];
}

/** Reads the histories of the last release. */
export const lastHistories = (): readonly History[] =>
  JSON.parse(gunzipSync(Buffer.from(readFileSync(LAST_HISTORIES, "utf8"), "base64")).toString());

/** Writes histories in place of those of the last release. */
export function keepHistories(histories: readonly History[]): void {
  const text = gzipSync(JSON.stringify(histories), { level: 9 }).toString("base64");
  writeFileSync(LAST_HISTORIES, `${text.replace(/.{1,120}/g, "$&\n")}`);
}
