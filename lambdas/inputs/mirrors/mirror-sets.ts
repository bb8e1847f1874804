import { z } from "zod";
import { Refused } from "../../errors.ts";
import { withKnownKeys } from "../../machine/known-keys.ts";
import { type ShapeFault, shapeFaultOf } from "../shape-fault.ts";

/** May the source be asked if no mirror serves the image? The values are those of openshift/api. */
export type SourcePolicy = "AllowContactingSource" | "NeverContactSource";

/** One line of a mirror set. */
export interface MirrorRule {
  /** Object that holds the line: "ImageDigestMirrorSet/web". */
  readonly object: string;
  readonly source: string;
  /** In the order in which they are asked. */
  readonly mirrors: readonly string[];
  readonly policy: SourcePolicy;
  /** Pulls that may use the mirrors: by digest or by tag. */
  readonly pulls: "digest" | "tag";
}

/** Lists of registries in the cluster's image configuration. */
export interface RegistrySources {
  /** Registries without a valid certificate, or with HTTP only. */
  readonly insecure: readonly string[];
  readonly blocked: readonly string[];
  readonly allowed: readonly string[];
}

const policies = ["AllowContactingSource", "NeverContactSource"] as const;
const text = z.string().min(1);
const mirrorsLine = z.strictObject({
  source: text,
  mirrors: z.array(text).nullish(),
  mirrorSourcePolicy: z.enum(policies).optional(),
});
type MirrorsLine = z.infer<typeof mirrorsLine>;

const mirrorSet = (kind: string, apiVersion: string, list: string, line: z.ZodType<MirrorsLine>) =>
  z
    .strictObject({
      apiVersion: z.literal(apiVersion).optional(),
      kind: z.literal(kind).optional(),
      // Nothing depends on the rest of the metadata and on the status, which the cluster writes.
      metadata: z.looseObject({ name: text }),
      spec: z.strictObject({ [list]: z.array(line).nullish() }),
      status: z.unknown().optional(),
    })
    .transform(({ metadata, spec }) => ({ name: metadata.name, lines: spec[list] ?? [] }));

const config = "config.openshift.io/v1";
const operator = "operator.openshift.io/v1alpha1";

/**
 * The kinds of mirror sets (openshift/api, config/v1 and operator/v1alpha1). An ImageContentSourcePolicy knows no
 * policy for its sources.
 */
const kinds = {
  ImageDigestMirrorSet: {
    apiVersion: config,
    pulls: "digest",
    schema: mirrorSet("ImageDigestMirrorSet", config, "imageDigestMirrors", mirrorsLine),
  },
  ImageTagMirrorSet: {
    apiVersion: config,
    pulls: "tag",
    schema: mirrorSet("ImageTagMirrorSet", config, "imageTagMirrors", mirrorsLine),
  },
  ImageContentSourcePolicy: {
    apiVersion: operator,
    pulls: "digest",
    schema: mirrorSet(
      "ImageContentSourcePolicy",
      operator,
      "repositoryDigestMirrors",
      mirrorsLine.omit({ mirrorSourcePolicy: true }),
    ),
  },
} as const;

/** Kind of a mirror set. */
export type MirrorSetKind = keyof typeof kinds;

/** Finds the kind of a mirror set; undefined for other objects. */
export const mirrorSetKind = (apiVersion: unknown, kind: unknown): MirrorSetKind | undefined =>
  typeof kind === "string" && Object.hasOwn(kinds, kind) && kinds[kind as MirrorSetKind].apiVersion === apiVersion
    ? (kind as MirrorSetKind)
    : undefined;

/**
 * Reads the lines of one mirror set. An unknown field is a fault.
 * @returns the rules, or the first fault
 */
export function mirrorRulesIn(kind: MirrorSetKind, value: unknown): readonly MirrorRule[] | ShapeFault {
  const { schema, pulls } = kinds[kind];
  const { success, data, error } = schema.safeParse(value);
  if (!success) return shapeFaultOf(error);
  return data.lines.map(({ source, mirrors, mirrorSourcePolicy }) => ({
    object: `${kind}/${data.name}`,
    source,
    mirrors: mirrors ?? [],
    // "If unset, the image will continue to be pulled from the repository in the pull spec" (openshift/api).
    policy: mirrorSourcePolicy ?? "AllowContactingSource",
    pulls,
  }));
}

const named = z.looseObject({ metadata: z.looseObject({ name: text }) });

const refusal = (object: string, { path, message }: ShapeFault): Refused =>
  new Refused(`${object}: ${path.join(".") || "the object"}: ${message}`);

/**
 * Reads the mirror sets of one kind that the cluster serves. Fields that this release does not know are ignored.
 * @param objects items of the list, as the API server answers
 * @throws Refused that names the object and the field if one object has another shape; no part of the list may be used
 */
export function servedRules(kind: MirrorSetKind, objects: readonly unknown[]): readonly MirrorRule[] {
  return objects.flatMap((value, index) => {
    const rules = mirrorRulesIn(kind, withKnownKeys(kinds[kind].schema, value));
    if (!("path" in rules)) return rules;
    const name = named.safeParse(value).data?.metadata.name ?? `number ${index + 1} of the list`;
    throw refusal(`${kind}/${name}`, rules);
  });
}

/** Object of the cluster that says how single registries are reached. */
export const imageConfigName = "Image/cluster";

const registries = z.array(text).nullish();
const imageConfig = z.object({
  spec: z
    .object({
      registrySources: z
        .object({ insecureRegistries: registries, blockedRegistries: registries, allowedRegistries: registries })
        .nullish(),
    })
    .nullish(),
});

/**
 * Reads `image.config.openshift.io/cluster`.
 * @throws Refused that names the field if the object has another shape
 */
export function registrySourcesOf(value: unknown): RegistrySources {
  const { success, data, error } = imageConfig.safeParse(value);
  if (!success) throw refusal(imageConfigName, shapeFaultOf(error));
  const sources = data.spec?.registrySources;
  return {
    insecure: sources?.insecureRegistries ?? [],
    blocked: sources?.blockedRegistries ?? [],
    allowed: sources?.allowedRegistries ?? [],
  };
}
