import type { DurableContext } from "@aws/durable-execution-sdk-js";
import { Retryable } from "../errors.ts";
import { unavailable } from "../messages/node/away.ts";
import { isBusy, serviceOf, wordsOf } from "../steps/client-errors.ts";
import { patiently } from "../steps/patience.ts";
import { step } from "./durable.ts";

/** One attempt of the engine's: the patience is inside the step, where it is counted in seconds. */
const ATTEMPTS = 1;

interface Limit {
  readonly seconds: number;
  /** For an error that does not say where it comes from: "S3 or DynamoDB". */
  readonly services: string;
}

/**
 * One step of a look, for which a person waits: a busy service is asked again within seconds and not for minutes.
 * @param limit seconds for all of it; a service that keeps silent is given up then. `services`: those that it asks
 * @throws StepError whose cause is what the step threw; of a busy service a Retryable that names it
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
