import { posix } from "node:path";
import { ALL_CAPABILITIES, type HostEntry, readHostsFile } from "./hosts-file.ts";
import { PullFailure } from "./pull-failure.ts";
import type { ContainerdBehaviour } from "./versions.ts";

/** Files below config_path by their path, with forward slashes; a directory's name ends in one. */
export type ConfigFiles = Readonly<Record<string, Uint8Array>>;

/** Files by which containerd finds the hosts of a registry. */
export interface HostsSource {
  readonly files: ConfigFiles;
  /** Windows' file names have no colon, and no case. */
  readonly isWindows: boolean;
  /** config_path itself, for the words of an error. */
  readonly root: string;
}

/** One host that a pull may ask. */
export interface RegistryHost extends HostEntry {
  /** Does it stand in for the image's registry? Then it is asked with `?ns=`. */
  readonly isMirror: boolean;
  /** Is https tried first, and http after that? */
  readonly fallsBack: boolean;
}

/** Directories of a registry, in the order of the search (config_windows.go, config_unix.go: hostPaths). */
function directoriesOf(registry: string, isWindows: boolean): readonly string[] {
  const underscored = registry.replace(/:(\d+)$/, "_$1_");
  const own = isWindows ? registry.replaceAll(":", "") : registry;
  return [...new Set([underscored, own, "_default"])];
}

/** Finds the directory of a registry; an empty one hides `_default`. */
function directoryFor({ files, isWindows }: HostsSource, registry: string): string | undefined {
  const spelled = (name: string): string => (isWindows ? name.toLowerCase() : name);
  const known = Object.keys(files).map((path) => path.split("/")[0] ?? "");
  return directoriesOf(registry, isWindows)
    .map((wanted) => known.find((name) => spelled(name) === spelled(wanted)))
    .find((name) => name !== undefined);
}

function fileIn({ files, isWindows }: HostsSource, directory: string, name: string): Uint8Array | undefined {
  const path = posix.join(directory, name);
  const found = Object.keys(files).find(
    (one) => one === path || (isWindows && one.toLowerCase() === path.toLowerCase()),
  );
  return found === undefined ? undefined : files[found];
}

const EMPTY: HostEntry = {
  scheme: "",
  host: "",
  path: "",
  capabilities: ALL_CAPABILITIES,
  header: {},
  skipVerify: undefined,
  authorities: [],
};

const portOf = (host: string): string => /:(\d+)$/.exec(host)?.[1] ?? "";
const isLocal = (host: string): boolean => /^(?:localhost|127\.|\[::1\])/.test(host);

/** Completes the last host of a file without `server`: it is the image's own registry. */
function ownRegistry(entry: HostEntry, registry: string): HostEntry {
  const own = { ...entry, path: "/v2", capabilities: ALL_CAPABILITIES, scheme: "https", host: registry };
  if (registry === "docker.io") return { ...own, host: "registry-1.docker.io" };
  const port = portOf(registry);
  if (!isLocal(registry)) return own;
  const scheme = port === "" || port === "443" ? "https" : "http";
  return { ...own, scheme, skipVerify: port === "80" ? entry.skipVerify : true };
}

function hostOf(entry: HostEntry, registry: string): RegistryHost {
  const hasTls = entry.skipVerify !== undefined || entry.authorities.length > 0;
  const fallsBack = entry.scheme === "http" && hasTls && portOf(entry.host) !== "80";
  const isSource = entry.host === registry || (registry === "docker.io" && entry.host === "registry-1.docker.io");
  return { ...entry, scheme: fallsBack ? "https" : entry.scheme, isMirror: !isSource, fallsBack };
}

/** Refuses a host whose certificates are not there; only names relative to its directory can be looked up. */
function checkAuthorities(source: HostsSource, directory: string, { authorities }: HostEntry): void {
  const missing = authorities
    .filter((one) => !/^(?:[a-z]:|[\\/])/i.test(one))
    .find((one) => !fileIn(source, directory, one));
  if (missing === undefined) return;
  const path = `${source.root}/${directory}/${missing}`;
  throw new PullFailure(`unable to read CA cert "${path}": open ${path}: no such file or directory`);
}

/**
 * Lists the hosts that containerd asks for a registry's images, in order (core/remotes/docker/config/hosts.go,
 * ConfigureHosts).
 * @throws PullFailure where a certificate that a host names is missing: then every pull of that registry fails
 */
export function hostsFor(
  source: HostsSource,
  registry: string,
  containerd: ContainerdBehaviour,
): readonly RegistryHost[] {
  const directory = directoryFor(source, registry);
  const bytes = directory === undefined ? undefined : fileIn(source, directory, "hosts.toml");
  const read = bytes?.length ? readHostsFile(bytes, containerd) : undefined;
  const entries = (read ?? [EMPTY]).map((entry, index, all) =>
    index === all.length - 1 && entry.host === "" ? ownRegistry(entry, registry) : entry,
  );
  for (const entry of entries) checkAuthorities(source, directory ?? "", entry);
  return entries.map((entry) => hostOf(entry, registry));
}
