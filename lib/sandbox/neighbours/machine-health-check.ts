import { type Cluster, type Controller, keyOf } from "../kubernetes/controllers/controller.ts";
import { nodes, osOf } from "../kubernetes/controllers/nodes.ts";
import { at, type KubeObject } from "../kubernetes/model/object.ts";
import { known } from "../kubernetes/model/resources.ts";
import { conditionOf, type Node } from "../kubernetes/model/shapes.ts";
import { idOf, install, type Neighbour, runControllers, type Services, terminate } from "./neighbour.ts";

// openshift/machine-api-operator, pkg/controller/machinehealthcheck and pkg/controller/nodelink

const machines = known("machines", "machine.openshift.io");

/** Annotation with which the nodelink controller names a Node's Machine: namespace/name. */
const MACHINE = "machine.openshift.io/machine";

const NAMESPACE = "openshift-machine-api";

/** Seconds for which a node may be unhealthy: those of the documentation's example. */
const TIMEOUT = 300;

/** Milliseconds until a paused check is looked at again (assumed). */
const LOOK_AGAIN_MS = 60_000;

const check = {
  apiVersion: "machine.openshift.io/v1beta1",
  kind: "MachineHealthCheck",
  metadata: { name: "windows", namespace: NAMESPACE },
  spec: {
    selector: { matchLabels: { "machine.openshift.io/os-id": "Windows" } },
    unhealthyConditions: ["Unknown", "False"].map((status) => ({ type: "Ready", status, timeout: `${TIMEOUT}s` })),
    maxUnhealthy: "40%",
    nodeStartupTimeout: "25m",
  },
} as unknown as KubeObject;

const checks = known("machinehealthchecks", "machine.openshift.io");

/** A paused check remediates nothing; the annotation's value does not matter (updating guide, "Pausing a MachineHealthCheck resource"). */
const PAUSED = "cluster.x-k8s.io/paused";

function healthCheck(services: Services, cluster: Cluster): Controller {
  const { simulation, objects } = cluster;
  const machineOf = (node: Node): KubeObject | undefined =>
    objects.list(machines).find((one) => at(one, "spec", "providerID") === node.spec.providerID);

  /** Names the Node's Machine on the Node, and the Node in the Machine's status. */
  const link = (node: Node, machine: KubeObject): void => {
    const annotations = { ...node.metadata.annotations, [MACHINE]: `${NAMESPACE}/${machine.metadata.name}` };
    objects.replace<Node>(nodes, { ...node, metadata: { ...node.metadata, annotations } });
    const nodeRef = { kind: "Node", name: node.metadata.name, uid: node.metadata.uid };
    objects.replace(machines, { ...machine, status: { ...(machine.status as object), nodeRef, phase: "Running" } });
  };

  /** Deletes the Machine of a node that has been unhealthy for too long; returns the time at which that is so. */
  const judge = (node: Node, machine: KubeObject): number | undefined => {
    const ready = conditionOf(node.status?.conditions, "Ready");
    if (!ready || ready.status === "True") return undefined;
    const due = Date.parse(ready.lastTransitionTime ?? "") + TIMEOUT * 1_000;
    if (simulation.clock.now() < due) return due;
    const paused = objects.get(checks, NAMESPACE, check.metadata.name)?.metadata.annotations ?? {};
    if (PAUSED in paused) return simulation.clock.now() + LOOK_AGAIN_MS;
    cluster.registry.remove({ type: machines, ...keyOf(machine) });
    void simulation.busy(terminate(services, idOf(node)));
    return undefined;
  };

  return {
    name: "machine-health-check",
    type: nodes,
    reconcile: ({ name }) => {
      const node = objects.get<Node>(nodes, undefined, name);
      const machine = node && osOf(node) === "windows" ? machineOf(node) : undefined;
      if (!node || !machine) return undefined;
      link(node, machine);
      return judge(node, machine);
    },
  };
}

/** A MachineHealthCheck over the Windows Machines: a node that is not Ready for five minutes loses its Machine. */
export const machineHealthCheck: Neighbour = {
  name: "machine-health-check",
  sentence:
    "A MachineHealthCheck deletes the Machine and the instance of a Windows node that has not been Ready for five minutes.",
  start: (services) => {
    install(services, [{ apiVersion: "v1", kind: "Namespace", metadata: { name: NAMESPACE } } as KubeObject, check]);
    runControllers(services, (cluster) => [healthCheck(services, cluster)]);
  },
};
