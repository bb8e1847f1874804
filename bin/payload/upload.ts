import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { HeadObjectCommand, PutObjectCommand, type S3Client } from "@aws-sdk/client-s3";
import type { PayloadFile, PayloadManifest } from "../../lambdas/machine/payload.ts";
import type { Profile } from "../../lambdas/profiles/profile.ts";
import { wordsOf } from "../../lambdas/steps/client-errors.ts";
import { StartError } from "../start-error.ts";
import { inParallel, type LocalFile } from "./fetch-parts.ts";

/** The bucket that takes the payload, and what the payload is for. */
export interface Destination {
  readonly s3: S3Client;
  readonly bucket: string;
  readonly profile: Profile;
  /** Kubernetes version of the cluster's configuration. */
  readonly kubernetes: string;
  /** File on this machine that remembers uploads until the manifest is written. */
  readonly journal: string;
}

/** Uploads at one time; each has its file in memory. */
const PARALLEL = 3;

/** Replaces a file as a whole: an interrupted write leaves the old one. */
export function writeWhole(file: string, text: string): void {
  writeFileSync(`${file}.new`, text);
  renameSync(`${file}.new`, file);
}

const keyOf = ({ profile, kubernetes }: Destination, { name, sha256 }: LocalFile): string =>
  `payload/${profile.name}/${kubernetes}/${sha256.slice(0, 12)}-${name}`;

function journalIn(file: string): Record<string, string> {
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {};
}

/** Is this version of an object still in the bucket? Without the right to ask, the file is uploaded again. */
const isThere = ({ s3, bucket }: Destination, Key: string, VersionId: string): Promise<boolean> =>
  s3.send(new HeadObjectCommand({ Bucket: bucket, Key, VersionId })).then(
    () => true,
    () => false,
  );

async function versionOfUpload(to: Destination, key: string, { name, file, sha256 }: LocalFile): Promise<string> {
  const [Body, ChecksumSHA256] = [readFileSync(file), Buffer.from(sha256, "hex").toString("base64")];
  try {
    const { VersionId } = await to.s3.send(new PutObjectCommand({ Bucket: to.bucket, Key: key, Body, ChecksumSHA256 }));
    if (VersionId) return VersionId;
  } catch (error) {
    throw new StartError(
      `the bucket ${to.bucket} refuses ${name}: ${wordsOf(error)}. The upload needs s3:PutObject on payload/*; what was downloaded is kept`,
    );
  }
  throw new StartError(`the bucket ${to.bucket} has no versioning, so a manifest could not pin a version`);
}

/**
 * Uploads files with their checksums. Those that an interrupted upload has left in the bucket are not sent again.
 * @param uploaded receives the name of each file
 * @returns the manifest, which the caller writes last
 * @throws StartError with the bucket's refusal
 */
export async function upload(
  to: Destination,
  files: readonly LocalFile[],
  uploaded: (name: string) => void,
): Promise<Pick<PayloadManifest, "format" | "profile" | "kubernetes" | "files">> {
  const journal = journalIn(to.journal);
  const entries = new Map<string, PayloadFile>();
  const tasks = files.map((file) => async () => {
    const { name, version, sha256, size, source, licence } = file;
    const key = keyOf(to, file);
    const known = journal[key];
    const versionId = known && (await isThere(to, key, known)) ? known : await versionOfUpload(to, key, file);
    journal[key] = versionId;
    writeWhole(to.journal, JSON.stringify(journal));
    const path = to.profile.payloadPaths.get(name) ?? "";
    entries.set(name, { name, version, path, key, versionId, sha256, size, source, licence });
    uploaded(name);
  });
  await inParallel(tasks, PARALLEL);
  const inOrder = files.flatMap(({ name }) => entries.get(name) ?? []);
  return { format: 1, profile: to.profile.name, kubernetes: to.kubernetes, files: inOrder };
}
