import type { SecretVersion } from "../../machine/actions.ts";
import type { TextFile } from "../input.ts";
import { type ProxyAddress, shownAddress } from "./address.ts";
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

/** Writes an address with a hole in place of user and password. @param field of the secret that fills it */
const template = (address: ProxyAddress, field: "http" | "https"): string =>
  address.credential === null ? shownAddress(address) : shownAddress(address).replace("//", () => `//<<${field}>>@`);

/** Variables of a cluster's proxy, with holes in place of users and passwords; none without a proxy. */
export function proxyVariables({ http, https, noProxy }: ProxySettings, cluster: ClusterPlaces): ProxyVariables {
  if (!http && !https) return {};
  return {
    NO_PROXY: noProxyOf(noProxy, cluster),
    ...(http ? { HTTP_PROXY: template(http, "http") } : {}),
    ...(https ? { HTTPS_PROXY: template(https, "https") } : {}),
  };
}

const hasHole = (text: string): boolean => text.includes("<<");

const pathOf = (service: string, name: string): string =>
  `HKLM:\\SYSTEM\\CurrentControlSet\\Services\\${service}\\Environment\\${name}`;

/**
 * The variables of every service, each by the path of its value in the registry.
 * @param secret version of the secret that fills the holes
 */
export const variableFiles = (variables: ProxyVariables, secret: SecretVersion | undefined): readonly TextFile[] =>
  names.flatMap((name) => {
    const text = variables[name];
    if (text === undefined) return [];
    const filled = secret && hasHole(text) ? { secret } : {};
    return services.map((service) => ({ path: pathOf(service, name), text, ...filled }));
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

/** The variables of a content without users and passwords: every service has the same ones. */
export const variablesIn = (files: readonly TextFile[]): ProxyVariables =>
  Object.fromEntries(files.map(({ path, text }) => [variableAt(path).name, text.replace(/<<[^>]*>>@/, "")]));
