import type { Node } from "../model/shapes.ts";
import type { Cluster, Controller } from "./controller.ts";
import { nodes, osOf } from "./nodes.ts";

/** The annotation that hybrid-overlay-node on the machine waits for (ovn-kubernetes go-hybrid-overlay/pkg/types). */
const SUBNET = "k8s.ovn.org/hybrid-overlay-node-subnet";

/** Milliseconds that OVN's control plane takes to assign a subnet (assumed). */
const GIVING = 2_000;

/** Prefix length of each node's subnet: hostPrefix 23 of hybridClusterNetwork in the OKD documentation. */
const HOST_PREFIX = 23;

const numberOf = (address: string): number => address.split(".").reduce((sum, part) => sum * 256 + Number(part), 0);

const addressOf = (number: number): string =>
  [24, 16, 8, 0].map((shift) => Math.floor(number / 2 ** shift) % 256).join(".");

/** Lists the subnets of the hybrid network, in order. */
function* subnetsOf(network: string): Generator<string> {
  const [base = "", prefix = "0"] = network.split("/");
  const count = 2 ** (HOST_PREFIX - Number(prefix));
  for (let index = 0; index < count; index += 1)
    yield `${addressOf(numberOf(base) + index * 2 ** (32 - HOST_PREFIX))}/${HOST_PREFIX}`;
}

/** OVN's control plane: assigns each Windows node a subnet of the hybrid network, and releases it with the node. */
export function hybridOverlay({ simulation, objects, hybridNetwork }: Cluster): Controller {
  const free = (): string | undefined => {
    const taken = new Set(objects.list<Node>(nodes).map(({ metadata }) => metadata.annotations?.[SUBNET]));
    return [...subnetsOf(hybridNetwork)].find((subnet) => !taken.has(subnet));
  };
  return {
    name: "hybrid-overlay",
    type: nodes,
    reconcile: ({ name }) => {
      const node = objects.get<Node>(nodes, undefined, name);
      if (!node || osOf(node) !== "windows" || node.metadata.annotations?.[SUBNET]) return undefined;
      const due = Date.parse(node.metadata.creationTimestamp) + GIVING;
      if (simulation.clock.now() < due) return due;
      const subnet = free();
      if (!subnet) return undefined;
      const annotations = { ...node.metadata.annotations, [SUBNET]: subnet };
      objects.replace<Node>(nodes, { ...node, metadata: { ...node.metadata, annotations } });
      return undefined;
    },
  };
}
