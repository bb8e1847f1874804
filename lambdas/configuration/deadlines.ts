import { z } from "zod";
import { type NodeWorkflow, nodeWorkflows, type StageOf, stagesOf, type WaitOf, waitsOf } from "../stages.ts";

const minutes = z
  .number()
  .positive()
  .max(24 * 60);

/** Minutes of each stage and wait of each workflow on a node: `deadlines.provision.launch`. */
export type Deadlines = { readonly [W in NodeWorkflow]: Readonly<Record<StageOf<W> | WaitOf<W>, number>> };

/**
 * Minutes that an execution which empties a node has for its stages and waits, continued drains included; approvals come
 * before them and have time of their own. At the fastest pace of a drain, a poll in 21 s, that is 1,290 durable operations.
 */
export const EMPTYING_MINUTES = 450;

/** Sum of a workflow's minutes. A drain is continued only where there is room for it: that wait takes none from the others. */
export const minutesTogether = (deadlines: Deadlines, workflow: NodeWorkflow): number =>
  Object.entries(deadlines[workflow] ?? {}).reduce((sum, [name, each]) => (name === "continue" ? sum : sum + each), 0);

/** Minutes by name, as a file may give some of them. */
type Given = Readonly<Record<string, number | undefined>>;

const defaultsOf = (workflow: NodeWorkflow): Readonly<Record<string, number>> => ({
  ...Object.fromEntries(stagesOf(workflow).map((stage) => [stage.name, stage.minutes])),
  ...waitsOf(workflow),
});

/** Keys of the last release, which had one list for all workflows, and the workflows that they bound. */
const oldKeys: Readonly<Record<string, readonly NodeWorkflow[]>> = {
  image: [],
  ...Object.fromEntries(Object.keys(defaultsOf("provision")).map((key) => [key, ["provision"]])),
  evict: ["remove"],
  dialog: ["remove"],
  terminate: ["provision", "remove"],
};

const optionalMinutes = (keys: readonly string[]) => Object.fromEntries(keys.map((key) => [key, minutes.optional()]));

/** Every key with its minutes: those of the file, else those that the last release's key gave, else the default. */
function complete(given: object): Deadlines {
  const tables = given as Readonly<Record<NodeWorkflow, Given | undefined>>;
  const old = given as Given;
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

/** Minutes until a stage has failed or a wait is over, by workflow; what is left out has its default. */
export const deadlinesSchema = z
  .strictObject({
    ...Object.fromEntries(
      nodeWorkflows.map((name) => [name, z.strictObject(optionalMinutes(Object.keys(defaultsOf(name)))).optional()]),
    ),
    ...optionalMinutes(Object.keys(oldKeys)),
  })
  .transform(complete);

/**
 * Adds the keys by which the last release reads deadlines: its executions run on for hours and read the newest document.
 * @returns what a published document holds
 */
export const withOldKeys = (deadlines: Deadlines): object => ({
  ...Object.fromEntries(
    Object.entries(oldKeys).flatMap(([key, [workflow]]) =>
      workflow ? [[key, (deadlines[workflow] as Given)[key]]] : [],
    ),
  ),
  ...deadlines,
});

/**
 * Finds the keys of the last release in a file.
 * @param given the file's `deadlines`, before they are checked
 * @returns one sentence for each, naming the new key
 */
export function oldKeyWarnings(given: unknown): string[] {
  const keys = typeof given === "object" && given !== null ? Object.keys(given) : [];
  return keys.flatMap((key) => {
    const workflows = oldKeys[key];
    if (!workflows) return [];
    const now = workflows.map((workflow) => `deadlines.${workflow}.${key}`).join(" and ");
    return [`deadlines.${key} ${now === "" ? "has no effect any more: remove it" : `is now ${now}`}`];
  });
}
