import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { measureNames } from "../../lib/calibration/measures.ts";
import { messageOf } from "../../lib/message-of.ts";
import { StartError } from "../start-error.ts";

/** Steps of a run, in their order. */
export const stepNames = ["add", "pull", "route", "reboot", "prove", "remove", "leftovers"] as const;

/** Name of a step. */
export type StepName = (typeof stepNames)[number];

const kinds = z.record(z.string(), z.string());

/** State of a run, written after each change so that it can be resumed. It contains names; the report does not. */
const runSchema = z.strictObject({
  format: z.literal(1),
  id: z.string(),
  cluster: z.string(),
  pool: z.string(),
  windows: z.string(),
  instanceType: z.string(),
  startedAt: z.string(),
  endedAt: z.string().nullable(),
  user: z.string().nullable(),
  /** Command → number of times that it was requested. */
  attempts: z.partialRecord(z.enum(["add", "reboot", "remove"]), z.int()),
  /** Command → id of its last operation. */
  operations: z.partialRecord(z.enum(["add", "reboot", "remove"]), z.string()),
  instanceId: z.string().nullable(),
  nodeName: z.string().nullable(),
  bootId: z.string().nullable(),
  done: z.array(z.enum(stepNames)),
  /** The step that failed, and the reason. */
  failed: z.strictObject({ step: z.enum(stepNames), why: z.string() }).nullable(),
  measures: z.partialRecord(z.enum(measureNames), z.number()),
  /** Answer → its fields and their types, without values. */
  shapes: z.record(z.string(), kinds),
  answers: kinds,
});

/** State of a run. */
export type Run = z.infer<typeof runSchema>;

/** A command that a run requests. */
export type RunCommand = "add" | "reboot" | "remove";

/** Creates a new run. @param id such as "acc-3f9c2a71" */
export const newRun = (
  about: Pick<Run, "id" | "cluster" | "pool" | "windows" | "instanceType" | "startedAt" | "user">,
): Run => ({
  format: 1,
  ...about,
  endedAt: null,
  attempts: {},
  operations: {},
  instanceId: null,
  nodeName: null,
  bootId: null,
  done: [],
  failed: null,
  measures: {},
  shapes: {},
  answers: {},
});

const END = ".run.json";

/** Writes a file atomically: a process that is killed leaves the old file or the new one. */
export function writeWhole(path: string, content: object): void {
  writeFileSync(`${path}.new`, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${path}.new`, path);
}

/** Saves a run in its folder. */
export function saveRun(folder: string, run: Run): void {
  mkdirSync(folder, { recursive: true });
  writeWhole(join(folder, `${run.id}${END}`), run);
}

function readRun(path: string): Run {
  try {
    return runSchema.parse(JSON.parse(readFileSync(path, "utf8")));
  } catch (error) {
    const [first = ""] = messageOf(error).split("\n");
    throw new StartError(`${path} is not the file of a run (${first}): move it away`);
  }
}

const filesIn = (folder: string): string[] => {
  try {
    return readdirSync(folder).filter((name) => name.endsWith(END));
  } catch {
    return [];
  }
};

/**
 * Finds the newest run of a cluster that has not ended.
 * @throws StartError for a file that cannot be read
 */
export const openRun = (folder: string, cluster: string): Run | undefined =>
  filesIn(folder)
    .map((name) => readRun(join(folder, name)))
    .filter((run) => run.cluster === cluster && run.endedAt === null)
    .toSorted((one, other) => one.startedAt.localeCompare(other.startedAt))
    .at(-1);
