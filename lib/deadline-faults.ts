import { type Deadlines, minutesTogether } from "../lambdas/configuration/deadlines.ts";
import { fleetMinutes, inputsInTurn } from "../lambdas/configuration/fleet-minutes.ts";
import { type NodeWorkflow, nodeWorkflows } from "../lambdas/stages.ts";
import { functions } from "./functions.ts";
import type { Fault } from "./rule-faults.ts";

/** Minutes of an execution reserved for retries, replies and rollback. */
const ROOM_MINUTES = 30;

/**
 * Minutes beyond the stages that a drain, a removal or an assistance may wait for approvals: three requests of at most
 * an hour each, and the time between them.
 */
const APPROVAL_MINUTES = 240;

/** Workflows whose functions have other names. */
const functionsOfWorkflows = {
  assisting: "assist-node",
  authority: "update-authority",
  guarding: "guard-node",
  mirrors: "reconcile",
  proving: "reboot-node",
  proxy: "reconcile",
  trust: "reconcile",
} as const;

const isRenamed = (workflow: NodeWorkflow): workflow is keyof typeof functionsOfWorkflows =>
  workflow in functionsOfWorkflows;

const functionOfWorkflow = (workflow: NodeWorkflow) =>
  isRenamed(workflow) ? functionsOfWorkflows[workflow] : (`${workflow}-node` as const);

/** Minutes that an execution of a workflow has for its stages and waits. */
const mostMinutes = (workflow: NodeWorkflow): number =>
  functions[functionOfWorkflow(workflow)].executionSeconds / 60 -
  ROOM_MINUTES -
  (["remove", "drain", "reboot", "restart", "assisting", "trust"].includes(workflow) ? APPROVAL_MINUTES : 0);

const THEN_IT_ENDS = `an execution ends ${ROOM_MINUTES} minutes after that`;

/** The parts of a deployment that decide how long its executions may take. */
interface Limits {
  readonly deadlines: Deadlines;
  readonly pools: Readonly<Record<string, { readonly maximum: number }>>;
}

/**
 * Finds deadlines that are longer than an execution. When an execution times out, no code runs, so every wait, also for
 * people, must end before. Zod runs all checks even after one has failed, so an invalid deadline is not a number here.
 */
export function deadlineFaults({ deadlines, pools: all }: Limits): Fault[] {
  const machines = Object.values(all).reduce((sum, { maximum }) => sum + maximum, 0);
  const faults = nodeWorkflows.flatMap((workflow) => {
    const ofFleet = fleetMinutes(deadlines, workflow, machines);
    const minutes = ofFleet ?? minutesTogether(deadlines, workflow);
    const most = mostMinutes(workflow);
    if (!(minutes > most)) return [];
    const sum = ofFleet === null ? "together they are" : `with every command twice, for ${machines} machines, they are`;
    return [
      { path: ["deadlines", workflow], message: `${sum} ${minutes} minutes, and may be ${most}: ${THEN_IT_ENDS}` },
    ];
  });
  return faults.length > 0 ? faults : turnFaults(deadlines, machines);
}

/** `/win reconcile` gives the inputs one after the other; it waits for no approval. */
function turnFaults(deadlines: Deadlines, machines: number): Fault[] {
  const minutes = inputsInTurn.reduce((sum, input) => sum + (fleetMinutes(deadlines, input, machines) ?? 0), 0);
  const most = mostMinutes("mirrors");
  if (!(minutes > most)) return [];
  const message = `${inputsInTurn.join(", ")} one after the other are ${minutes} minutes for ${machines} machines, and may be ${most}: ${THEN_IT_ENDS}`;
  return [{ path: ["deadlines"], message }];
}
