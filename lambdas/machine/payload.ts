import { z } from "zod";
import { withKnownKeys } from "./known-keys.ts";

/** The fields of a profile that decide about the payload. */
export interface PayloadRules {
  readonly name: string;
  /** Every file that a machine gets from the bucket, and its path on the machine. */
  readonly payloadPaths: ReadonlyMap<string, string>;
  /** Names of files that a payload may lack: a machine is then set up without them. */
  readonly optionalPayload: ReadonlySet<string>;
}

const file = z.strictObject({
  name: z.string().min(1),
  version: z.string().min(1),
  /** Path of the file on the machine. */
  path: z.string().regex(/^C:\\[^"*?<>|/]+$/),
  /** Key in the cluster's bucket, and the version of that object. */
  key: z.string().min(1),
  versionId: z.string().min(1),
  /** Hex. */
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  /** Bytes. */
  size: z.number().int().positive(),
  /** Address or image that the file comes from; manifests that were made by hand have none. */
  source: z.string().optional(),
  /** SPDX identifier. */
  licence: z.string().optional(),
});

/** One file of the payload. */
export type PayloadFile = z.infer<typeof file>;

function faultsOf({ payloadPaths, optionalPayload }: PayloadRules, files: readonly PayloadFile[]): string[] {
  const names = files.map(({ name }) => name);
  const missing = [...payloadPaths.keys()].filter((name) => !names.includes(name) && !optionalPayload.has(name));
  const twice = names.filter((name, index) => names.indexOf(name) !== index);
  const strange = files.filter(({ name, path }) => payloadPaths.get(name) !== path);
  return [
    ...missing.map((name) => `${name} is missing`),
    ...twice.map((name) => `${name} is named twice`),
    ...strange.map(({ name, path }) =>
      payloadPaths.has(name) ? `${name} does not belong at ${path}` : `${name} is no file of this payload`,
    ),
  ];
}

/** Schema of the manifest of a profile's payload; an unknown key is an error. */
export const manifestSchemaOf = (rules: PayloadRules) =>
  z
    .strictObject({
      format: z.literal(1),
      profile: z.literal(rules.name),
      /** Kubernetes version of the programs, "1.34.2". */
      kubernetes: z.string().regex(/^\d+\.\d+\.\d+$/),
      files: z.array(file),
    })
    .superRefine(({ files }, context) => {
      for (const message of faultsOf(rules, files)) context.addIssue({ code: "custom", path: ["files"], message });
    });

/** Files that a release puts on a machine, each pinned by version and hash. */
export type PayloadManifest = z.infer<ReturnType<typeof manifestSchemaOf>>;

/**
 * Validates a payload manifest.
 * @param value content of the bucket's object, parsed
 * @throws Error that lists every fault: a missing file, one in the wrong place, a malformed hash
 */
export function payloadManifestOf(rules: PayloadRules, value: unknown): PayloadManifest {
  const checked = manifestSchemaOf(rules).safeParse(value);
  if (checked.success) return checked.data;
  const faults = checked.error.issues.map((issue) => `  ${issue.path.join(".") || "(top)"}: ${issue.message}`);
  throw new Error(`The payload manifest is not valid:\n${faults.join("\n")}`);
}

const named = z.looseObject({ name: z.string() });

/**
 * Reads a published manifest. The next release may have published it, so keys and files that this release does not know
 * are ignored.
 * @param value content of the release document, parsed
 * @throws Error that lists every fault
 */
export function readPayloadManifest(rules: PayloadRules, value: unknown): PayloadManifest {
  const { files, ...rest } = z.looseObject({ files: z.array(named) }).parse(value);
  const known = files.filter(({ name }) => rules.payloadPaths.has(name));
  return payloadManifestOf(rules, withKnownKeys(manifestSchemaOf(rules), { ...rest, files: known }));
}
