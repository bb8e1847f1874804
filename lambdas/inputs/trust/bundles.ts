import { z } from "zod";
import type { Configuration } from "../../configuration/configuration.ts";
import { NO_NODE_CHANGED, Refused } from "../../errors.ts";
import type { FoundObjects, ObjectReference } from "../input.ts";
import { textOfKey } from "../sources.ts";
import type { AuthorityBundle } from "./authorities.ts";

const config = { group: "config.openshift.io", version: "v1", name: "cluster" } as const;

/** The objects of OpenShift that name ConfigMaps with authorities. */
export const namingObjects: readonly ObjectReference[] = [
  { ...config, plural: "proxies", kind: "Proxy" },
  { ...config, plural: "images", kind: "Image" },
];

/** Namespace of the ConfigMaps that these objects name (openshift/api, config/v1, ProxySpec and ImageSpec). */
const NAMESPACE = "openshift-config";

/** Key with the bundle (openshift/api, config/v1, ProxySpec.TrustedCA). */
const BUNDLE_KEY = "ca-bundle.crt";

const nameShape = z.object({ name: z.string().default("") }).default({ name: "" });
const specShape = z.object({ spec: z.object({ trustedCA: nameShape, additionalTrustedCA: nameShape }) });
const textsShape = z.record(z.string(), z.string()).default({});
const mapShape = z.object({ data: textsShape, binaryData: textsShape });

/** Reads a bundle that is no UTF-8: Windows PowerShell writes UTF-16 with a mark; in other encodings PEM is ASCII. */
function textOfBytes(base64: string): string {
  const bytes = Buffer.from(base64, "base64");
  return bytes.toString(bytes[0] === 0xff && bytes[1] === 0xfe ? "utf16le" : "latin1");
}

/** Texts of a ConfigMap by their keys. Kubernetes keeps a bundle with a comment that is no UTF-8 as bytes. */
const textsOf = ({ data, binaryData }: z.infer<typeof mapShape>): Readonly<Record<string, string>> => ({
  ...Object.fromEntries(Object.entries(binaryData).map(([key, base64]) => [key, textOfBytes(base64)])),
  ...data,
});

/** A ConfigMap by the object and field that name it. */
interface NamedMap {
  readonly map: string;
  /** "Proxy cluster". */
  readonly object: string;
  readonly field: "trustedCA" | "additionalTrustedCA";
}

/** Lists the ConfigMaps that the objects name. @throws Refused for an object of another shape */
function mapsIn(found: FoundObjects): readonly NamedMap[] {
  return (["trustedCA", "additionalTrustedCA"] as const).flatMap((field, at) => {
    const object = `${namingObjects[at]?.kind} ${config.name}`;
    const { data } = specShape.safeParse({ spec: {}, ...(found[at]?.[0] as object | undefined) });
    if (!data) throw new Refused(`${object} has an unexpected spec.${field}, ${NO_NODE_CHANGED}`);
    const map = data.spec[field].name;
    return map === "" ? [] : [{ map, object, field }];
  });
}

/** Lists the ConfigMaps to read after the objects that name them. */
export function namedMaps(
  found: FoundObjects,
  { cluster }: Pick<Configuration, "cluster">,
): readonly ObjectReference[] {
  if (cluster.inputs === "configmap") return [];
  return mapsIn(found).map(({ map: name }) => ({
    ...{ group: "", version: "v1", plural: "configmaps", kind: "ConfigMap" },
    ...{ namespace: NAMESPACE, name, mayBeAbsent: true },
  }));
}

/** The registry of a key: a port is behind two dots (openshift/api, ImageSpec.AdditionalTrustedCA). */
const registryOf = (key: string): string => key.replace(/\.\.(\d+)$/, ":$1");

/** Reads the bundles of a ConfigMap. @throws Refused without the ConfigMap or its key */
function bundlesOf({ map, object, field }: NamedMap, [content]: readonly unknown[]): readonly AuthorityBundle[] {
  const name = `ConfigMap ${NAMESPACE}/${map}`;
  const from = `${name} of ${object}`;
  const { data } = mapShape.safeParse(content);
  if (!data)
    throw new Refused(`the cluster has no ${name}, which spec.${field} of ${object} names, ${NO_NODE_CHANGED}`);
  const texts = textsOf(data);
  if (field === "additionalTrustedCA")
    return Object.entries(texts)
      .toSorted(([one], [other]) => one.localeCompare(other))
      .map(([key, pem]) => ({ from: `${from}, ${registryOf(key)}`, pem }));
  const pem = texts[BUNDLE_KEY];
  if (pem === undefined)
    throw new Refused(`${name}, which spec.${field} of ${object} names, has no key ${BUNDLE_KEY}, ${NO_NODE_CHANGED}`);
  return [{ from, pem }];
}

/**
 * Reads the bundles that name a cluster's trusted authorities.
 * @param found objects of `namingObjects`, then of `namedMaps`; or the ConfigMap of the inputs
 * @throws Refused that names a missing ConfigMap or key
 */
export function authorityBundles(
  found: FoundObjects,
  configuration: Pick<Configuration, "cluster">,
): readonly AuthorityBundle[] {
  const source = textOfKey(found, configuration, BUNDLE_KEY);
  if (source !== null) return [{ from: source.from, pem: source.text }];
  return mapsIn(found).flatMap((named, at) => bundlesOf(named, found[namingObjects.length + at] ?? []));
}
