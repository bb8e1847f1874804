import type { Account } from "../lambdas/desired/accounts.ts";

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
  readonly starts: readonly string[];
  /** The doctor, in `look`, has it try its own rights: set where a function changes something in the account. */
  readonly triesItsRights?: true;
  /** Name of its permissions in lib/permissions.ts. */
  readonly permissions: string;
}

type Limits = Pick<FunctionShape, "entry" | "timeoutSeconds" | "memoryMiB"> & { readonly executionSeconds: number };

/** A workflow's invocation lasts from one wait to the next; the steps between end by their own time-outs. */
const workflow = (name: string, executionHours: number): Limits => ({
  entry: `lambdas/workflows/${name}.ts`,
  timeoutSeconds: 300,
  memoryMiB: 1024,
  executionSeconds: executionHours * HOUR,
});

/** The rows as they are, once each starts only functions that have a row. */
const table = <const Rows extends Readonly<Record<string, FunctionShape>>>(
  rows: Rows & { readonly [Name in keyof Rows]: { readonly starts: readonly (keyof Rows)[] } },
): Rows => rows;

/**
 * Every function that runs in the cloud but the one that publishes a release. Principals, bundles, the stack's functions and
 * the sandbox's handlers derive from these rows; permissions are written down by hand in lib/permissions.ts.
 */
export const functions = table({
  "front-door": {
    entry: "lambdas/front-door/handler.ts",
    timeoutSeconds: 10,
    memoryMiB: 1769,
    starts: [
      "add-nodes",
      "assist-node",
      "cordon-node",
      "guard-node",
      "drain-node",
      "reboot-node",
      "reboot-nodes",
      "remove-node",
      "stop-changes",
      "look",
    ],
    permissions: "front-door",
  },
  "cloud-events": {
    entry: "lambdas/cloud-events/handler.ts",
    timeoutSeconds: 30,
    memoryMiB: 512,
    starts: ["sweep", "look", "probe-nodes", "watch-reboots", "update-authority"],
    permissions: "cloud-events",
  },
  "add-nodes": { ...workflow("add-nodes", 12), account: "look", starts: ["provision-node"], permissions: "add-nodes" },
  "provision-node": {
    ...workflow("provision-node", 8),
    account: "join",
    starts: [],
    triesItsRights: true,
    permissions: "provision-node",
  },
  "assist-node": {
    ...workflow("assist-node", 6),
    account: "act",
    starts: [],
    triesItsRights: true,
    permissions: "assist-node",
  },
  "cordon-node": { ...workflow("cordon-node", 1), account: "act", starts: [], permissions: "cordon-node" },
  "guard-node": { ...workflow("guard-node", 3), account: "look", starts: [], permissions: "guard-node" },
  "drain-node": {
    ...workflow("drain-node", 12),
    account: "act",
    starts: [],
    triesItsRights: true,
    permissions: "drain-node",
  },
  "reboot-nodes": {
    ...workflow("reboot-nodes", 12),
    account: "act",
    starts: ["reboot-node"],
    permissions: "reboot-nodes",
  },
  "reboot-node": {
    ...workflow("reboot-node", 12),
    account: "act",
    starts: [],
    triesItsRights: true,
    permissions: "reboot-node",
  },
  "remove-node": {
    ...workflow("remove-node", 12),
    account: "act",
    starts: [],
    triesItsRights: true,
    permissions: "remove-node",
  },
  "stop-changes": { ...workflow("stop-changes", 1), account: "look", starts: [], permissions: "stop-changes" },
  look: { ...workflow("look", 1), account: "look", starts: [], permissions: "look" },
  "probe-nodes": { ...workflow("probe-nodes", 3), account: "act", starts: [], permissions: "probe-nodes" },
  "watch-reboots": { ...workflow("watch-reboots", 1), account: "look", starts: [], permissions: "watch-reboots" },
  "update-authority": {
    ...workflow("update-authority", 2),
    account: "act",
    starts: [],
    triesItsRights: true,
    permissions: "update-authority",
  },
  sweep: {
    ...workflow("sweep", 1),
    account: "act",
    starts: ["drain-node", "reboot-node", "reboot-nodes", "remove-node"],
    triesItsRights: true,
    permissions: "sweep",
  },
});

/** A function by its name. */
export type FunctionName = keyof typeof functions;

/** A holder of permissions: a function, the one that publishes a release, EventBridge's role, or the Windows nodes' role. */
export type PrincipalName = FunctionName | "release" | "publisher" | "node";

/** Name of a function's permissions in lib/permissions.ts. */
export type PermissionsName = (typeof functions)[FunctionName]["permissions"];

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
