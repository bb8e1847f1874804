import { z } from "zod";
import type { Configuration } from "../../configuration/configuration.ts";
import { addressIn } from "../../machine/network-address.ts";
import type { Finding } from "../../messages/doctor/finding.ts";
import type { Profile } from "../profile.ts";
import { STANDARD_OVERLAY_PORT } from "./ports.ts";

/** The kubelet's default on OKD (machine-config-operator, templates/worker, kubelet.yaml). */
export const PODS_PER_NODE = 250;

/** The address of the cluster's DNS Service: as configured, else the tenth of the service network (OKD's dns-operator). */
export const dnsAddress = (cluster: Pick<Configuration["cluster"], "serviceNetwork" | "dnsAddress">): string =>
  cluster.dnsAddress ?? addressIn(cluster.serviceNetwork, 10);

/** The cluster network operator's own configuration. */
const networkSchema = z.object({
  spec: z.object({
    serviceNetwork: z.array(z.string()).default([]),
    defaultNetwork: z.object({
      type: z.string(),
      ovnKubernetesConfig: z
        .object({
          hybridOverlayConfig: z
            .object({ hybridClusterNetwork: z.array(z.unknown()), hybridOverlayVXLANPort: z.number().optional() })
            .optional(),
        })
        .optional(),
    }),
  }),
});

/**
 * Compares the cluster's network with the configuration: with another port or service network, Windows nodes would be
 * Ready without reaching any pod.
 * @param found the object networks.operator.openshift.io/cluster
 * @throws ZodError if it is another object
 */
function findings(found: unknown, { cluster }: Pick<Configuration, "cluster">): Finding[] {
  const { serviceNetwork, defaultNetwork } = networkSchema.parse(found).spec;
  const overlay = defaultNetwork.ovnKubernetesConfig?.hybridOverlayConfig;
  if (defaultNetwork.type !== "OVNKubernetes" || !overlay || overlay.hybridClusterNetwork.length === 0)
    return [{ kind: "no-hybrid-network", network: defaultNetwork.type }];
  const port = overlay.hybridOverlayVXLANPort ?? STANDARD_OVERLAY_PORT;
  const pairs = [
    ["the overlay's port", String(port), String(cluster.hybridOverlayPort)],
    ...serviceNetwork.slice(0, 1).map((range) => ["the service network", range, cluster.serviceNetwork] as const),
  ] as const;
  return pairs
    .filter(([, theirs, ours]) => theirs !== ours)
    .map(([what, theirs, ours]) => ({ kind: "network-differs", what, cluster: theirs, configured: ours }));
}

/** OVN-Kubernetes with its hybrid overlay, which gives Windows nodes their networks. */
export const network: Profile["network"] = {
  object: { group: "operator.openshift.io", version: "v1", plural: "networks", name: "cluster" },
  findings,
  podsPerNode: PODS_PER_NODE,
  dns: { namespace: "openshift-dns", name: "dns-default", address: dnsAddress },
  before: [
    {
      name: "the Node has a subnet",
      annotation: "k8s.ovn.org/hybrid-overlay-node-subnet",
      waitsFor: "the network operator to give the Node a subnet",
      code: "subnet-missing",
    },
  ],
  after: [
    {
      name: "the overlay has announced itself",
      annotation: "k8s.ovn.org/hybrid-overlay-distributed-router-gateway-mac",
      waitsFor: "the hybrid overlay to announce its gateway",
      code: "gateway-missing",
    },
  ],
};
