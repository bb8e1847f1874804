import { isIPv6 } from "node:net";

/** Address of a proxy. */
export interface ProxyAddress {
  readonly scheme: "http" | "https";
  /** Host with its port, if the address has one. */
  readonly host: string;
  /** User and password as they stand in the address, with a colon between them; null without them. */
  readonly credential: string | null;
}

const LABEL = "[a-z0-9](?:[a-z0-9_-]*[a-z0-9])?";
const NAME = `${LABEL}(?:\\.${LABEL})*`;
const PORT = "(?::([1-9][0-9]{0,4}))?";
const ADDRESS = new RegExp(`^(https?)://(?:([^@/?#\\s]*)@)?((?:${NAME}|\\[[0-9a-f:.]+\\])${PORT})/?$`, "i");
const HIGHEST_PORT = 65_535;

const isPort = (port = "1"): boolean => Number(port) <= HIGHEST_PORT;

/** Only an address of IPv6 stands in brackets. */
const isReachable = (host: string): boolean => !host.startsWith("[") || isIPv6(host.replace(/^\[(.*)\].*$/, "$1"));

/**
 * Parses the address of a proxy, as Go's httpproxy takes it: without a port it is the scheme's own.
 * @returns the address, or the reason why the text is none; the reason has no part of the text, which may be a password
 */
export function proxyAddressOf(text: string): ProxyAddress | string {
  const [, scheme, credential, host = "", port] = ADDRESS.exec(text) ?? [];
  if (scheme === undefined || !isPort(port) || !isReachable(host))
    return "must be an address such as http://proxy.example.com:3128, without a path";
  return {
    scheme: scheme.toLowerCase() === "https" ? "https" : "http",
    host: host.toLowerCase(),
    credential: credential ?? null,
  };
}

/** Writes an address without user and password. */
export const shownAddress = ({ scheme, host }: ProxyAddress): string => `${scheme}://${host}`;
