import type { Configuration } from "../../configuration/configuration.ts";
import { networksOverlap } from "../../machine/network-address.ts";
import type { Finding, NetworkUse } from "../../messages/doctor/finding.ts";
import type { Profile } from "../../profiles/profile.ts";

/** A network of the cluster, as "10.128.0.0/14", and what has its addresses. */
export interface ClusterNetwork {
  readonly of: NetworkUse;
  readonly cidr: string;
  /** Prefix length of a node's share; null where nodes have no share. */
  readonly hostPrefix?: number | null;
}

/** Facts about a cluster that decide whether Windows nodes can be launched into it. */
export interface LaunchFacts {
  /** Platform that the cluster was installed on ("AWS", "None"); null if the cluster does not say. */
  readonly platform: string | null;
  /**
   * Is the cloud controller missing from the installation, so that the user must provide it? (Only platform External.)
   */
  readonly ownCloudController: boolean;
  /** Networks of pods and Services. */
  readonly networks: readonly ClusterNetwork[];
  /** Networks of the VPC, as "10.0.0.0/16"; the machines' own is one of them, or inside one. */
  readonly vpc: readonly string[];
  /** Address of the cluster's DNS Service; null if it is unknown. */
  readonly dnsAddress: string | null;
  /** Is the Windows Machine Config Operator running? */
  readonly wmco: boolean;
  /** Names of the Windows nodes that WMCO manages. */
  readonly wmcoNodes: readonly string[];
}

/**
 * Windows rejects addresses of class E on its interfaces (Azure Architecture Center, "Prevent IPv4 exhaustion in
 * Azure": "blocked by Windows from assigning it to a NIC").
 */
const CLASS_E = "240.0.0.0/4";

/**
 * Does the cluster have a cloud controller? A kubelet that waits for one registers with a taint that only the
 * controller removes, and gets its provider id from it (k8s.io/cloud-provider, controllers/node). OpenShift runs one on
 * AWS; on platform External the user may provide one (openshift/api, config/v1, CloudControllerManagerState); on
 * platform None there is none.
 */
const isInitialised = ({ platform, ownCloudController }: LaunchFacts): boolean =>
  platform === null || platform === "AWS" || (platform === "External" && ownCloudController);

/**
 * Finds networks that share addresses. The hybrid overlay gives Windows nodes shares of its own network: where that
 * overlaps another one, two nodes, or a node and a Service, get the same address.
 */
function overlaps(networks: readonly ClusterNetwork[]): Finding[] {
  return networks.flatMap((one, at) =>
    networks
      .slice(at + 1)
      .filter((other) => networksOverlap(one.cidr, other.cidr))
      .map((other) => ({ kind: "networks-overlap", one: nameOf(one), other: nameOf(other) }) as const),
  );
}

/**
 * Finds networks of the VPC that share addresses with pods or Services. A network that shares some with the machines is
 * left out: that is found already.
 */
const vpcOverlaps = (vpc: readonly string[], networks: readonly ClusterNetwork[], machines: string): Finding[] =>
  networks
    .filter(({ cidr }) => !networksOverlap(cidr, machines))
    .flatMap((other) =>
      vpc
        .filter((cidr) => networksOverlap(cidr, other.cidr))
        .map((cidr) => ({ kind: "networks-overlap", one: { of: "the VPC", cidr }, other: nameOf(other) }) as const),
    );

const nameOf = ({ of, cidr }: ClusterNetwork) => ({ of, cidr });

/** Addresses of a node's share that no pod gets: the network's, the gateway's and the broadcast address. */
const RESERVED = 3;

/** Finds networks whose share per node has fewer addresses than the node may have pods. */
function smallShares(networks: readonly ClusterNetwork[], podsPerNode: number): Finding[] {
  return networks.flatMap(({ cidr, hostPrefix }): Finding[] => {
    if (hostPrefix === undefined || hostPrefix === null) return [];
    const addresses = Math.max(0, 2 ** (32 - hostPrefix) - RESERVED);
    return addresses < podsPerNode
      ? [{ kind: "few-addresses", network: cidr, hostPrefix, addresses, podsPerNode }]
      : [];
  });
}

/**
 * Lists the obstacles to a launch before a machine exists.
 * @returns findings of the doctor; `/win add` continues if none of them is broken
 */
export function launchObstacles(
  facts: LaunchFacts,
  { cluster }: Pick<Configuration, "cluster">,
  { dns, podsPerNode }: Pick<Profile["network"], "dns" | "podsPerNode">,
): Finding[] {
  const { platform, networks, vpc, dnsAddress, wmco, wmcoNodes } = facts;
  const reserved = networks.filter(({ cidr }) => networksOverlap(cidr, CLASS_E));
  const expected = dns.address(cluster);
  return [
    ...(isInitialised(facts) ? [] : [{ kind: "no-cloud-controller", platform: platform ?? "" } as const]),
    ...reserved.map(({ cidr }) => ({ kind: "reserved-network", network: cidr }) as const),
    ...overlaps([{ of: "machines", cidr: cluster.machineNetwork }, ...networks]),
    ...vpcOverlaps(vpc, networks, cluster.machineNetwork),
    ...smallShares(networks, podsPerNode),
    ...(dnsAddress === null || dnsAddress === expected
      ? []
      : [{ kind: "dns-differs", address: dnsAddress, expected } as const]),
    ...(wmco || wmcoNodes.length > 0
      ? [{ kind: "beside-wmco", nodes: wmcoNodes, meant: cluster.besideWmco } as const]
      : []),
  ];
}
