import { STATUS_CODES } from "node:http";
import { posix } from "node:path";
import type { RegistryHost } from "./hosts.ts";
import { FinalFailure, PullFailure, ranks } from "./pull-failure.ts";
import type { ContainerdBehaviour } from "./versions.ts";

/** One part of an image, and what it leads to. */
export interface Content {
  readonly digest: string;
  readonly kind: "index" | "manifest" | "config" | "layer";
  /** Of an index: the manifest of the node's platform; of a manifest: its config and its layers. */
  readonly parts?: readonly Content[];
  /** Other addresses of a layer, which are asked before any registry. */
  readonly urls?: readonly string[];
}

/** A request to a registry. */
export interface RegistryRequest {
  readonly method: "HEAD" | "GET";
  readonly url: string;
  readonly header: Readonly<Record<string, readonly string[]>>;
}

/** Faults of the network between containerd and a registry, or its proxy. */
export type NetworkFault =
  | "dns"
  | "refused"
  | "dial-timeout"
  | "hang"
  | "plain-http"
  | "proxy-dns"
  | "proxy-refused"
  | "proxy-denies";

/** Answer of a registry: a status with content, or a fault of the network. */
export type RegistryAnswer =
  | {
      readonly status: number;
      /** Content of an answer with status 200. */
      readonly content?: Content;
      /** The answer to HEAD lacks Docker-Content-Digest. */
      readonly lacksDigest?: boolean;
      /** A 401 demands a name and a password. */
      readonly demandsPassword?: boolean;
    }
  | {
      readonly fault: NetworkFault;
      /** Address of the proxy at fault. */
      readonly proxy?: string;
    };

/** A request with its answer. */
export interface Exchange {
  readonly request: RegistryRequest;
  readonly answer: RegistryAnswer;
}

/** Requests of one pull so far, and the way to send another one. */
export interface Session {
  readonly ask: (request: RegistryRequest) => RegistryAnswer;
  readonly exchanges: Exchange[];
  readonly containerd: ContainerdBehaviour;
  /** Hosts that were found to speak http alone; forgotten when the hosts are read again. */
  readonly plain: Set<string>;
  readonly isWindows: boolean;
}

/** An answer with the request that it was given to. */
type Settled = { readonly request: RegistryRequest } & Extract<RegistryAnswer, { status: number }>;

/** Go's words for faults of the network; the simulated registries have one address. */
const faultWords = (fault: NetworkFault, url: string, isWindows: boolean): string => {
  const { protocol, port, username } = new URL(url);
  // Go writes a name as it was given; a URL would write it in small letters.
  const [hostname = ""] = /(?<=:\/\/)[^/:]+/.exec(username === "" ? url : url.replace(/\/\/[^/]*@/, "//")) ?? [];
  const address = `dial tcp 192.0.2.1:${port || (protocol === "http:" ? 80 : 443)}`;
  const dns = `dial tcp: lookup ${hostname}: no such host`;
  const refused = isWindows
    ? `${address}: connectex: No connection could be made because the target machine actively refused it.`
    : `${address}: connect: connection refused`;
  const words: Readonly<Record<NetworkFault, string>> = {
    dns,
    refused,
    "dial-timeout": `${address}: i/o timeout`,
    hang: "context deadline exceeded",
    "plain-http": "http: server gave HTTP response to HTTPS client",
    "proxy-dns": `proxyconnect tcp: ${dns}`,
    "proxy-refused": `proxyconnect tcp: ${refused}`,
    "proxy-denies": "Proxy Authentication Required",
  };
  return words[fault];
};

const send = (session: Session, request: RegistryRequest): RegistryAnswer => {
  const answer = session.ask(request);
  session.exchanges.push({ request, answer });
  return answer;
};

/** Does https meet plain http, or nothing on its usual port (core/remotes/docker, httpFallback)? */
const speaksHttpOnly = (answer: RegistryAnswer, host: string): boolean =>
  "fault" in answer && (answer.fault === "plain-http" || (answer.fault === "refused" && !/:\d+$/.test(host)));

/** Sends one request to a host, by http where https finds nobody and the host's settings allow that. */
function sendTo(session: Session, host: RegistryHost, method: "HEAD" | "GET", path: string): Exchange {
  const requestBy = (scheme: string): RegistryRequest => ({
    method,
    url: `${scheme}://${host.host.replace(/:$/, "")}${path}`,
    header: host.header,
  });
  const isPlain = host.fallsBack && session.plain.has(host.host);
  const request = requestBy(isPlain ? "http" : host.scheme);
  const answer = send(session, request);
  if (isPlain || !host.fallsBack || !speaksHttpOnly(answer, host.host)) return { request, answer };
  session.plain.add(host.host);
  const again = requestBy("http");
  return { request: again, answer: send(session, again) };
}

/** Is a request repeated at the same host after these statuses (retryRequest)? */
function isRepeated(statuses: readonly number[], isLast: boolean, { retriesLastHost }: ContainerdBehaviour): boolean {
  const [before, status = 0] = [statuses.at(-2), statuses.at(-1)];
  if (statuses.length > 5) return false;
  if (status === 408 || status === 429) return true;
  return retriesLastHost && isLast && [500, 503, 504].includes(status) && before !== status;
}

/**
 * Ends in the answer of a request, or throws the fault of the network.
 * @param fallsBack was it sent below Go's client, which names the address by https?
 */
function settled({ isWindows }: Session, { request, answer }: Exchange, fallsBack = false): Settled {
  if (!("fault" in answer)) return { request, ...answer };
  const method = request.method === "HEAD" ? "Head" : "Get";
  const url = fallsBack ? request.url.replace(/^http:/, "https:") : request.url;
  const words = `failed to do request: ${method} "${url}": ${faultWords(answer.fault, answer.proxy ?? request.url, isWindows)}`;
  throw answer.fault === "hang" ? new FinalFailure(words) : new PullFailure(words);
}

/** Path of a part of an image at a host, with the source's name for a mirror. */
export function pathAt(host: RegistryHost, repository: string, kind: string, name: string, registry: string): string {
  const path = posix.join("/", host.path, repository, kind, name);
  return host.isMirror ? `${path}?ns=${encodeURIComponent(registry)}` : path;
}

/**
 * Asks one host, and repeats where containerd does: at once on 408 and 429, on 500, 503 and 504 of the last host, and by
 * GET where a manifest's HEAD is not allowed.
 * @throws PullFailure on a fault of the network, FinalFailure when the host is silent
 */
export function askHost(
  session: Session,
  host: RegistryHost,
  { method, path, isLast }: { method: "HEAD" | "GET"; path: string; isLast: boolean },
): Settled {
  const statuses: number[] = [];
  let by = method;
  for (;;) {
    const answer = settled(session, sendTo(session, host, by, path), host.fallsBack);
    statuses.push(answer.status);
    const isHeadRefused = answer.status === 405 && by === "HEAD" && path.includes("/manifests/");
    if (isHeadRefused) by = "GET";
    else if (!isRepeated(statuses, isLast, session.containerd)) return answer;
  }
}

/** Asks an address that a layer names itself: without a host's settings. */
export const askAddress = (session: Session, url: string): Settled => {
  const request: RegistryRequest = { method: "GET", url, header: {} };
  return settled(session, { request, answer: send(session, request) });
};

/** Builds the failure of an answer that is not a success; a redirection to nowhere on HEAD ends the pull. */
export function failureOf(
  { containerd }: Session,
  { status, request: { method, url }, demandsPassword }: Settled,
): PullFailure {
  if (status === 401 && demandsPassword)
    return new PullFailure(
      "pull access denied, repository does not exist or may require authorization: authorization failed: no basic auth credentials",
    );
  if (status === 404) return new PullFailure(`content at ${url} not found: not found`, ranks.absent);
  const words = `${containerd.unexpectedStatus(method, url)}: ${status} ${STATUS_CODES[status] ?? ""}`.trim();
  return method === "HEAD" && status < 400 ? new FinalFailure(words) : new PullFailure(words, ranks.status);
}
