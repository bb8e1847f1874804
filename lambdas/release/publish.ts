import { createHash } from "node:crypto";
import { DeleteObjectCommand, PutObjectCommand, type S3Client } from "@aws-sdk/client-s3";
import { z } from "zod";
import { configurationOf, publishedConfiguration } from "../configuration/configuration.ts";
import { RUNTIME_KEY } from "../configuration/runtime-key.ts";
import { type PayloadFile, payloadManifestOf } from "../machine/payload.ts";
import { profileOf } from "../profiles/list.ts";
import type { Profile } from "../profiles/profile.ts";

/** The release that the stack passes to this function. */
const releaseSchema = z.strictObject({
  configuration: z.unknown(),
  /** The uploaded programs; null until they are uploaded. */
  payload: z
    .object({ kubernetes: z.string(), files: z.array(z.unknown()) })
    .loose()
    .nullable(),
  /** Casement's scripts that machines get as files. */
  scripts: z.array(z.strictObject({ name: z.string(), text: z.string() })),
});

/** A release as the stack's template contains it. */
export type Release = z.input<typeof releaseSchema>;

/** Result of publishing; the version is null while the payload is missing. */
export interface PublishResult {
  readonly runtimeVersion: string | null;
}

/**
 * Publishes a release: Casement's scripts next to the payload, then the release document, which names all files by
 * version. Without a payload, no release document is written, so that no function acts on an incomplete release.
 * @param text JSON of a Release
 * @throws Error that lists the faults of configuration or payload
 */
export async function publishDocument(s3: S3Client, bucket: string, text: string): Promise<PublishResult> {
  const release = releaseSchema.parse(JSON.parse(text));
  const configuration = configurationOf(release.configuration);
  const put = async (key: string, body: string): Promise<string> => {
    const { VersionId } = await s3.send(new PutObjectCommand({ Bucket: bucket, Key: key, Body: body }));
    if (!VersionId) throw new Error(`the bucket ${bucket} has no versioning, so executions could not pin a version`);
    return VersionId;
  };
  if (release.payload === null) return { runtimeVersion: null };
  const profile = profileOf(configuration);
  const { kubernetes, files } = release.payload;
  const ours: PayloadFile[] = [];
  for (const { name, text: script } of release.scripts) {
    const file = scriptFile(profile, name, script, kubernetes);
    ours.push({ ...file, versionId: await put(file.key, script) });
  }
  const payload = payloadManifestOf(profile, { ...release.payload, files: [...files, ...ours] });
  return {
    runtimeVersion: await put(
      RUNTIME_KEY,
      JSON.stringify({ configuration: publishedConfiguration(configuration), payload }),
    ),
  };
}

function scriptFile(
  { payloadPaths }: Profile,
  name: string,
  text: string,
  version: string,
): Omit<PayloadFile, "versionId"> {
  const sha256 = createHash("sha256").update(text).digest("hex");
  const path = payloadPaths.get(name);
  if (!path) throw new Error(`no machine has a place for ${name}`);
  const key = `payload/scripts/${sha256.slice(0, 12)}-${name}`;
  return { name, path, version, key, sha256, size: Buffer.byteLength(text) };
}

/**
 * Deletes the release document after a deployment without a payload, so that every command is refused. Its old versions
 * stay for running executions.
 */
export const withdraw = async (s3: S3Client, bucket: string): Promise<void> => {
  await s3.send(new DeleteObjectCommand({ Bucket: bucket, Key: RUNTIME_KEY }));
};
