import { BlockList, isIP } from "node:net";

/** Variables by which a program written in Go finds its proxy. */
export interface ProxyVariables {
  readonly HTTP_PROXY?: string;
  readonly HTTPS_PROXY?: string;
  readonly NO_PROXY?: string;
}

interface HostAndPort {
  readonly host: string;
  readonly port: string;
}

const family = (address: string): "ipv4" | "ipv6" => (isIP(address) === 6 ? "ipv6" : "ipv4");

const splitPort = (text: string): HostAndPort => {
  const [, bracketed, bare, port = ""] = /^(?:\[([^\]]*)\]|([^:]*)):(\d+)$/.exec(text) ?? [];
  const host = bracketed ?? bare;
  return host === undefined ? { host: text.replace(/^\[(.*)\]$/, "$1"), port: "" } : { host, port };
};

function isIn(network: string, address: string): boolean {
  const [base = "", bits = ""] = network.split("/");
  if (isIP(address) === 0) return false;
  const list = new BlockList();
  list.addSubnet(base, Number(bits), family(base));
  return list.check(address, family(address));
}

const isNetwork = (entry: string): boolean => /^[0-9a-f.:]+\/\d+$/.test(entry) && isIP(entry.split("/")[0] ?? "") !== 0;

/** One entry of NO_PROXY (config.init): a network or an address only matches addresses, a name only names. */
function matches(entry: string, { host, port }: HostAndPort): boolean {
  if (entry === "*") return true;
  if (isNetwork(entry)) return isIn(entry, host);
  const wanted = splitPort(entry);
  if (wanted.host === "" || (wanted.port !== "" && wanted.port !== port)) return false;
  if (isIP(wanted.host) !== 0 || isIP(host) !== 0) return wanted.host === host;
  const name = wanted.host.replace(/^\*\./, ".");
  return name.startsWith(".") ? host.endsWith(name) : host === name || host.endsWith(`.${name}`);
}

/** Does Go never send requests for this host through a proxy (useProxy)? */
const isLoopback = (host: string): boolean =>
  host === "localhost" || host === "::1" || (isIP(host) === 4 && host.startsWith("127."));

/**
 * Finds the proxy of a request as Go's httpproxy.FromEnvironment does (golang.org/x/net/http/httpproxy).
 * @returns the proxy's address; undefined if the request is sent directly
 */
export function proxyOfRequest(url: string, environment: ProxyVariables): string | undefined {
  const { protocol, hostname, port } = new URL(url);
  const isSecure = protocol === "https:";
  const proxy = isSecure ? environment.HTTPS_PROXY : environment.HTTP_PROXY;
  const host = hostname.replace(/^\[(.*)\]$/, "$1").toLowerCase();
  if (!proxy || isLoopback(host)) return undefined;
  const entries = (environment.NO_PROXY ?? "").split(",").map((entry) => entry.trim().toLowerCase());
  const asked = { host, port: port || (isSecure ? "443" : "80") };
  return entries.some((entry) => entry !== "" && matches(entry, asked)) ? undefined : proxy;
}

/** Finds the proxy of a registry that is reached by https. @param registry host, with its port if it has one */
export const proxyOf = (registry: string, variables: ProxyVariables): string | null =>
  proxyOfRequest(`https://${registry}`, variables) ?? null;
