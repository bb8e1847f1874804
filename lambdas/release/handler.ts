import type { S3Client } from "@aws-sdk/client-s3";
import { z } from "zod";
import { invokeLater, releaseClient } from "../clients/release-client.ts";
import { directoryTick } from "../cloud-events/directory-tick.ts";
import { publishDocument, withdraw } from "./publish.ts";

/** Request of CloudFormation to a custom resource (User Guide, "Custom resource request objects"). */
const requestSchema = z.object({
  RequestType: z.enum(["Create", "Update", "Delete"]),
  ResponseURL: z.url(),
  StackId: z.string(),
  RequestId: z.string(),
  LogicalResourceId: z.string(),
  PhysicalResourceId: z.string().optional(),
  ResourceProperties: z.object({
    Bucket: z.string(),
    Cluster: z.string(),
    Directory: z.string(),
    Release: z.string(),
  }),
});

type Request = z.infer<typeof requestSchema>;

/** Dependencies of the function. */
export interface ReleaseHost {
  readonly s3: () => S3Client;
  /** Calls a function without waiting for its answer. */
  readonly invoke: typeof invokeLater;
  readonly fetch: typeof fetch;
}

interface Outcome {
  readonly Status: "SUCCESS" | "FAILED";
  readonly Reason?: string;
  readonly Data?: Readonly<Record<string, string>>;
}

/** A response is at most 4,096 bytes (User Guide, "Custom resource response objects"). */
const LONGEST_REASON = 2_000;

/** Starts the function that reads the roster. If that fails, the schedule starts it within five minutes. */
const readDirectory = ({ invoke }: ReleaseHost, { RequestId, ResourceProperties }: Request): Promise<void> =>
  invoke(ResourceProperties.Directory, directoryTick(ResourceProperties.Cluster, RequestId)).catch((error: unknown) => {
    console.error("could not start the reading of the roster", error);
  });

async function carryOut(host: ReleaseHost, request: Request): Promise<Outcome> {
  // The published documents stay, because running executions may refer to them.
  if (request.RequestType === "Delete") return { Status: "SUCCESS" };
  const { Bucket, Release } = request.ResourceProperties;
  try {
    const { runtimeVersion } = await publishDocument(host.s3(), Bucket, Release);
    // A new bucket stays empty, so that a failed deployment can delete it: even a delete marker would prevent that.
    if (runtimeVersion === null && request.RequestType === "Update") await withdraw(host.s3(), Bucket);
    if (runtimeVersion === null) return { Status: "SUCCESS", Data: { RuntimeVersion: "none: the payload is missing" } };
    await readDirectory(host, request);
    return { Status: "SUCCESS", Data: { RuntimeVersion: runtimeVersion } };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { Status: "FAILED", Reason: reason.slice(0, LONGEST_REASON) };
  }
}

/**
 * Makes the function that publishes a release for CloudFormation and reports the result: a bad release rolls the stack
 * back.
 */
export const hostedRelease =
  (host: ReleaseHost) =>
  async (event: unknown): Promise<void> => {
    const request = requestSchema.parse(event);
    const { StackId, RequestId, LogicalResourceId, PhysicalResourceId = "casement-release" } = request;
    const outcome = await carryOut(host, request);
    const answer = await host.fetch(request.ResponseURL, {
      method: "PUT",
      // CloudFormation's presigned URL is signed for an empty content type.
      headers: { "content-type": "" },
      body: JSON.stringify({ ...outcome, StackId, RequestId, LogicalResourceId, PhysicalResourceId }),
    });
    if (!answer.ok) throw new Error(`CloudFormation did not accept the answer: ${answer.status}`);
  };

/** The Lambda entry, the service of a custom resource. */
export const handler = hostedRelease({ s3: releaseClient, invoke: invokeLater, fetch });
