import { S3Client } from "@aws-sdk/client-s3";

/** The one client that publishing a release needs; region and credentials are the function's own. */
export const releaseClient = (): S3Client => new S3Client({});
