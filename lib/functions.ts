import type { Capability, WorkflowRow } from "../lambdas/capabilities/capability.ts";
import { capabilities, type WorkflowName } from "../lambdas/capabilities/list.ts";
import { schedules } from "../lambdas/capabilities/schedules.ts";
import type { Account } from "../lambdas/cluster/accounts.ts";
import { commands } from "../lambdas/commands/list.ts";

const HOUR = 3_600;

/** One function: the stack deploys it so, and the sandbox mounts it so. */
export interface FunctionShape {
  /** The file that exports `handler` for Lambda and `createHandler` for the sandbox. */
  readonly entry: string;
  /** Seconds that one invocation may take. */
  readonly timeoutSeconds: number;
  /** Lambda gives processor by memory: 1,769 MB are one whole core (Lambda developer guide, "Configure memory"). */
  readonly memoryMiB: number;
  /** Durable functions alone: what one execution may take, waits for people included. */
  readonly executionSeconds?: number;
  /** The service account by which it asks the cluster, and so the secret that it reads; left out, it never asks. */
  readonly account?: Account;
  /** Durable functions that it may start. */
  readonly starts: readonly WorkflowName[];
  /** The doctor, in `look`, has it try its own rights: set where a function changes something in the account. */
  readonly triesItsRights?: true;
}

/** A durable function with its limits. */
interface DurableShape extends FunctionShape {
  readonly executionSeconds: number;
}

/** A workflow's invocation lasts from one wait to the next; the steps between end by their own time-outs. */
const durable = (entry: string, { hours, starts = [], ...row }: WorkflowRow<WorkflowName>): DurableShape => ({
  entry,
  timeoutSeconds: 300,
  memoryMiB: 1024,
  executionSeconds: hours * HOUR,
  starts,
  ...row,
});

const list: readonly Capability<WorkflowName>[] = capabilities;

const workflows = Object.fromEntries(
  list.flatMap(({ name: folder, workflows = {} }) =>
    Object.entries(workflows).map(([name, row]) => [name, durable(`lambdas/capabilities/${folder}/${name}.ts`, row)]),
  ),
) as Record<WorkflowName, DurableShape>;

const distinct = <T>(values: readonly T[]): readonly T[] => [...new Set(values)];

/**
 * Every function that runs in the cloud but the one that publishes a release, from the list of capabilities. Principals,
 * bundles, the stack's functions and the sandbox's handlers derive from these rows; permissions are written down by hand in
 * lib/permissions.ts.
 */
export const functions: Readonly<
  Record<WorkflowName, DurableShape> & Record<"front-door" | "cloud-events", FunctionShape>
> = {
  "front-door": {
    entry: "lambdas/front-door/handler.ts",
    timeoutSeconds: 10,
    memoryMiB: 1769,
    starts: distinct(commands.flatMap(({ workflow, workflowOfMany }) => [workflow ?? [], workflowOfMany ?? []]).flat()),
  },
  "cloud-events": {
    entry: "lambdas/cloud-events/handler.ts",
    timeoutSeconds: 30,
    memoryMiB: 512,
    starts: distinct(schedules.flatMap(({ starts = [] }) => starts)),
  },
  ...workflows,
};

/** A function by its name. */
export type FunctionName = keyof typeof functions;

/** A holder of permissions: a function, the one that publishes a release, EventBridge's role, or the Windows nodes' role. */
export type PrincipalName = FunctionName | "release" | "publisher" | "node";

/** All of them, in the order of a request's way. */
export const functionNames = Object.keys(functions) as readonly FunctionName[];

/** Tells a function from the other principals. */
export const isFunction = (principal: string): principal is FunctionName => Object.hasOwn(functions, principal);

/** The row of a principal; undefined for one that is no function of the table. */
export const functionOf = (principal: string): FunctionShape | undefined =>
  isFunction(principal) ? functions[principal] : undefined;

/** Those that run asynchronously: an event that one of them failed on is kept as a dead letter. */
export const asynchronousNames: readonly FunctionName[] = functionNames.filter((name) => name !== "front-door");

/** The durable ones. */
export const workflowNames = functionNames.filter((name) => "executionSeconds" in functions[name]);

/** Those that the doctor has try their own rights. */
export const triedNames: readonly FunctionName[] = functionNames.filter((name) => functionOf(name)?.triesItsRights);

/** Entry files to bundle for a deployment: every function, and the one that publishes a release. */
export const entries: Readonly<Record<FunctionName | "release", string>> = {
  ...(Object.fromEntries(functionNames.map((name) => [name, functions[name].entry])) as Record<FunctionName, string>),
  release: "lambdas/release/handler.ts",
};

/** Does the function ask the cluster's API server, and so need a way to it? */
export const callsKubernetes = (name: string): boolean => functionOf(name)?.account !== undefined;
