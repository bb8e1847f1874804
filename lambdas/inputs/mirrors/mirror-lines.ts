import {
  addressOf,
  folderOf,
  type ImageLocation,
  isInside,
  isRegistry,
  locationOf,
  type NameFault,
  registryMeant,
} from "./location.ts";
import type { MirrorRule } from "./mirror-sets.ts";
import { hasMirror, holdsForbidden, isForbidden, isForbidding, type Surroundings } from "./surroundings.ts";

/** Reasons why containerd cannot do what a line of a mirror set says. */
export type MirrorFaultReason =
  | NameFault
  /** No image name begins with this source. */
  | "no-registry"
  /** Windows has no folder of this name. */
  | "folder"
  /** The mirror does not end in the source's path, which containerd always appends. */
  | "path"
  /** The source is forbidden, and no mirror is named. The cluster's Linux nodes ignore such a line. */
  | "no-mirror"
  /** The source is forbidden, and it is one of its mirrors. The machine-config operator refuses such a line. */
  | "source-is-mirror"
  /** The source is forbidden, and so is each of its mirrors. */
  | "forbidden-mirrors"
  /** The mirror would also be asked for repositories that another line forbids. */
  | "forbidden-part"
  /** Only a part of the registry is insecure. */
  | "insecure-part";

/** A line that containerd cannot follow, or an insecure registry. */
export interface MirrorFault {
  /** Registry whose file stays as it is, or a wildcard; null if the line names none. */
  readonly registry: string | null;
  /** Object that holds the line: "ImageDigestMirrorSet/web". */
  readonly object: string;
  /** The source, or the insecure registry, as it is written. */
  readonly source: string;
  /** The mirror, as it is written; null if the fault is not a mirror's. */
  readonly mirror: string | null;
  readonly reason: MirrorFaultReason;
}

/** A mirror as containerd reaches it: `https://<host>/v2/<prefix>`. */
export interface MirrorEndpoint {
  readonly host: string;
  /** Path before the repository; empty if there is none. */
  readonly prefix: string;
  /** Is it reached without a verified certificate, or by HTTP? */
  readonly isInsecure: boolean;
}

/** A mirror that is never asked, because another line forbids it. */
export interface UnusedMirror {
  readonly registry: string;
  readonly object: string;
  readonly source: string;
  readonly mirror: string;
}

/** A line that containerd can follow. */
export interface MirrorLine {
  readonly rule: MirrorRule;
  readonly source: ImageLocation;
  /** In the order in which they are asked. */
  readonly endpoints: readonly MirrorEndpoint[];
  readonly unused: readonly UnusedMirror[];
}

/** One text for each endpoint: two endpoints with the same text are one host for containerd. */
export const endpointKey = ({ host, prefix }: Pick<MirrorEndpoint, "host" | "prefix">): string =>
  prefix === "" ? addressOf(host) : `${addressOf(host)}/${prefix}`;

const sourceIn = (text: string): ImageLocation | MirrorFaultReason => {
  const location = locationOf(text);
  if (typeof location === "string") return location;
  if (!isRegistry(location.host)) return "no-registry";
  return folderOf(location.host) === undefined ? "folder" : location;
};

/**
 * Path of a mirror before the source's path; undefined if the mirror does not end in it. containerd appends the whole
 * repository of an image to the path of a host (core/remotes/docker, resolver.go).
 */
function prefixOf(mirror: ImageLocation, source: ImageLocation): string | undefined {
  if (source.path === "") return mirror.path;
  if (mirror.path === source.path) return "";
  const tail = `/${source.path}`;
  return mirror.path.endsWith(tail) ? mirror.path.slice(0, -tail.length) : undefined;
}

/** Reads one mirror of a line; null for a mirror that another line forbids. */
function endpointIn(
  text: string,
  source: ImageLocation,
  rule: MirrorRule,
  { sources, insecure }: Surroundings,
): MirrorEndpoint | MirrorFaultReason | null {
  const mirror = locationOf(text);
  if (typeof mirror === "string") return mirror;
  const prefix = prefixOf(mirror, source);
  if (prefix === undefined) return "path";
  const reached = { host: mirror.host, path: prefix };
  const isSource = prefix === "" && addressOf(mirror.host) === addressOf(source.host);
  if (isSource && isForbidding(rule)) return "source-is-mirror";
  if (isForbidden(mirror, sources)) return null;
  if (!isSource && (isForbidden(reached, sources) || holdsForbidden(reached, sources))) return "forbidden-part";
  const isInsecure = insecure.some((scope) => isInside(reached, scope));
  if (!isInsecure && insecure.some((scope) => isInside(mirror, scope))) return "insecure-part";
  return { host: mirror.host, prefix, isInsecure };
}

/** Creates the faults of a line. */
const faultIn =
  ({ object, source }: MirrorRule) =>
  (reason: MirrorFaultReason, mirror: string | null = null): MirrorFault => ({
    registry: registryMeant(source),
    object,
    source,
    mirror,
    reason,
  });

/** Reads the mirrors of a line whose source can be read. */
function mirrorsIn(rule: MirrorRule, source: ImageLocation, surroundings: Surroundings) {
  const read = rule.mirrors.map((mirror) => ({ mirror, endpoint: endpointIn(mirror, source, rule, surroundings) }));
  const fault = faultIn(rule);
  return {
    faults: read.flatMap(({ mirror, endpoint }) => (typeof endpoint === "string" ? [fault(endpoint, mirror)] : [])),
    endpoints: read.flatMap(({ endpoint }) => (typeof endpoint === "string" ? [] : (endpoint ?? []))),
    unused: read
      .filter(({ endpoint }) => endpoint === null)
      .map(({ mirror }) => ({ registry: source.host, object: rule.object, source: rule.source, mirror })),
  };
}

/**
 * Reads one line of a mirror set.
 * @returns the line, or its faults: there are none if the line has no effect
 */
export function mirrorLine(rule: MirrorRule, surroundings: Surroundings): MirrorLine | readonly MirrorFault[] {
  const fault = faultIn(rule);
  if (!hasMirror(rule)) {
    if (!isForbidding(rule)) return [];
    return [fault(rule.mirrors.length === 0 ? "no-mirror" : "source-is-mirror")];
  }
  const source = sourceIn(rule.source);
  if (typeof source === "string") return [fault(source)];
  const { faults, endpoints, unused } = mirrorsIn(rule, source, surroundings);
  return faults.length > 0 ? faults : { rule, source, endpoints, unused };
}
