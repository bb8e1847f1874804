import { createHash } from "node:crypto";
import type { PayloadFile } from "./payload.ts";
import type { Action } from "./plan.ts";

type ActionOf<Kind extends Action["do"]> = Extract<Action, { do: Kind }>;
type Access = ActionOf<"file">["access"];

/** A directory with the permissions of its parent, or only for SYSTEM and Administrators. */
export const directory = (path: string, access: Access = "inherited"): ActionOf<"directory"> => ({
  do: "directory",
  path,
  access,
});

/** A small text file whose content is part of the plan; never a secret. */
export const textFile = (path: string, text: string): ActionOf<"file"> => ({
  do: "file",
  path,
  source: { from: "inline", base64: Buffer.from(text).toString("base64") },
  sha256: createHash("sha256").update(text).digest("hex"),
  access: "inherited",
});

/** A secret at one of its versions. */
export interface SecretVersion {
  readonly secretId: string;
  readonly version: string;
}

/** A small text file with holes, which the machine fills from a secret; only SYSTEM and Administrators may read it. */
export const templateFile = (path: string, text: string, { secretId, version }: SecretVersion): ActionOf<"file"> => ({
  do: "file",
  path,
  source: { from: "template", base64: Buffer.from(text).toString("base64"), secretId, version },
  sha256: null,
  access: "system",
});

/** Hex sha256 by which a machine recognises a text, whatever fills the holes of its credentials. */
export const templateHash = (text: string): string =>
  createHash("sha256")
    .update(text.replaceAll(/"Basic <<[^>]*>>"/g, '"Basic <<>>"').replaceAll(/\/\/<<[^>]*>>@/g, "//"))
    .digest("hex");

/** A JSON file, indented so that a person on the machine can read it. */
export const jsonFile = (path: string, value: unknown): ActionOf<"file"> =>
  textFile(path, `${JSON.stringify(value, null, 2)}\n`);

/** Stops a service. */
export const stopService = (name: string): ActionOf<"service-state"> => ({
  do: "service-state",
  name,
  state: "Stopped",
});

/**
 * Starts a service.
 * @param log file into which its program writes its errors
 */
export const startService = (name: string, log: string): ActionOf<"service-state"> => ({
  do: "service-state",
  name,
  state: "Running",
  log,
});

/** Puts a file of the payload on the machine. @param bucket the cluster's */
export const payloadFile = (bucket: string, { path, key, versionId, sha256 }: PayloadFile): ActionOf<"file"> => ({
  do: "file",
  path,
  source: { from: "bucket", bucket, key, version: versionId },
  sha256,
  access: "inherited",
});
