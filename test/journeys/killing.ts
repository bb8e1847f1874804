import { expect } from "vitest";
import type { Journey } from "./journey.ts";
import { injectFault } from "./outside.ts";

/** One operation of a durable execution. */
export interface DurableOperation {
  readonly name: string;
  readonly type: string;
}

/** Moments at which a process dies, by the fault and its side of the operation. */
export const kills = [
  ["handler-crash", "before"],
  ["handler-crash", "after"],
  ["handler-crash-at-start", "before"],
  ["handler-crash-at-start", "after"],
] as const;

/** The durable operations of an execution. */
export function durableOperations(here: Journey, executionArn: string | null | undefined): DurableOperation[] {
  const execution = here.simulator.lambda.executions().find((one) => one.arn === executionArn);
  return here.simulator.simulation.store
    .collection<DurableOperation>(`durable-operations/${execution?.id}`)
    .values()
    .map(({ name, type }) => ({ name, type }));
}

/** Machines that were given a command of an operation, each as often as it was. */
export const commandedBy = (here: Journey, operation: string): string[] =>
  here.simulator.simulation.store
    .collection<{ comment: string; instanceIds: readonly string[] }>("ssm-commands")
    .values()
    .filter(({ comment }) => comment.startsWith(operation))
    .flatMap(({ instanceIds }) => instanceIds);

/**
 * Kills the process of a function at each of these operations once.
 * @returns the names of these operations, and an assertion, for the end, that the process died
 */
export function killAtEach(
  here: Journey,
  workflow: string,
  whole: readonly DurableOperation[],
  [kind, when]: (typeof kills)[number],
): { readonly names: readonly string[]; readonly expectDied: () => void } {
  const atStart = kind === "handler-crash-at-start";
  const hit = whole.filter(({ type }) => !atStart || type === "STEP" || type === "CONTEXT").map(({ name }) => name);
  const names = [...new Set(hit)];
  for (const operation of names) injectFault(here, kind, { function: workflow, operation, when }, 1);
  // One checkpoint may hold the ends of several operations: the process died at it once.
  const died = (): number => names.length - here.simulator.simulation.faults.inForce().length;
  return { names, expectDied: () => expect(died()).toBeGreaterThan(names.length * 0.7) };
}
