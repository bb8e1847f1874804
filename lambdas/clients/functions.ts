import type { AwsCall } from "./aws-call.ts";

/** The calls of Lambda's API that start, describe and wake executions. */
export interface Functions {
  /** Starts a durable function asynchronously (API Invoke, type Event). */
  start(functionName: string, executionName: string, payload: object): Promise<void>;
  /** Completes a callback (API SendDurableExecutionCallbackSuccess). */
  succeed(callbackId: string, result: object): Promise<void>;
  /** Reads the status of an execution, its end in milliseconds and its result (API GetDurableExecution). */
  execution(
    executionArn: string,
  ): Promise<{ status: string | undefined; endedAt: number | undefined; result: unknown }>;
}

/** Builds the client for Lambda's REST API. */
export const functions = (call: AwsCall): Functions => ({
  start: async (functionName, executionName, payload) => {
    await call({
      service: "lambda",
      method: "POST",
      path: `/2015-03-31/functions/${encodeURIComponent(functionName)}/invocations`,
      headers: { "x-amz-invocation-type": "Event", "x-amz-durable-execution-name": executionName },
      body: JSON.stringify(payload),
    });
  },
  succeed: async (callbackId, result) => {
    await call({
      service: "lambda",
      method: "POST",
      path: `/2025-12-01/durable-execution-callbacks/${encodeURIComponent(callbackId)}/succeed`,
      headers: { "content-type": "application/octet-stream" },
      body: JSON.stringify(result),
    });
  },
  execution: async (executionArn) => {
    const path = `/2025-12-01/durable-executions/${encodeURIComponent(executionArn)}`;
    const { Status, EndTimestamp, Result } = await call({ service: "lambda", method: "GET", path });
    const endedAt = typeof EndTimestamp === "number" ? EndTimestamp * 1_000 : undefined;
    const result: unknown = typeof Result === "string" ? JSON.parse(Result) : undefined;
    return { status: Status as string | undefined, endedAt, result };
  },
});
