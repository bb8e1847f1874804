import { readFileSync } from "node:fs";
import type { Configuration } from "../../lambdas/configuration/configuration.ts";
import type { Profile } from "../../lambdas/profiles/profile.ts";

/** The lines of the reviewed file that depend on a cluster's configuration. */
const EMPTY = {
  poolLabels: '    - name: poolLabels\n      expression: "[]"\n',
  images: '    - name: images\n      expression: "[]"\n',
} as const;

/** Kubernetes' form of a label key: no other text becomes part of an expression. */
const KEY = /^([a-z0-9]([a-z0-9.-]*[a-z0-9])?\/)?[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$/;

/** Characters of an image's name: no other text becomes part of an expression. */
const IMAGE = /^[\w.:@/-]+$/;

/** Values of a configuration that the manifest names. */
export interface ManifestValues {
  /** Labels that the pools give to nodes. */
  readonly labelKeys: readonly string[];
  /** Images of the pods that probe nodes and prove registries. */
  readonly probeImages: readonly string[];
}

type Probe = Partial<Configuration["probe"]>;

/** Lists the images of probes: those that a configuration names, and the one that every pod on a node needs. */
export const probeImagesOf = (
  { images = {}, registries = {} }: Probe,
  { pauseImage }: Pick<Profile, "pauseImage">,
): string[] =>
  [...Object.values(images), ...Object.values(registries), pauseImage].filter((image) => image !== undefined);

/** Lists texts as CEL: sorted, without duplicates. */
const listed = (texts: readonly string[]): string =>
  `[${[...new Set(texts)]
    .toSorted()
    .map((text) => `'${text}'`)
    .join(", ")}]`;

function filled(text: string, name: keyof typeof EMPTY, values: readonly string[]): string {
  if (!text.includes(EMPTY[name])) throw new Error(`cluster-access.yaml has no empty list ${name}`);
  return text.replace(
    EMPTY[name],
    EMPTY[name].replace("[]", () => listed(values)),
  );
}

/**
 * Builds the manifest of the bot's access for one cluster: the reviewed file with the label keys of its pools and the
 * images of its probes.
 * @returns YAML that differs from the file only in these two lines
 * @throws Error for a key that Kubernetes would refuse, or an image that is none
 */
export function clusterManifest({ labelKeys, probeImages }: ManifestValues): string {
  const wrong = labelKeys.find((key) => !KEY.test(key));
  if (wrong !== undefined)
    throw new Error(`a pool has a label that Kubernetes does not take: ${JSON.stringify(wrong)}`);
  const none = probeImages.find((image) => !IMAGE.test(image));
  if (none !== undefined) throw new Error(`a probe has an image that is none: ${JSON.stringify(none)}`);
  const text = readFileSync(new URL("./cluster-access.yaml", import.meta.url), "utf8");
  return filled(filled(text, "poolLabels", labelKeys), "images", probeImages);
}
