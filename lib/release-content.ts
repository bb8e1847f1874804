import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { type PayloadFile, type PayloadManifest, payloadManifestOf } from "../lambdas/machine/payload.ts";
import { brokenPrograms, endedPrograms, supportText } from "../lambdas/machine/payload-support.ts";
import { profileOf } from "../lambdas/profiles/list.ts";
import type { Profile } from "../lambdas/profiles/profile.ts";
import type { Release } from "../lambdas/release/publish.ts";
import { machineScripts, scriptText } from "./constructs/script-text.ts";
import type { Deployment } from "./deployment.ts";
import { messageOf } from "./message-of.ts";

const scripts = machineScripts.map((name) => ({ name: `${name}.ps1`, text: scriptText(name) }));

/** Placeholder entries of Casement's scripts in the manifest until a deployment publishes them. */
const notYetPublished = ({ payloadPaths }: Profile, version: string) =>
  scripts.map(({ name, text }) => ({
    name,
    version,
    path: payloadPaths.get(name) ?? "",
    key: name,
    versionId: "given by the bucket at deployment",
    sha256: createHash("sha256").update(text).digest("hex"),
    size: Buffer.byteLength(text),
  }));

/** The uploaded programs, without Casement's scripts. */
export type Payload = Pick<PayloadManifest, "format" | "profile" | "kubernetes" | "files">;

/**
 * Reads the manifest of the uploaded payload.
 * @param path of the configuration file, which names the manifest relative to itself
 * @returns null if the configuration names none
 * @throws Error that names the configuration's path and what is wrong with the manifest
 */
export function readPayload({ aws, cluster }: Deployment, path: string): Payload | null {
  if (aws.payloadManifest === undefined) return null;
  const manifest = resolve(dirname(path), aws.payloadManifest);
  if (!existsSync(manifest))
    throw new Error(`${path}: aws.payloadManifest: there is no file ${manifest}; its path is relative to ${path}`);
  try {
    const payload: Payload = JSON.parse(readFileSync(manifest, "utf8"));
    const profile = profileOf({ cluster });
    const files = [...payload.files, ...notYetPublished(profile, payload.kubernetes)];
    payloadManifestOf(profile, { ...payload, files });
    if (payload.kubernetes !== cluster.version)
      throw new Error(`it is for Kubernetes ${payload.kubernetes}, cluster.version is ${cluster.version}`);
    return payload;
  } catch (error) {
    throw new Error(`${path}: aws.payloadManifest: ${manifest}: ${messageOf(error)}`, { cause: error });
  }
}

/**
 * Describes the versions of a payload that should not be used.
 * @param today "2026-11-26"
 */
export const payloadWarnings = (
  {
    files,
    kubernetes,
  }: Pick<Payload, "kubernetes"> & { readonly files: readonly Pick<PayloadFile, "name" | "version">[] },
  today: string,
): string[] => [...brokenPrograms(files, kubernetes), ...endedPrograms(files, today)].map(supportText);

/** Resources that the stack creates and that functions use. */
export interface StackResources {
  readonly bucket: string;
  readonly ledgerTable: string;
  readonly instanceProfileArn: string;
  readonly securityGroup: string;
}

/** Builds the release of a deployment: the reviewed file, completed with the resources that the stack created. */
export function releaseContent(deployment: Deployment, payload: Payload | null, made: StackResources): Release {
  const { aws, pools, ...reviewed } = deployment;
  const { securityGroup, ...places } = made;
  const completed = Object.entries(pools).map(([name, pool]) => [name, { ...pool, securityGroup }]);
  const optional = {
    ...(aws.volumeKey ? { volumeKey: aws.volumeKey } : {}),
    ...(aws.key ? { key: aws.key } : {}),
    ...(Object.keys(aws.tags).length > 0 ? { machineTags: aws.tags } : {}),
  };
  return {
    configuration: { ...reviewed, ...places, ...optional, pools: Object.fromEntries(completed) },
    payload,
    scripts,
  };
}
