import { posix } from "node:path";
import { hostsByHeader, isTable, parseToml, type TomlTable, tomlText } from "./toml.ts";
import type { ContainerdBehaviour } from "./versions.ts";

/** One registry host, as hosts.toml describes it. */
export interface HostEntry {
  readonly scheme: string;
  /** Empty for a file without `server`: the image's own registry takes its place. */
  readonly host: string;
  readonly path: string;
  readonly capabilities: readonly string[];
  readonly header: Readonly<Record<string, readonly string[]>>;
  /** Undefined unless `skip_verify` is written. */
  readonly skipVerify: boolean | undefined;
  readonly authorities: readonly string[];
}

/** Capabilities of a host that names none. */
export const ALL_CAPABILITIES: readonly string[] = ["pull", "resolve", "push"];

const refuse = (why: string): never => {
  throw new Error(why);
};

const isStrings = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((one) => typeof one === "string");

/** Reads one key of a table; go-toml 2 matches keys in any case. */
function field(table: TomlTable, key: string, { strictToml }: ContainerdBehaviour): unknown {
  const found = strictToml ? Object.keys(table).find((one) => one.toLowerCase() === key) : key;
  return found === undefined ? undefined : table[found];
}

function typed<T>(value: unknown, isRight: (value: unknown) => value is T, key: string): T | undefined {
  return value === undefined || isRight(value) ? value : refuse(`toml: ${key} has another type`);
}

const isString = (value: unknown): value is string => typeof value === "string";
const isBoolean = (value: unknown): value is boolean => typeof value === "boolean";

/** Parts of a URL as Go's net/url reads them: the host keeps its case, and an address without a scheme is all path. */
function readUrl(server: string): Pick<HostEntry, "scheme" | "host" | "path"> {
  const [, scheme = "", authority = "", path = ""] = /^([a-z][a-z0-9+.-]*):\/\/([^/?#]*)([^?#]*)/i.exec(server) ?? [];
  const host = authority.slice(authority.lastIndexOf("@") + 1);
  if (/[\s"<>\\^`{|}%]/.test(host) || !/^(?:\[[^\]]*\]|[^:]*)(?::\d*)?$/.test(host))
    refuse(`unable to parse server ${server}: invalid host`);
  return { scheme: scheme.toLowerCase(), host, path };
}

/** Extends a host's path with /v2, unless it ends so or `override_path` keeps it. */
function pathOf(path: string, isKept: boolean): string {
  const clean = path && posix.normalize(path).replace(/(?<=.)\/$/, "");
  return isKept || clean.endsWith("/v2") ? clean : `${clean}/v2`;
}

function capabilitiesOf(wanted: readonly string[], { capabilities }: ContainerdBehaviour): readonly string[] {
  const names = wanted.map((one) => one.toLowerCase());
  const unknown = names.find((one) => !capabilities.includes(one));
  if (unknown !== undefined) refuse(`unknown capability ${unknown}`);
  return names.length > 0 ? names : ALL_CAPABILITIES;
}

/** Reads `ca`: one path or several. */
const authoritiesOf = (ca: unknown): readonly string[] => (isString(ca) ? [ca] : (typed(ca, isStrings, "ca") ?? []));

/** Checks `client`: paths, each alone or as a pair with its key. */
function checkClient(client: unknown): void {
  const isPair = (one: unknown): boolean => isString(one) || (isStrings(one) && one.length <= 2);
  if (client === undefined || isString(client)) return;
  if (!(Array.isArray(client) && client.every(isPair))) refuse("invalid client");
}

function headerOf(table: TomlTable): Record<string, readonly string[]> {
  const entries = Object.entries(table).map(([name, value]): [string, readonly string[]] =>
    isString(value) ? [name, [value]] : [name, typed(value, isStrings, `header ${name}`) ?? []],
  );
  return Object.fromEntries(entries);
}

/** Matches durations of Go: "5s", "1m30s". */
const duration = /^(?:0|[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+)?$/;

function checkDialTimeout(value: unknown, { knowsDialTimeout }: ContainerdBehaviour): void {
  if (knowsDialTimeout && !duration.test(typed(value, isString, "dial_timeout") ?? ""))
    refuse("time: invalid duration");
}

/** Reads the settings of one host: a table `[host."url"]`, or the root of the file for `server`. */
function readHost(server: string, table: TomlTable, containerd: ContainerdBehaviour): HostEntry {
  const read = (key: string): unknown => field(table, key, containerd);
  const isKept = typed(read("override_path"), isBoolean, "override_path") ?? false;
  const url = server === "" ? undefined : readUrl(server.startsWith("http") ? server : `https://${server}`);
  checkClient(read("client"));
  checkDialTimeout(read("dial_timeout"), containerd);
  return {
    scheme: url?.scheme ?? "",
    host: url?.host ?? "",
    path: url ? pathOf(url.path, isKept) : "",
    capabilities: capabilitiesOf(typed(read("capabilities"), isStrings, "capabilities") ?? [], containerd),
    header: headerOf(typed(read("header"), isTable, "header") ?? {}),
    skipVerify: typed(read("skip_verify"), isBoolean, "skip_verify"),
    authorities: authoritiesOf(read("ca")),
  };
}

/** Reads the tables of hosts by their URL. */
function tablesOf(root: TomlTable, containerd: ContainerdBehaviour): Readonly<Record<string, TomlTable>> {
  const found = field(root, "host", containerd);
  if (found === undefined && containerd.needsHostTable) refuse("invalid `host` tree");
  const tables = typed(found, isTable, "host") ?? {};
  return Object.fromEntries(
    Object.entries(tables).map(([url, table]) => [url, isTable(table) ? table : refuse("toml: host has another type")]),
  );
}

function readFile(bytes: Uint8Array, containerd: ContainerdBehaviour): readonly HostEntry[] {
  const text = tomlText(bytes, containerd);
  const root = parseToml(text);
  const tables = tablesOf(root, containerd);
  const order = containerd.strictToml ? hostsByHeader(text) : Object.keys(tables);
  const server = typed(field(root, "server", containerd), isString, "server") ?? "";
  const hosts = order.map((url) => readHost(url, tables[url] ?? {}, containerd));
  return [...hosts, readHost(server, root, containerd)];
}

/**
 * Reads a hosts.toml as containerd does (core/remotes/docker/config/hosts.go, parseHostsFile): the hosts in the order of
 * the file, and `server` as the last one.
 * @returns undefined where containerd writes "failed to decode" into its log and goes on as if there were no file
 */
export function readHostsFile(bytes: Uint8Array, containerd: ContainerdBehaviour): readonly HostEntry[] | undefined {
  try {
    return readFile(bytes, containerd);
  } catch {
    return undefined;
  }
}
