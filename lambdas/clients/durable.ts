import { DurableExecutionApiClient, type DurableExecutionClient } from "@aws/durable-execution-sdk-js";
import type { LambdaClient } from "@aws-sdk/client-lambda";

/**
 * Builds the client with which a durable function reads its state and writes its checkpoints. It uses Lambda's API with
 * the same region, credentials, endpoint and transport as every other call.
 */
export const durableClient = (lambda: LambdaClient): DurableExecutionClient => new DurableExecutionApiClient(lambda);
