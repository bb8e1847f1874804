import type { Finding } from "../doctor/finding.ts";
import { broken, type Words, warning } from "../doctor/finding-words.ts";
import { code, some } from "../slack/text.ts";

type Obstacle = Extract<Finding, { kind: "no-cloud-controller" | "reserved-network" | "beside-wmco" }>;

const MOST_NODES = 4;

/** Says what happens to WMCO's nodes beside nodes of another. */
function besideWmco({ nodes, meant }: Extract<Obstacle, { kind: "beside-wmco" }>): Words {
  const theirs = nodes.length > 0 ? ` (${some(nodes.map(code), MOST_NODES)})` : "";
  const says = `the Windows Machine Config Operator is at work in this cluster: it stops at the first Windows node that it did not set up, so from a node of mine on its own nodes${theirs} are no longer maintained (registry mirrors, authorities, certificates), and OLM cannot upgrade the operator`;
  return meant
    ? warning(
        "Cluster",
        says,
        "it is meant, by `cluster.besideWmco`; to end it, let one of the two have all Windows nodes",
      )
    : broken(
        "Cluster",
        says,
        "let one of the two have all Windows nodes; only if that is meant, write `besideWmco: true` under `cluster` in the configuration and deploy it",
      );
}

/** Words of what stands against a launch. */
export const ofObstacles: { readonly [K in Obstacle["kind"]]: (of: Extract<Finding, { kind: K }>) => Words } = {
  "no-cloud-controller": ({ platform }) =>
    broken(
      "Cluster",
      `the cluster was installed on platform ${code(platform)}, without a cloud controller: nothing would initialise a Node on EC2, and no pod could ever come to it`,
      "use a cluster that was installed on AWS",
    ),
  "reserved-network": ({ network }) =>
    broken(
      "Cluster",
      `pods have their addresses from ${code(network)}, which is in 240.0.0.0/4: Windows accepts no such address`,
      "give OVN-Kubernetes another hybrid cluster network (OKD documentation, “Configuring hybrid networking”); a cluster network cannot be changed",
    ),
  "beside-wmco": besideWmco,
};

/**
 * Explains why an `add` is refused before anything is launched.
 * @returns one sentence with the next step; undefined when nothing stands against it
 */
export function refusedLaunch(obstacles: readonly Finding[]): string | undefined {
  const words = (obstacles as readonly Obstacle[]).map((obstacle) =>
    (ofObstacles[obstacle.kind] as (of: Obstacle) => Words)(obstacle),
  );
  const against = words.filter(({ level }) => level === "broken");
  return against.length === 0 ? undefined : against.map(({ says, remedy }) => `${says}. Next: ${remedy}`).join("; ");
}
