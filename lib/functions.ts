import type { Account } from "../lambdas/desired/accounts.ts";
import type { PrincipalName } from "./place.ts";

const HOUR = 3_600;

/** Settings by which a function runs: the stack deploys it so, and the sandbox hosts it so. */
export interface FunctionShape {
  /** The handler's file. */
  readonly entry: string;
  /** Seconds that one invocation may take. */
  readonly timeoutSeconds: number;
  /** Lambda gives processor by memory: 1,769 MB are one whole core (Lambda developer guide, "Configure memory"). */
  readonly memoryMiB: number;
  /** Durable functions alone: what one execution may take, waits for people included. */
  readonly executionSeconds?: number;
  /** The service account by which it asks the cluster, and so the secret that it reads; left out, it never asks. */
  readonly account?: Account;
}

/** A workflow's invocation lasts from one wait to the next; the steps between end by their own time-outs. */
const workflow = (name: string, executionHours: number): FunctionShape & { readonly executionSeconds: number } => ({
  entry: `lambdas/workflows/${name}.ts`,
  timeoutSeconds: 300,
  memoryMiB: 1024,
  executionSeconds: executionHours * HOUR,
});

/** Every function that runs in the cloud but the one that publishes a release. */
export const functions = {
  "front-door": { entry: "lambdas/front-door/handler.ts", timeoutSeconds: 10, memoryMiB: 1769 },
  "cloud-events": { entry: "lambdas/cloud-events/handler.ts", timeoutSeconds: 30, memoryMiB: 512 },
  "add-nodes": { ...workflow("add-nodes", 12), account: "look" },
  "provision-node": { ...workflow("provision-node", 8), account: "join" },
  "remove-node": { ...workflow("remove-node", 8), account: "act" },
  look: { ...workflow("look", 1), account: "look" },
  sweep: workflow("sweep", 1),
} as const satisfies Partial<Record<PrincipalName, FunctionShape>>;

/** A function by its name. */
export type FunctionName = keyof typeof functions;

/** All of them, in the order of a request's way. */
export const functionNames = Object.keys(functions) as readonly FunctionName[];

/** Those that nobody waits for: an event that one of them failed on is kept as a dead letter. */
export const asynchronousNames: readonly FunctionName[] = functionNames.filter((name) => name !== "front-door");

/** The durable ones. */
export const workflowNames = functionNames.filter((name) => "executionSeconds" in functions[name]);

/** Entry files to bundle for a deployment: every function, and the one that publishes a release. */
export const entries: Readonly<Record<FunctionName | "release", string>> = {
  ...(Object.fromEntries(functionNames.map((name) => [name, functions[name].entry])) as Record<FunctionName, string>),
  release: "lambdas/release/handler.ts",
};

/** Does the function ask the cluster's API server, and so need a way to it? */
export const callsKubernetes = (name: string): boolean =>
  (functions as Readonly<Record<string, FunctionShape>>)[name]?.account !== undefined;
