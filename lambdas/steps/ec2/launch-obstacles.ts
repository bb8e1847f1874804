import type { Configuration } from "../../configuration.ts";
import { networksOverlap } from "../../desired/network-address.ts";
import type { Finding } from "../../messages/doctor/finding.ts";

/** Facts of a cluster that decide whether Windows nodes can be launched into it. */
export interface ClusterFacts {
  /** Platform that the cluster was installed on ("AWS", "None"); null where it does not say. */
  readonly platform: string | null;
  /** The cloud controller is not part of the installation (platform External alone). */
  readonly ownCloudController: boolean;
  /** Networks that pods have their addresses from, "10.128.0.0/14". */
  readonly podNetworks: readonly string[];
  /** The Windows Machine Config Operator is at work. */
  readonly wmco: boolean;
  /** Names of the Windows nodes that it looks after. */
  readonly wmcoNodes: readonly string[];
}

/**
 * Windows refuses to give an interface an address of class E (Azure Architecture Center, "Prevent IPv4 exhaustion in Azure":
 * "blocked by Windows from assigning it to a NIC").
 */
const CLASS_E = "240.0.0.0/4";

/**
 * A kubelet that waits for a cloud controller registers with a taint that only this one takes off, and gets its provider id
 * from it (k8s.io/cloud-provider, controllers/node). OpenShift runs one on AWS; on platform External the user brings it or
 * not (openshift/api, config/v1, CloudControllerManagerState); on platform None there is none.
 */
const isInitialised = ({ platform, ownCloudController }: ClusterFacts): boolean =>
  platform === null || platform === "AWS" || (platform === "External" && ownCloudController);

/**
 * Judges the obstacles to a launch, before there is a machine.
 * @returns findings of the doctor's; `/win add` goes on while none of them is broken
 */
export function launchObstacles(facts: ClusterFacts, { cluster }: Pick<Configuration, "cluster">): Finding[] {
  const { platform, podNetworks, wmco, wmcoNodes } = facts;
  const reserved = podNetworks.filter((network) => networksOverlap(network, CLASS_E));
  return [
    ...(isInitialised(facts) ? [] : [{ kind: "no-cloud-controller", platform: platform ?? "" } as const]),
    ...reserved.map((network) => ({ kind: "reserved-network", network }) as const),
    ...(wmco || wmcoNodes.length > 0
      ? [{ kind: "beside-wmco", nodes: wmcoNodes, meant: cluster.besideWmco } as const]
      : []),
  ];
}
