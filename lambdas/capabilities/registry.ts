import type { Capability } from "./capability.ts";

type Capabilities = readonly Capability[];

/** Type of one key, over every capability of a list that has it. */
export type PartOf<List extends Capabilities, Key extends keyof Capability> = List[number] extends infer One
  ? One extends { readonly [K in Key]: infer Part }
    ? Part
    : never
  : never;

type Intersection<Union> = (Union extends unknown ? (one: Union) => void : never) extends (all: infer All) => void
  ? All
  : never;

/** Type of the joined tables of a list's capabilities. */
export type TableOf<List extends Capabilities, Key extends "workflows" | "stages" | "waits"> = {
  readonly [Name in keyof Intersection<PartOf<List, Key>>]: Intersection<PartOf<List, Key>>[Name];
};

/** Names of the durable functions of a list's capabilities. */
export type WorkflowsOf<List extends Capabilities> = keyof TableOf<List, "workflows"> & string;

/** Declares a list of capabilities; its commands, functions and schedules can start only functions of the list. */
export const registry = <const List extends Capabilities>(
  list: List & readonly Capability<WorkflowsOf<List>>[],
): List => list;

/** Collects one key of a list's capabilities, in the list's order. */
export const partsOf = <List extends Capabilities, Key extends keyof Capability>(
  list: List,
  key: Key,
): readonly PartOf<List, Key>[] =>
  list.flatMap((one) => (one[key] === undefined ? [] : [one[key] as PartOf<List, Key>]));

/** Joins the tables of a list's capabilities, in the list's order. */
export const tableOf = <List extends Capabilities, Key extends "workflows" | "stages" | "waits">(
  list: List,
  key: Key,
): TableOf<List, Key> => Object.assign({}, ...partsOf(list, key));
