import { isIP } from "node:net";

const LABEL = "[a-z0-9](?:[a-z0-9_-]*[a-z0-9])?";
/** A name, everything below a name, or a name with a port. */
const NAME = new RegExp(`^(?:\\*?\\.)?${LABEL}(?:\\.${LABEL})*(?::[1-9][0-9]{0,4})?$`);

/** Entry that exempts everything. */
const ALL = "*";

/** Networks and names around a cluster's nodes. */
export interface ClusterPlaces {
  readonly serviceNetwork: string;
  readonly clusterNetwork: string;
  readonly machineNetwork: string;
  /** The API server's address. */
  readonly apiServer: string;
}

function isNetwork(entry: string): boolean {
  const [address = "", bits = "", ...rest] = entry.split("/");
  const most = isIP(address) === 4 ? 32 : 128;
  return isIP(address) !== 0 && /^\d{1,3}$/.test(bits) && Number(bits) <= most && rest.length === 0;
}

const isEntry = (entry: string): boolean => isIP(entry) !== 0 || isNetwork(entry) || NAME.test(entry);

const entriesIn = (text: string): readonly string[] =>
  text
    .split(",")
    .map((entry) => entry.trim().toLowerCase())
    .filter(Boolean);

/** Finds the first entry of a list that exempts nothing in Go, such as one with a scheme; undefined if all are valid. */
export const wrongEntry = (noProxy: string): string | undefined =>
  entriesIn(noProxy).find((entry) => entry !== ALL && !isEntry(entry));

/**
 * Says how a wrong entry must be written. OpenShift refuses an address in brackets too (cluster-network-operator,
 * pkg/controller/proxyconfig/validation.go).
 */
export function entryFault(entry: string): string {
  const [, address = ""] = /^\[(.+)\](?::\d+)?$/.exec(entry) ?? [];
  return isIP(address) === 0
    ? `${entry} must be a name, an address or a network, without a scheme or a path`
    : `${entry} must be written as ${address}, which exempts every port of it`;
}

/** Does a list exempt everything, so that there is no proxy? */
export const exemptsAll = (noProxy: string): boolean => entriesIn(noProxy).includes(ALL);

/**
 * Makes NO_PROXY: the entries of the list, and always what a node must reach itself: the metadata service and the
 * credentials of ECS, itself, and the cluster's networks, names and API server. Its order does not depend on the list's,
 * so that a list in another order changes no machine.
 */
export function noProxyOf(noProxy: string, cluster: ClusterPlaces): string {
  const { serviceNetwork, clusterNetwork, machineNetwork, apiServer } = cluster;
  const always = [
    "169.254.169.254",
    "169.254.170.2",
    "localhost",
    "127.0.0.1",
    ".svc",
    ".cluster.local",
    serviceNetwork,
    clusterNetwork,
    machineNetwork,
    new URL(apiServer).hostname,
  ];
  return [...new Set([...entriesIn(noProxy), ...always])].toSorted().join(",");
}
