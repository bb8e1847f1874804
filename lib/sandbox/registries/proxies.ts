import type { FaultKind } from "../core/faults.ts";
import type { Simulation } from "../core/simulation.ts";
import type { RegistryAnswer } from "./exchange.ts";

const fields = { host: "the proxy's host, with its port" } as const;

const kinds: readonly FaultKind[] = [
  { kind: "proxy-down", sentence: "A proxy refuses every connection.", fields },
  { kind: "proxy-denies", sentence: "A proxy answers every request with 407 Proxy Authentication Required.", fields },
];

/** Settings of a proxy. */
interface ProxyOptions {
  /** User and password that it demands, with a colon between them (default: none). */
  readonly credential?: string;
}

/** The proxies between machines and registries. */
export interface Proxies {
  /** Makes a proxy known by its host and port; before that its name does not resolve. */
  declare(host: string, options?: ProxyOptions): void;
  /**
   * Asks a proxy for a connection, and records it among the calls.
   * @param proxy its address, as a variable names it
   * @returns undefined once it carries the request; otherwise the answer of the request
   */
  carry(proxy: string, url: string, instanceId: string): RegistryAnswer | undefined;
}

/** Host and port of an address; a proxy's port is its scheme's own unless it is named. */
const hostOf = ({ host, protocol, port }: URL): string =>
  port === "" ? `${host}:${protocol === "https:" ? 443 : 80}` : host;

/** Words by which Go asks: a tunnel for https, the request itself for http. */
function actionOf(url: string): string {
  const asked = new URL(url);
  return asked.protocol === "https:" ? `CONNECT ${asked.host}:${asked.port || 443}` : `GET ${url}`;
}

/** Builds the proxies. */
export function proxies({ store, faults, calls }: Simulation): Proxies {
  faults.declare(...kinds);
  const declared = store.collection<ProxyOptions>("proxies");

  const refusal = (proxy: string, url: string): RegistryAnswer | undefined => {
    const address = new URL(proxy);
    const host = hostOf(address);
    const known = declared.get(host);
    if (!known) return { fault: "proxy-dns", proxy };
    if (faults.applies("proxy-down", { host })) return { fault: "proxy-refused", proxy };
    const given = address.username === "" ? undefined : `${address.username}:${address.password}`;
    const isDenied = faults.applies("proxy-denies", { host }) || (known.credential ?? given) !== given;
    if (!isDenied) return undefined;
    // For https the tunnel is refused, which is an error of the network; for http it is the answer (net/http, Transport).
    return url.startsWith("https:") ? { fault: "proxy-denies", proxy } : { status: 407 };
  };

  return {
    declare: (host, options = {}) => declared.set(host, options),
    carry: (proxy, url, instanceId) => {
      const answer = refusal(proxy, url);
      const isDenied = answer !== undefined && ("status" in answer || answer.fault === "proxy-denies");
      const status = answer === undefined ? 200 : isDenied ? 407 : 0;
      const error = answer !== undefined && "fault" in answer ? answer.fault : null;
      calls.record({ service: "proxy", action: actionOf(url), principal: `instance/${instanceId}`, status, error });
      return answer;
    },
  };
}
