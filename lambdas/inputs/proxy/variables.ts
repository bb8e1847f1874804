import type { TextFile } from "../input.ts";
import { shownAddress } from "./address.ts";
import type { ProxyVariables } from "./go-rules.ts";
import { type ClusterPlaces, noProxyOf } from "./no-proxy.ts";
import type { ProxySettings } from "./settings.ts";

/**
 * Services whose processes get the variables. CNI plugins are children of containerd, plugins for credentials of
 * registries are children of the kubelet.
 */
const services = ["containerd", "kubelet"] as const;

/**
 * Names of the variables, in the order in which they are set: whoever is exempt comes first. They are removed the other
 * way round.
 */
const names = ["NO_PROXY", "HTTP_PROXY", "HTTPS_PROXY"] as const;

/** Variables of a cluster's proxy; none without a proxy. */
export function proxyVariables({ http, https, noProxy }: ProxySettings, cluster: ClusterPlaces): ProxyVariables {
  if (!http && !https) return {};
  return {
    NO_PROXY: noProxyOf(noProxy, cluster),
    ...(http ? { HTTP_PROXY: shownAddress(http) } : {}),
    ...(https ? { HTTPS_PROXY: shownAddress(https) } : {}),
  };
}

const pathOf = (service: string, name: string): string =>
  `HKLM:\\SYSTEM\\CurrentControlSet\\Services\\${service}\\Environment\\${name}`;

/** The variables of every service, each by the path of its value in the registry. */
export const variableFiles = (variables: ProxyVariables): readonly TextFile[] =>
  names.flatMap((name) => {
    const text = variables[name];
    return text === undefined ? [] : services.map((service) => ({ path: pathOf(service, name), text }));
  });

/** A variable of a service. */
export interface ServiceVariable {
  readonly service: string;
  readonly name: string;
}

/** The variable of a path. */
export function variableAt(path: string): ServiceVariable {
  const [service = "", , name = ""] = path.split("\\").slice(-3);
  return { service, name };
}

const place = (path: string): number => (names as readonly string[]).indexOf(variableAt(path).name);

/** Compares paths in the order in which variables are removed. */
export const byRemoval = (one: string, other: string): number => place(other) - place(one) || (one < other ? -1 : 1);

/** The variables of a content: every service has the same ones. */
export const variablesIn = (files: readonly TextFile[]): ProxyVariables =>
  Object.fromEntries(files.map(({ path, text }) => [variableAt(path).name, text]));
