import { APPEND_AUDIT, appenders } from "../lambdas/audit/appenders.ts";
import type { Capability, WorkflowRow } from "../lambdas/capabilities/capability.ts";
import { capabilities, type WorkflowName } from "../lambdas/capabilities/list.ts";
import { schedules } from "../lambdas/capabilities/schedules.ts";
import type { Account } from "../lambdas/cluster/accounts.ts";
import { commands } from "../lambdas/commands/list.ts";

const HOUR = 3_600;

/** One function, as the stack deploys it and the sandbox mounts it. */
export interface FunctionShape {
  /** The file that exports `handler` for Lambda and `createHandler` for the sandbox. */
  readonly entry: string;
  /** Seconds that one invocation may take. */
  readonly timeoutSeconds: number;
  /** Lambda allots CPU by memory: 1,769 MB give one whole core (Lambda developer guide, "Configure memory"). */
  readonly memoryMiB: number;
  /** Only for durable functions: seconds that one execution may take, including waits for people. */
  readonly executionSeconds?: number;
  /** Service account in the cluster, and so the secret that the function reads; without one it never calls the API. */
  readonly account?: Account;
  /** Durable functions that the function may start. */
  readonly starts: readonly WorkflowName[];
  /** Aliases by which others call it and wait for its answer: each is the name of the one function that may use it. */
  readonly aliases?: readonly WorkflowName[];
  /** The doctor, in `look`, lets it try its own rights: set for each function that changes resources of the account. */
  readonly triesItsRights?: true;
}

/** A durable function with its limits. */
interface DurableShape extends FunctionShape {
  readonly executionSeconds: number;
}

/** A workflow's invocation lasts from one wait to the next; each step in between has its own timeout. */
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
 * Every function that runs in the cloud, from the list of capabilities; only the function that publishes a release is
 * not here. Principals, bundles, the stack's functions and the sandbox's handlers derive from these rows. Permissions
 * are written by hand in lib/permissions.ts.
 */
export const functions: Readonly<
  Record<WorkflowName, DurableShape> & Record<"front-door" | "cloud-events" | typeof APPEND_AUDIT, FunctionShape>
> = {
  "front-door": {
    entry: "lambdas/front-door/handler.ts",
    timeoutSeconds: 10,
    memoryMiB: 1769,
    // The sweep tells at once who has what waits.
    starts: distinct([
      ...commands.flatMap(({ workflow, workflowOfMany }) => [workflow ?? [], workflowOfMany ?? []]).flat(),
      "sweep",
    ]),
  },
  "cloud-events": {
    entry: "lambdas/cloud-events/handler.ts",
    timeoutSeconds: 30,
    memoryMiB: 512,
    starts: distinct(schedules.flatMap(({ starts = [] }) => starts)),
  },
  // A step waits for its answer, which is several calls of DynamoDB and S3.
  [APPEND_AUDIT]: {
    entry: "lambdas/append-audit/handler.ts",
    timeoutSeconds: 30,
    memoryMiB: 1024,
    starts: [],
    aliases: appenders,
  },
  ...workflows,
};

/** Name of a function. */
export type FunctionName = keyof typeof functions;

/** A holder of permissions: a function, the one that publishes a release, EventBridge's role, or the Windows nodes' role. */
export type PrincipalName = FunctionName | "release" | "publisher" | "node";

/** Names of all functions, in the order in which a request passes them. */
export const functionNames = Object.keys(functions) as readonly FunctionName[];

/** Tells a function from the other principals. */
export const isFunction = (principal: string): principal is FunctionName => Object.hasOwn(functions, principal);

/** The row of a principal; undefined for one that is no function of the table. */
export const functionOf = (principal: string): FunctionShape | undefined =>
  isFunction(principal) ? functions[principal] : undefined;

/** Functions that run asynchronously: an event that one of them failed on is kept as a dead letter. */
export const asynchronousNames: readonly FunctionName[] = functionNames.filter(
  (name) => name !== "front-door" && name !== APPEND_AUDIT,
);

/** Names of the durable functions. */
export const workflowNames = functionNames.filter((name) => "executionSeconds" in functions[name]);

/** Functions that try their own rights for the doctor. */
export const triedNames: readonly FunctionName[] = functionNames.filter((name) => functionOf(name)?.triesItsRights);

/** Entry files to bundle for a deployment: every function of the table, and the function that publishes a release. */
export const entries: Readonly<Record<FunctionName | "release", string>> = {
  ...(Object.fromEntries(functionNames.map((name) => [name, functions[name].entry])) as Record<FunctionName, string>),
  release: "lambdas/release/handler.ts",
};

/** Does the function call the cluster's API server, so that its network must reach it? */
export const callsKubernetes = (name: string): boolean => functionOf(name)?.account !== undefined;
