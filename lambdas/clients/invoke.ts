import { type AwsCall, AwsError } from "./aws-call.ts";

/**
 * Calls a function and waits for its answer, an object (API Invoke, type RequestResponse). The call is repeated after a lost
 * answer, so the function must recognise what it has done.
 * @throws AwsError if Lambda refuses, or if the function failed
 */
export type Invoke = (functionName: string, payload: object) => Promise<Readonly<Record<string, unknown>>>;

/** Builds the synchronous call of Lambda's API. */
export const invoker =
  (call: AwsCall): Invoke =>
  async (functionName, payload) => {
    const answer = await call({
      service: "lambda",
      method: "POST",
      path: `/2015-03-31/functions/${encodeURIComponent(functionName)}/invocations`,
      headers: { "x-amz-invocation-type": "RequestResponse" },
      body: JSON.stringify(payload),
    });
    // A function that throws answers with status 200 and its error as the payload (Lambda developer guide, "Function errors").
    if (typeof answer.errorType === "string")
      throw new AwsError(answer.errorType, String(answer.errorMessage), 500, undefined, "lambda");
    return answer;
  };
