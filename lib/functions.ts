import type { PrincipalName } from "./permissions.ts";

const HOUR = 3_600;

/** How a function runs: the stack deploys it so, and the sandbox hosts it so. */
export interface FunctionShape {
  /** The handler's file. */
  readonly entry: string;
  /** What one invocation may take. */
  readonly timeoutSeconds: number;
  /** Lambda gives processor by memory: 1,769 MB are one whole core (Lambda developer guide, "Configure memory"). */
  readonly memoryMiB: number;
  /** Durable functions alone: what one execution may take, waits for people included. */
  readonly executionSeconds?: number;
}

/** A workflow's invocation lasts from one wait to the next; the steps between end by their own time-outs. */
const workflow = (name: string, executionHours: number): Required<FunctionShape> => ({
  entry: `lambdas/workflows/${name}.ts`,
  timeoutSeconds: 300,
  memoryMiB: 1024,
  executionSeconds: executionHours * HOUR,
});

/** Every function that runs in the cloud but the one that publishes a release. */
export const functions = {
  "front-door": { entry: "lambdas/front-door/handler.ts", timeoutSeconds: 10, memoryMiB: 1769 },
  "cloud-events": { entry: "lambdas/cloud-events/handler.ts", timeoutSeconds: 30, memoryMiB: 512 },
  "add-nodes": workflow("add-nodes", 12),
  "provision-node": workflow("provision-node", 8),
  "remove-node": workflow("remove-node", 8),
  look: workflow("look", 1),
  sweep: workflow("sweep", 1),
} as const satisfies Partial<Record<PrincipalName, FunctionShape>>;

/** A function by its name. */
export type FunctionName = keyof typeof functions;

/** All of them, in the order of a request's way. */
export const functionNames = Object.keys(functions) as readonly FunctionName[];

/** The durable ones. */
export const workflowNames = functionNames.filter((name) => "executionSeconds" in functions[name]);

/** What is bundled for a deployment: every function, and the one that publishes a release. */
export const entries: Readonly<Record<FunctionName | "release", string>> = {
  ...(Object.fromEntries(functionNames.map((name) => [name, functions[name].entry])) as Record<FunctionName, string>),
  release: "lambdas/release/handler.ts",
};
