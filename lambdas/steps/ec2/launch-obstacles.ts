import type { Configuration } from "../../configuration/configuration.ts";
import { networksOverlap } from "../../machine/network-address.ts";
import type { Finding } from "../../messages/doctor/finding.ts";

/** Facts about a cluster that decide whether Windows nodes can be launched into it. */
export interface LaunchFacts {
  /** Platform that the cluster was installed on ("AWS", "None"); null if the cluster does not say. */
  readonly platform: string | null;
  /**
   * Is the cloud controller missing from the installation, so that the user must provide it? (Only platform External.)
   */
  readonly ownCloudController: boolean;
  /** Networks of the pods' addresses: "10.128.0.0/14". */
  readonly podNetworks: readonly string[];
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
 * Lists the obstacles to a launch before a machine exists.
 * @returns findings of the doctor; `/win add` continues if none of them is broken
 */
export function launchObstacles(facts: LaunchFacts, { cluster }: Pick<Configuration, "cluster">): Finding[] {
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
