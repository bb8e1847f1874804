import type { DurableContext } from "@aws/durable-execution-sdk-js";
import { Retryable } from "../errors.ts";
import { unavailable } from "../messages/node/away.ts";
import { isBusy, serviceOf, wordsOf } from "../steps/client-errors.ts";
import { patiently } from "../steps/patience.ts";
import { step } from "./durable.ts";

/** The SDK makes one attempt: `patiently` retries inside the step, within seconds. */
const ATTEMPTS = 1;

interface Limit {
  readonly seconds: number;
  /** Named when the error does not say which service it is from: "S3 or DynamoDB". */
  readonly services: string;
}

/**
 * Runs one step of a look, for which a person waits: a busy service is retried for seconds and not for minutes.
 * @param limit seconds for all attempts together, after which a silent service is given up; `services` that the step
 * calls
 * @throws StepError whose cause is what the step threw; for a busy service a Retryable that names the service
 */
export const promptStep = <T>(ctx: DurableContext, name: string, limit: Limit, work: () => Promise<T>): Promise<T> =>
  step(
    ctx,
    name,
    () =>
      patiently(limit.seconds * 1_000, work).catch((error: unknown) => {
        if (!isBusy(error)) throw error;
        throw new Retryable(unavailable(serviceOf(error) ?? limit.services, wordsOf(error)), { cause: error });
      }),
    ATTEMPTS,
  );
