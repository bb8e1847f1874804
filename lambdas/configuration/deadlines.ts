import { z } from "zod";
import { type NodeWorkflow, nodeWorkflows, type StageOf, stagesOf, type WaitOf, waitsOf } from "../stages.ts";

const minutes = z
  .number()
  .positive()
  .max(24 * 60);

/** Minutes of each stage and wait of each workflow on a node: `deadlines.provision.launch`. */
export type Deadlines = { readonly [W in NodeWorkflow]: Readonly<Record<StageOf<W> | WaitOf<W>, number>> };

/**
 * Minutes that an execution which empties a node has for its stages and waits, including continued drains. The time for
 * approvals comes before and is separate. At a drain's fastest pace, one poll in 21 s, this is 1,290 durable
 * operations.
 */
export const EMPTYING_MINUTES = 450;

/**
 * Sum of a workflow's minutes without the wait `continue`: a drain is only continued in the time that the others leave.
 */
export const minutesTogether = (deadlines: Deadlines, workflow: NodeWorkflow): number =>
  Object.entries(deadlines[workflow] ?? {}).reduce((sum, [name, each]) => (name === "continue" ? sum : sum + each), 0);

/** Minutes by name, of which a file may contain some. */
type Minutes = Readonly<Record<string, number | undefined>>;

const defaultsOf = (workflow: NodeWorkflow): Readonly<Record<string, number>> => ({
  ...Object.fromEntries(stagesOf(workflow).map((stage) => [stage.name, stage.minutes])),
  ...waitsOf(workflow),
});

/** Keys of the last release, which had one list for all workflows, with the workflows that each of them limited. */
const oldKeys: Readonly<Record<string, readonly NodeWorkflow[]>> = {
  image: [],
  ...Object.fromEntries(Object.keys(defaultsOf("provision")).map((key) => [key, ["provision"]])),
  evict: ["remove"],
  dialog: ["remove"],
  terminate: ["provision", "remove"],
};

const optionalMinutes = (keys: readonly string[]) => Object.fromEntries(keys.map((key) => [key, minutes.optional()]));

/** Fills in every key: the file's value, otherwise the value of the last release's key, otherwise the default. */
function complete(file: object): Deadlines {
  const tables = file as Readonly<Record<NodeWorkflow, Minutes | undefined>>;
  const old = file as Minutes;
  const minutesOf =
    (workflow: NodeWorkflow) =>
    ([key, standard]: [string, number]) => {
      const before = oldKeys[key]?.includes(workflow) ? old[key] : undefined;
      return [key, tables[workflow]?.[key] ?? before ?? standard];
    };
  const entries = nodeWorkflows.map((workflow) => [
    workflow,
    Object.fromEntries(Object.entries(defaultsOf(workflow)).map(minutesOf(workflow))),
  ]);
  return Object.fromEntries(entries) as Deadlines;
}

/** Minutes until a stage fails or a wait ends, by workflow; missing keys get their defaults. */
export const deadlinesSchema = z
  .strictObject({
    ...Object.fromEntries(
      nodeWorkflows.map((name) => [name, z.strictObject(optionalMinutes(Object.keys(defaultsOf(name)))).optional()]),
    ),
    ...optionalMinutes(Object.keys(oldKeys)),
  })
  .transform(complete);

/**
 * Adds the keys of the last release, whose executions run for hours after a deployment and read the newest document.
 * @returns the deadlines of a published document
 */
export const withOldKeys = (deadlines: Deadlines): object => ({
  ...Object.fromEntries(
    Object.entries(oldKeys).flatMap(([key, [workflow]]) =>
      workflow ? [[key, (deadlines[workflow] as Minutes)[key]]] : [],
    ),
  ),
  ...deadlines,
});

/**
 * Finds the keys of the last release in a file.
 * @param deadlines of the file, not validated yet
 * @returns one sentence for each, naming the new key
 */
export function oldKeyWarnings(deadlines: unknown): string[] {
  const keys = typeof deadlines === "object" && deadlines !== null ? Object.keys(deadlines) : [];
  return keys.flatMap((key) => {
    const workflows = oldKeys[key];
    if (!workflows) return [];
    const now = workflows.map((workflow) => `deadlines.${workflow}.${key}`).join(" and ");
    return [`deadlines.${key} ${now === "" ? "has no effect any more: remove it" : `is now ${now}`}`];
  });
}
