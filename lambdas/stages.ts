import type { StageRow } from "./capabilities/capability.ts";
import { capabilities } from "./capabilities/list.ts";
import { type TableOf, tableOf } from "./capabilities/registry.ts";

/**
 * Every workflow on a node with its stages, in order: progress, texts, deadlines and the runbook derive from this
 * table.
 */
export const stages = tableOf(capabilities, "stages");

/** A workflow that works on one node. */
export type NodeWorkflow = keyof typeof stages;

/** A stage of one workflow. */
export type StageOf<W extends NodeWorkflow> = (typeof stages)[W][number]["name"];

/** A stage of any workflow. */
export type StageName = StageOf<NodeWorkflow>;

/** The names of these workflows, in order. */
export const nodeWorkflows = Object.keys(stages) as readonly NodeWorkflow[];

/** The rows of one workflow, in order. */
export const stagesOf = (workflow: NodeWorkflow): readonly (StageRow & { readonly name: StageName })[] =>
  stages[workflow];

type Waits = TableOf<typeof capabilities, "waits">;

/** A wait of one workflow. */
export type WaitOf<W extends NodeWorkflow> = W extends keyof Waits ? keyof Waits[W] & string : never;

const waits: Readonly<Partial<Record<NodeWorkflow, Readonly<Record<string, number>>>>> = tableOf(capabilities, "waits");

/** The waits of one workflow that belong to no stage, with their default in minutes. */
export const waitsOf = (workflow: NodeWorkflow): Readonly<Record<string, number>> => waits[workflow] ?? {};
