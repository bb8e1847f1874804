import { createHash } from "node:crypto";
import type { WorkflowName } from "../capabilities/list.ts";
import { isAws } from "../clients/aws-call.ts";
import type { FrontDoorContext } from "./context.ts";

/** At most 64 characters of [a-zA-Z0-9-_], the same for the same parts: a repeated start finds the first one. */
export const executionName = (...parts: readonly string[]): string =>
  createHash("sha256").update(parts.join("\n")).digest("hex").slice(0, 40);

/** An invocation that was under way when its execution ended goes on for its time-out of 300 s at most (lib/functions.ts). */
const LAST_INVOCATION_MS = 6 * 60_000;

/** Starting, asking after and waking durable executions. */
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
    /** The function behind a workflow, with its alias. */
    nameOf,

    /**
     * Starts a workflow asynchronously under a derived name; starting it again is the same start.
     */
    start: async (workflow: WorkflowName, name: string, payload: object): Promise<void> => {
      const functionName = nameOf(workflow);
      try {
        await functions.start(functionName, name, payload);
      } catch (error) {
        if (!isAws(error, "DurableExecutionAlreadyStartedException")) throw error;
      }
    },

    /** RUNNING, SUCCEEDED, FAILED, TIMED_OUT, STOPPED; undefined when it is not known (any more). */
    status: async (arn: string): Promise<string | undefined> => (await find(arn))?.status,

    /**
     * Final status of an execution, once none of its code runs any more: STOPPED, FAILED … or "unknown"; null until then.
     * The invocation that was under way when it was stopped is not interrupted.
     */
    ending: async (arn: string): Promise<string | null> => {
      const execution = await find(arn);
      if (execution?.status === "RUNNING") return null;
      if (context.now() - (execution?.endedAt ?? 0) < LAST_INVOCATION_MS) return null;
      return execution?.status ?? "unknown";
    },

    /**
     * Completes a callback, which wakes the workflow that waits on it; "too late" when it has been completed or has timed
     * out.
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
