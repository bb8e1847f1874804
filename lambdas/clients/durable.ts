import { DurableExecutionApiClient, type DurableExecutionClient } from "@aws/durable-execution-sdk-js";
import type { LambdaClient } from "@aws-sdk/client-lambda";

/**
 * Client with which a durable function reads its state and writes its checkpoints: Lambda's API, set up so that
 * region, credentials, endpoint and way out are the same as for every other call.
 */
export const durableClient = (lambda: LambdaClient): DurableExecutionClient => new DurableExecutionApiClient(lambda);
