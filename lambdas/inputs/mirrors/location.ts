/** A registry, or repositories of it: "quay.io", "quay.io/team". The host is normalised. */
export interface ImageLocation {
  /** Host with its port, in lower case; Docker Hub is "docker.io". */
  readonly host: string;
  /** Path without slashes at its ends; empty for the whole registry. */
  readonly path: string;
}

/** Reasons why a text is no location. */
export type NameFault = "scheme" | "tag" | "digest" | "wildcard" | "name";

const LABEL = "[a-z0-9](?:[a-z0-9-]*[a-z0-9])?";
const HOST = new RegExp(`^${LABEL}(?:\\.${LABEL})*(?::[1-9][0-9]{0,4})?$`);
const WILDCARD = new RegExp(`^\\*(?:\\.${LABEL})+$`);
/** Repositories are written in lower case (distribution/reference, as the pattern of openshift/api). */
const PATH = /^[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*(?:\/[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*)*$/;
/** Longest name in DNS. The folder of a registry on Windows is as long. */
const LONGEST_HOST = 253;
const HIGHEST_PORT = 65_535;

const portOf = (host: string): string | undefined => /:([^:]*)$/.exec(host)?.[1];
const withoutPort = (host: string): string => host.replace(/:[^:]*$/, "");

const isHost = (host: string): boolean =>
  HOST.test(host) && withoutPort(host).length <= LONGEST_HOST && Number(portOf(host) ?? 1) <= HIGHEST_PORT;

const normalised = (host: string): string => {
  const lower = host.toLowerCase();
  return lower === "index.docker.io" ? "docker.io" : lower;
};

const halvesOf = (text: string): ImageLocation => {
  const slash = text.indexOf("/");
  if (slash < 0) return { host: normalised(text), path: "" };
  return { host: normalised(text.slice(0, slash)), path: text.slice(slash + 1) };
};

/**
 * Parses a source, a mirror or an insecure registry: `host[:port][/path]`.
 * @returns the location, or the reason why the text is none
 */
export function locationOf(text: string): ImageLocation | NameFault {
  if (text.includes("://")) return "scheme";
  if (text.includes("*")) return "wildcard";
  if (text.includes("@")) return "digest";
  const location = halvesOf(text);
  const isTag = text.includes("/") ? location.path.includes(":") : !/^\d*$/.test(portOf(text) ?? "");
  if (isTag) return "tag";
  const isWhole = isHost(location.host) && (PATH.test(location.path) || !text.includes("/"));
  return isWhole ? location : "name";
}

/** The domain of a wildcard, "*.example.com", in lower case; undefined for other texts. */
export function wildcardOf(text: string): string | undefined {
  const lower = text.toLowerCase();
  return WILDCARD.test(lower) ? lower : undefined;
}

/**
 * Finds the registry that a text means, even if the text is no location: `docker://quay.io/a:b` means quay.io.
 * @returns the registry or the wildcard; null if none can be read
 */
export function registryMeant(text: string): string | null {
  const { host } = halvesOf(text.replace(/^[a-z+.-]+:\/\//i, "").replace(/@.*$/, ""));
  const registry = /:\d+$/.test(host) ? host : withoutPort(host);
  return isHost(registry) ? registry : (wildcardOf(registry) ?? null);
}

/**
 * Can an image name begin with this registry? Without a dot, a port or localhost, the first part of a name is a
 * repository of Docker Hub (distribution/reference, splitDockerDomain).
 */
export const isRegistry = (host: string): boolean => /[.:]/.test(host) || host === "localhost";

/** Names of devices, which no folder may have, with an extension neither (Microsoft, "Naming Files, Paths"). */
const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/;

/**
 * The folder in which containerd on Windows looks for a registry's hosts.toml: "quay.io", "quay.io_5000_"
 * (config_windows.go).
 * @returns undefined if Windows has no folder of this name
 */
export function folderOf(host: string): string | undefined {
  const folder = host.replace(/:(\d+)$/, "_$1_");
  return DEVICE.test(folder) ? undefined : folder;
}

/** The registry of a folder: the reverse of folderOf. */
export const registryOfFolder = (folder: string): string => folder.toLowerCase().replace(/_(\d+)_$/, ":$1");

/** The host that is asked for a registry: Docker Hub answers under another name (containerd, docker.DefaultHost). */
export const serverOf = (host: string): string => (host === "docker.io" ? "registry-1.docker.io" : host);

/** One text for hosts that reach the same server by HTTPS. */
export const addressOf = (host: string): string => serverOf(host).replace(/:443$/, "");

const isHostInside = (host: string, scope: string): boolean =>
  scope.startsWith("*.") ? withoutPort(host).endsWith(scope.slice(1)) : addressOf(host) === addressOf(scope);

/** Does a scope, whose host may be a wildcard, hold a location? (runtime-utils, ScopeIsNestedInsideScope) */
export const isInside = ({ host, path }: ImageLocation, scope: ImageLocation): boolean =>
  isHostInside(host, scope.host) && (scope.path === "" || path === scope.path || path.startsWith(`${scope.path}/`));

/**
 * The repository of an image, as containerd reads its name: "nginx" is docker.io/library/nginx.
 * @param image image of a container of a pod's spec
 * @returns undefined if the name is not valid
 */
export function repositoryOf(image: string): ImageLocation | undefined {
  const name = image.replace(/@.*$/, "").replace(/:[^:/]*$/, "");
  const [first = ""] = name.split("/");
  const hasRegistry = name.includes("/") && (isRegistry(first) || first !== first.toLowerCase());
  const full = hasRegistry ? name : `docker.io/${name}`;
  const location = locationOf(full);
  if (typeof location === "string" || location.path === "") return undefined;
  const isOfficial = location.host === "docker.io" && !location.path.includes("/");
  return isOfficial ? { host: location.host, path: `library/${location.path}` } : location;
}
