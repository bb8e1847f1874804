import { BlockList, isIP } from "node:net";

/** Variables by which a program written in Go finds its proxy. */
export interface ProxyVariables {
  readonly HTTP_PROXY?: string;
  readonly HTTPS_PROXY?: string;
  readonly NO_PROXY?: string;
}

/** A host with a port, which an entry may lack. */
interface Destination {
  readonly host: string;
  readonly port: string;
}

function destinationOf(text: string, otherwise: string): Destination {
  const [, host = text, port = otherwise] = /^\[?([^\]]*?)\]?(?::(\d+))?$/.exec(text) ?? [];
  return isIP(text) === 6 ? { host: text, port: otherwise } : { host, port };
}

const kindOfAddress = (address: string): "ipv4" | "ipv6" => (isIP(address) === 6 ? "ipv6" : "ipv4");

function isInNetwork(address: string, network: string): boolean {
  const [base = "", bits = ""] = network.split("/");
  if (isIP(base) === 0 || isIP(base) !== isIP(address)) return false;
  const list = new BlockList();
  list.addSubnet(base, Number(bits), kindOfAddress(base));
  return list.check(address, kindOfAddress(address));
}

const isBelow = (host: string, name: string): boolean => {
  const domain = name.replace(/^\*(?=\.)/, "");
  return domain.startsWith(".") ? host.endsWith(domain) : host === domain || host.endsWith(`.${domain}`);
};

/** Does one entry of NO_PROXY exempt a destination? */
function exempts(entry: string, { host, port }: Destination): boolean {
  if (entry === "*") return true;
  if (entry.includes("/")) return isIP(host) !== 0 && isInNetwork(host, entry);
  const { host: name, port: wanted } = destinationOf(entry, "");
  const isNamed = isIP(name) !== 0 || isIP(host) !== 0 ? name === host : isBelow(host, name);
  return isNamed && (wanted === "" || wanted === port);
}

const isLoopback = (host: string): boolean =>
  host === "localhost" || host === "::1" || /^127\.\d+\.\d+\.\d+$/.test(host);

/**
 * Finds the proxy through which a program written in Go reaches a registry by https
 * (golang.org/x/net/http/httpproxy). A network exempts addresses, never names that resolve to them.
 * @param registry host, with its port if it has one
 * @returns the proxy's address; null if the registry is reached directly
 */
export function proxyOf(registry: string, { HTTPS_PROXY, NO_PROXY = "" }: ProxyVariables): string | null {
  const destination = destinationOf(registry.toLowerCase(), "443");
  if (!HTTPS_PROXY || isLoopback(destination.host)) return null;
  const entries = NO_PROXY.split(",").map((entry) => entry.trim().toLowerCase());
  return entries.some((entry) => entry !== "" && exempts(entry, destination)) ? null : HTTPS_PROXY;
}
