import type { Finding } from "../doctor/finding.ts";
import { broken, type FindingText, warning } from "../doctor/finding-text.ts";
import { code, some } from "../slack/text.ts";

type Obstacle = Extract<
  Finding,
  {
    kind:
      | "no-cloud-controller"
      | "reserved-network"
      | "networks-overlap"
      | "few-addresses"
      | "dns-differs"
      | "beside-wmco";
  }
>;

const MOST_NODES = 4;

/** Explains the effect on WMCO's nodes once Casement adds Windows nodes. */
function besideWmco({ nodes, meant }: Extract<Obstacle, { kind: "beside-wmco" }>): FindingText {
  const theirs = nodes.length > 0 ? ` (${some(nodes.map(code), MOST_NODES)})` : "";
  const says = `the Windows Machine Config Operator runs in this cluster: it stops at the first Windows node that it did not configure, so once Casement adds a node, its own nodes${theirs} are no longer maintained (registry mirrors, authorities, certificates), and OLM cannot upgrade the operator`;
  return meant
    ? warning(
        "Cluster",
        says,
        "this is accepted by `cluster.besideWmco`; to end it, let one of the two manage all Windows nodes",
      )
    : broken(
        "Cluster",
        says,
        "let one of the two manage all Windows nodes; to accept this state, set `besideWmco: true` under `cluster` in the configuration and deploy",
      );
}

/** Says what else ends an overlap, where the other network need not be as it is. */
const otherwise = ({ of, cidr }: Extract<Obstacle, { kind: "networks-overlap" }>["one"]): string =>
  of === "the VPC"
    ? `if nothing in the VPC has an address of ${code(cidr)}, disassociate that range from the VPC`
    : "if `cluster.machineNetwork` in the configuration is wrong, correct it and deploy";

/** Texts of the obstacles to a launch. */
export const ofObstacles: { readonly [K in Obstacle["kind"]]: (of: Extract<Finding, { kind: K }>) => FindingText } = {
  "no-cloud-controller": ({ platform }) =>
    broken(
      "Cluster",
      `the cluster was installed on platform ${code(platform)}, without a cloud controller: a Node on EC2 would never be initialised, and no pod could be scheduled on it`,
      "use a cluster that was installed on AWS",
    ),
  "reserved-network": ({ network }) =>
    broken(
      "Cluster",
      `pods get their addresses from ${code(network)}, which is in 240.0.0.0/4: Windows does not support it`,
      "give OVN-Kubernetes another hybrid cluster network (OKD documentation, “Configuring hybrid networking”); a cluster network cannot be changed",
    ),
  "networks-overlap": ({ one, other }) =>
    broken(
      "Cluster",
      `the network of ${one.of} (${code(one.cidr)}) and that of ${other.of} (${code(other.cidr)}) share addresses: traffic to some of them would go to the wrong place`,
      `give OVN-Kubernetes a hybrid cluster network that no other network contains (OKD documentation, “Configuring hybrid networking”); ${otherwise(one)}`,
    ),
  "few-addresses": ({ network, hostPrefix, addresses, podsPerNode }) =>
    broken(
      "Cluster",
      `a Windows node gets a /${hostPrefix} of ${code(network)}, with addresses for ${addresses} pods, but its kubelet accepts ${podsPerNode}: the others would never start`,
      "give the hybrid cluster network a smaller `hostPrefix`, for example 23 (OKD documentation, “Configuring hybrid networking”)",
    ),
  "dns-differs": ({ address, expected }) =>
    broken(
      "Cluster",
      `the cluster's DNS Service has the address ${code(address)}, but Windows nodes are configured with ${code(expected)}: their pods would resolve no name`,
      `where \`cluster.serviceNetwork\` in the configuration is the cluster's, set \`cluster.dnsAddress\` to ${code(address)}; else correct \`cluster.serviceNetwork\`; then deploy`,
    ),
  "beside-wmco": besideWmco,
};

/**
 * Explains why an `add` is refused before anything is launched.
 * @returns one sentence with the next step; undefined when there is no obstacle
 */
export function refusedLaunch(obstacles: readonly Finding[]): string | undefined {
  const words = (obstacles as readonly Obstacle[]).map((obstacle) =>
    (ofObstacles[obstacle.kind] as (of: Obstacle) => FindingText)(obstacle),
  );
  const against = words.filter(({ level }) => level === "broken");
  return against.length === 0 ? undefined : against.map(({ says, remedy }) => `${says}. Next: ${remedy}`).join("; ");
}
