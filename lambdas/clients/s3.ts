import { S3Client } from "@aws-sdk/client-s3";
import type { Settings } from "../settings.ts";
import type { Transport } from "./transport.ts";
import { watched } from "./watched.ts";

/** Options of every SDK client of AWS: region, credentials, endpoint, transport, and the limit on attempts. */
export const awsOptions = (settings: Settings, transport?: Transport) => ({
  region: settings.region,
  credentials: settings.credentials,
  ...(settings.awsEndpoint ? { endpoint: settings.awsEndpoint } : {}),
  ...(transport ? { requestHandler: transport.aws } : {}),
  maxAttempts: 4,
});

/**
 * Builds the S3 client.
 * @param transport replaces the network
 */
export const s3Client = (settings: Settings, transport?: Transport): S3Client =>
  // The simulated S3 has one address for all buckets.
  watched(
    "s3",
    new S3Client({ ...awsOptions(settings, transport), forcePathStyle: settings.awsEndpoint !== undefined }),
  );
