import type { OwnTick, StartingSchedule } from "./capability.ts";
import { capabilities, type WorkflowName } from "./list.ts";
import { type PartOf, partsOf } from "./registry.ts";

type Declared = PartOf<typeof capabilities, "schedules">[number];

/** Name of a schedule whose ticks the event handler handles itself. */
export type OwnSchedule = Exclude<Declared, { readonly starts: string }>["name"];

/** Every schedule, in the order of the capabilities. */
export const schedules: readonly (StartingSchedule<WorkflowName> | (OwnTick & { readonly name: OwnSchedule }))[] =
  partsOf(capabilities, "schedules").flat();

/** Name of a rule; it contains the cluster's, because several clusters may share an account. */
export const ruleName = (cluster: string, name: string): string => `casement-${cluster}-${name}`;
