import { credentialFor } from "./credentials.ts";
import type { HostEntry } from "./hosts-toml.ts";
import { folderOf, type ImageLocation, isInside, serverOf } from "./location.ts";
import { endpointKey, type MirrorEndpoint, type MirrorLine } from "./mirror-lines.ts";
import { mergedOrder } from "./order.ts";
import { isForbidding } from "./surroundings.ts";

/** A source of a registry. */
export interface RegistrySource {
  /** Repositories, as they are written: "quay.io/team". */
  readonly source: string;
  /** Objects that name it, sorted. */
  readonly objects: readonly string[];
  /** May it not be contacted? */
  readonly isForbidden: boolean;
}

/** A mirror that containerd asks for more than its source. */
export interface WidenedMirror {
  readonly registry: string;
  /** The mirror with its path: "mirror.example.com/hub". */
  readonly mirror: string;
  /** Pulls that are widened; pulls by tag take the image that the mirror has under the tag. */
  readonly pulls: "digest" | "tag";
  /** Sources whose mirror it is, sorted. It is asked for every other repository of the registry too. */
  readonly sources: readonly string[];
}

/** One registry as containerd reaches it. */
export interface RegistryHosts {
  readonly registry: string;
  /** Folder of its hosts.toml. */
  readonly folder: string;
  readonly forbidsSource: boolean;
  readonly sources: readonly RegistrySource[];
  /** In the order in which they are asked. The last one is asked when the others failed. */
  readonly hosts: readonly HostEntry[];
  readonly widened: readonly WidenedMirror[];
}

type Pulls = MirrorLine["rule"]["pulls"];

/** An endpoint with the lines that name it. */
interface EndpointUse {
  readonly endpoint: MirrorEndpoint;
  readonly lines: readonly MirrorLine[];
}

const sortedSet = (texts: readonly string[]): readonly string[] => [...new Set(texts)].toSorted();

const isNamedFor = (pulls: Pulls, { lines }: EndpointUse): boolean => lines.some(({ rule }) => rule.pulls === pulls);

function usesIn(lines: readonly MirrorLine[]): ReadonlyMap<string, EndpointUse> {
  const uses = new Map<string, EndpointUse>();
  for (const line of lines)
    for (const endpoint of line.endpoints) {
      const use = uses.get(endpointKey(endpoint));
      // "m.io" and "m.io:443" are one endpoint: whichever line comes first, it has one name.
      const isFirst = !use || endpoint.host < use.endpoint.host;
      uses.set(endpointKey(endpoint), {
        endpoint: isFirst ? endpoint : use.endpoint,
        lines: [...(use?.lines ?? []), line],
      });
    }
  return uses;
}

/** Registries with properties of their own. */
export interface KnownRegistries {
  /** Registries, parts of them and wildcards that are insecure. */
  readonly insecure: readonly ImageLocation[];
  /** Hosts with a credential. */
  readonly credentials: readonly string[];
}

/** An insecure registry is asked by HTTPS without verification, then by HTTP, as by the cluster's Linux nodes. It gets no credential. */
function entriesOf(
  { host, prefix, isInsecure }: MirrorEndpoint,
  capabilities: HostEntry["capabilities"],
  credentials: readonly string[],
): HostEntry[] {
  const path = `${serverOf(host)}/v2${prefix === "" ? "" : `/${prefix}`}`;
  const verified = { url: `https://${path}`, capabilities, skipsVerification: false };
  const credential = credentialFor(host, credentials);
  if (!isInsecure) return [{ ...verified, ...(credential === undefined ? {} : { credential }) }];
  return [
    { ...verified, skipsVerification: true },
    { ...verified, url: `http://${path}` },
  ];
}

const mirrorEntries = (use: EndpointUse, credentials: readonly string[]): HostEntry[] =>
  entriesOf(use.endpoint, isNamedFor("tag", use) ? ["pull", "resolve"] : ["pull"], credentials);

function widenedBy(registry: string, use: EndpointUse): WidenedMirror[] {
  const isWide = (lines: readonly MirrorLine[]): boolean =>
    lines.length > 0 && lines.every(({ source }) => source.path !== "");
  const byTag = use.lines.filter(({ rule }) => rule.pulls === "tag");
  const { host, prefix } = use.endpoint;
  const row = (pulls: Pulls, lines: readonly MirrorLine[]): WidenedMirror[] => [
    {
      registry,
      mirror: prefix === "" ? host : `${host}/${prefix}`,
      pulls,
      sources: sortedSet(lines.map(({ rule }) => rule.source)),
    },
  ];
  if (isWide(byTag)) return row("tag", byTag);
  return isWide(use.lines) ? row("digest", use.lines) : [];
}

function sourcesOf(lines: readonly MirrorLine[]): readonly RegistrySource[] {
  const rulesOf = (source: string) => lines.map(({ rule }) => rule).filter((rule) => rule.source === source);
  return sortedSet(lines.map(({ rule }) => rule.source)).map((source) => ({
    source,
    objects: sortedSet(rulesOf(source).map(({ object }) => object)),
    isForbidden: rulesOf(source).some(isForbidding),
  }));
}

/** Merges the mirrors of all lines in one order. The source is the last, unless a line gives it another place. */
function orderOf(lines: readonly MirrorLine[], sourceKey: string): readonly string[] {
  const lists = lines.map(({ endpoints }) => {
    const keys = [...new Set(endpoints.map(endpointKey))];
    return keys.includes(sourceKey) ? keys : [...keys, sourceKey];
  });
  return mergedOrder([...lists, [sourceKey]]);
}

/**
 * Decides how containerd reaches one registry.
 * @param lines the lines of all mirror sets whose source is of this registry; empty for one that is only insecure
 * @returns hosts without an entry if the source is forbidden and so is each of its mirrors
 */
export function registryHosts(
  registry: string,
  lines: readonly MirrorLine[],
  { insecure, credentials }: KnownRegistries,
): RegistryHosts {
  const isInsecure = insecure.some((scope) => isInside({ host: registry, path: "" }, scope));
  const source: MirrorEndpoint = { host: registry, prefix: "", isInsecure };
  const sourceKey = endpointKey(source);
  const forbidsSource = lines.some(({ rule }) => isForbidding(rule));
  const uses = usesIn(lines);
  // Forbidden by one line, the source is asked for none: containerd knows registries only.
  const order = orderOf(lines, sourceKey).filter((key) => key !== sourceKey || !forbidsSource);
  const mirrors = order.flatMap((key) => (key === sourceKey ? [] : (uses.get(key) ?? [])));
  const entriesAt = (key: string): HostEntry[] => {
    const use = uses.get(key);
    return key === sourceKey || !use ? entriesOf(source, undefined, credentials) : mirrorEntries(use, credentials);
  };
  return {
    registry,
    folder: folderOf(registry) ?? registry,
    forbidsSource,
    sources: sourcesOf(lines),
    hosts: order.flatMap(entriesAt),
    widened: mirrors.flatMap((use) => widenedBy(registry, use)),
  };
}
