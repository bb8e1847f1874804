import type { Ec2 } from "../aws/ec2/ec2.ts";
import type { Kubernetes } from "../kubernetes/api.ts";
import { type Cluster, type Controller, run } from "../kubernetes/controllers/controller.ts";
import type { KubeObject } from "../kubernetes/model/object.ts";
import { typeOfKind } from "../kubernetes/model/resources.ts";

/** The simulated services that a neighbour works with. */
export interface Services {
  readonly kubernetes: Kubernetes;
  readonly ec2: Ec2;
}

/** A program or a person at work in the same cluster and account, beside Casement: `npm start -- --with NAME`. */
export interface Neighbour {
  /** Name that --with takes, in lower case with hyphens. */
  readonly name: string;
  /** One sentence: what it does to the cluster. */
  readonly sentence: string;
  /**
   * Lets it work from now on. Called once in every process, when the cluster has its nodes: what it installs it installs
   * unless it is there, and then it looks at everything that is stored.
   */
  readonly start: (services: Services) => void;
}

/** Stores objects that a neighbour brings along, except those that are there already. */
export function install({ kubernetes }: Services, objects: readonly KubeObject[]): void {
  for (const object of objects) if (!isStored(kubernetes, object)) kubernetes.create(object);
}

function isStored({ cluster }: Kubernetes, { apiVersion, kind, metadata }: KubeObject): boolean {
  const type = typeOfKind(apiVersion, kind);
  return type !== undefined && cluster.objects.get(type, metadata.namespace, metadata.name) !== undefined;
}

/** Lets a neighbour's control loops run beside the simulator's own, beginning with everything that is stored. */
export function runControllers(
  { kubernetes: { cluster } }: Services,
  controllers: (cluster: Cluster) => readonly Controller[],
): void {
  run(cluster.simulation, cluster.objects, controllers(cluster))();
}
