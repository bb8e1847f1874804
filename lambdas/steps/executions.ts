import { createHash } from "node:crypto";
import type { WorkflowName } from "../capabilities/list.ts";
import { isAws } from "../clients/aws-call.ts";
import type { FrontDoorContext } from "./context.ts";

/**
 * Derives the name of an execution: at most 64 characters of [a-zA-Z0-9-_], the same for the same parts, so that a
 * repeated start finds the first execution.
 */
export const executionName = (...parts: readonly string[]): string =>
  createHash("sha256").update(parts.join("\n")).digest("hex").slice(0, 40);

/**
 * Reads the function and the execution's name from an execution's ARN (Lambda developer guide, "Security and permissions for
 * durable functions"); empty for another text.
 */
export function executionOf(arn: string): { readonly functionName: string; readonly name: string } {
  const [, functionName = "", name = ""] = /:function:([^:]+):[^/]+\/durable-execution\/([^/]+)\//.exec(arn) ?? [];
  return { functionName, name };
}

/**
 * Milliseconds after an execution's end for which its last invocation may still run: the time-out is 300 s
 * (lib/functions.ts).
 */
const LAST_INVOCATION_MS = 6 * 60_000;

/** Starts, describes and wakes durable executions. */
export const executions = (context: FrontDoorContext) => {
  const { functions } = context.clients;
  const find = async (arn: string) => {
    try {
      return await functions.execution(arn);
    } catch (error) {
      if (isAws(error, "ResourceNotFoundException")) return undefined;
      throw error;
    }
  };
  const nameOf = (workflow: WorkflowName): string => {
    const name = context.settings.functions[workflow];
    if (!name) throw new Error(`the settings name no function for ${workflow}`);
    return name;
  };
  return {
    /** The Lambda function of a workflow, with its alias. */
    nameOf,

    /**
     * Starts a workflow asynchronously under a derived name. Starting it again has no effect.
     */
    start: async (workflow: WorkflowName, name: string, payload: object): Promise<void> => {
      const functionName = nameOf(workflow);
      try {
        await functions.start(functionName, name, payload);
      } catch (error) {
        if (!isAws(error, "DurableExecutionAlreadyStartedException")) throw error;
      }
    },

    /**
     * RUNNING, SUCCEEDED, FAILED, TIMED_OUT or STOPPED; undefined if Lambda does not know the execution, or no longer.
     */
    status: async (arn: string): Promise<string | undefined> => (await find(arn))?.status,

    /** Status of an execution, and the result that its own code has returned; undefined if Lambda does not know it. */
    result: async (
      arn: string,
    ): Promise<{ readonly status: string | undefined; readonly result: unknown } | undefined> => find(arn),

    /**
     * The final status of an execution (STOPPED, FAILED … or "unknown"); null while its code may still run. Stopping an
     * execution does not interrupt the invocation that is running.
     */
    ending: async (arn: string): Promise<string | null> => {
      const execution = await find(arn);
      if (execution?.status === "RUNNING") return null;
      if (context.now() - (execution?.endedAt ?? 0) < LAST_INVOCATION_MS) return null;
      return execution?.status ?? "unknown";
    },

    /**
     * Completes a callback, which wakes the workflow that waits for it; "too late" if it was completed before or has
     * timed out.
     */
    complete: async (callbackId: string, result: object): Promise<"done" | "too late"> => {
      try {
        await functions.succeed(callbackId, result);
        return "done";
      } catch (error) {
        if (isAws(error, "CallbackTimeoutException", "ResourceNotFoundException")) return "too late";
        throw error;
      }
    },
  };
};
