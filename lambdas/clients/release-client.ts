import { InvokeCommand, LambdaClient } from "@aws-sdk/client-lambda";
import { S3Client } from "@aws-sdk/client-s3";

/** Builds the S3 client that publishes a release; region and credentials are the function's own. */
export const releaseClient = (): S3Client => new S3Client({});

/** Invokes a function without waiting for its answer (API Invoke, type Event). */
export async function invokeLater(functionName: string, event: object): Promise<void> {
  const Payload = JSON.stringify(event);
  await new LambdaClient({}).send(new InvokeCommand({ FunctionName: functionName, InvocationType: "Event", Payload }));
}
