import type { AutoScaling } from "../aws/auto-scaling.ts";
import type { Ec2 } from "../aws/ec2/ec2.ts";
import type { InstanceRecord } from "../aws/ec2/records.ts";
import type { Kubernetes } from "../kubernetes/api.ts";
import { type Cluster, type Controller, keyOf, run } from "../kubernetes/controllers/controller.ts";
import { at, type KubeObject } from "../kubernetes/model/object.ts";
import { known, typeOfKind } from "../kubernetes/model/resources.ts";

/** The simulated services that a neighbour works with. */
export interface Services {
  readonly kubernetes: Kubernetes;
  readonly ec2: Ec2;
  readonly scaling: AutoScaling;
}

/** A program or a person that works in the same cluster and account as Casement: `npm start -- --with NAME`. */
export interface Neighbour {
  /** Name that --with takes, in lower case with hyphens. */
  readonly name: string;
  /** One sentence: what it does to the cluster. */
  readonly sentence: string;
  /**
   * Starts it. Called once in every process, when the cluster has its nodes: it installs what is missing, and then
   * processes everything that is stored.
   */
  readonly start: (services: Services) => void;
}

/** Creates a neighbour's objects, except those that exist already. */
export function install({ kubernetes }: Services, objects: readonly KubeObject[]): void {
  for (const object of objects) if (!isStored(kubernetes, object)) kubernetes.create(object);
}

function isStored({ cluster }: Kubernetes, { apiVersion, kind, metadata }: KubeObject): boolean {
  const type = typeOfKind(apiVersion, kind);
  return type !== undefined && cluster.objects.get(type, metadata.namespace, metadata.name) !== undefined;
}

/** Runs a neighbour's controllers beside the simulator's, starting with everything that is stored. */
export function runControllers(
  { kubernetes: { cluster } }: Services,
  controllers: (cluster: Cluster) => readonly Controller[],
): void {
  run(cluster.simulation, cluster.objects, controllers(cluster))();
}

const machines = known("machines", "machine.openshift.io");

/** Id of the instance that a Node or a Machine names in its `providerID`; "" without one. */
export const idOf = (object: KubeObject): string =>
  String(at(object, "spec", "providerID") ?? "")
    .split("/")
    .at(-1) ?? "";

/**
 * Gives the MachineSet's Windows instances to another owner: they get its tags, and their Machines are gone.
 * @returns the instances' ids
 */
export function takeFromMachineSet(
  { kubernetes: { cluster } }: Services,
  tags: Readonly<Record<string, string>>,
): readonly string[] {
  const instances = cluster.simulation.store.collection<InstanceRecord>("ec2-instances");
  return cluster.objects.list(machines).flatMap((machine) => {
    const id = idOf(machine);
    const instance = instances.get(id);
    if (!instance) return [];
    instances.set(id, { ...instance, tags: { ...instance.tags, ...tags } });
    cluster.registry.remove({ type: machines, ...keyOf(machine) });
    return [id];
  });
}

const owner = { principal: "owner", require: () => undefined };

/** Terminates an instance as its owner does. */
export async function terminate({ ec2 }: Services, instanceId: string): Promise<void> {
  const body = Buffer.from(`Action=TerminateInstances&Version=2016-11-15&InstanceId.1=${instanceId}`);
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  await ec2.service.answer("TerminateInstances", { method: "POST", url: "/", headers, body }, owner);
}
