import { type Cluster, type Controller, keyOf } from "../kubernetes/controllers/controller.ts";
import { nodes, osOf } from "../kubernetes/controllers/nodes.ts";
import { at, type KubeObject, listOf, timestamp } from "../kubernetes/model/object.ts";
import { known } from "../kubernetes/model/resources.ts";
import type { Condition, Node } from "../kubernetes/model/shapes.ts";
import { install, type Neighbour, runControllers, type Services } from "./neighbour.ts";

// openshift/windows-machine-config-operator, release of August 2026.

const NAMESPACE = "openshift-windows-machine-config-operator";
const NAME = "windows-machine-config-operator";
const VERSION = "10.19.0-0be4b9cc";

/** Annotations of a node that it has set up (controllers/configmap_controller.go, pkg/metadata). */
const USERNAME = "windowsmachineconfig.openshift.io/username";
const SET_UP = {
  [USERNAME]: "encrypted",
  "windowsmachineconfig.openshift.io/version": VERSION,
  "windowsmachineconfig.openshift.io/desired-version": VERSION,
};

const conditions = known("operatorconditions", "operators.coreos.com");
const mirrors = ["imagedigestmirrorsets", "imagetagmirrorsets"].map((plural) => known(plural, "config.openshift.io"));

const container = { name: "manager", image: "quay.io/openshift/windows-machine-config-operator:10.19" };

/** Objects that the operator's installation by OLM leaves in a cluster (bundle/manifests; OLM's OperatorCondition). */
const installed = [
  { apiVersion: "v1", kind: "Namespace", metadata: { name: NAMESPACE } },
  { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "windows-instances", namespace: NAMESPACE }, data: {} },
  {
    apiVersion: "operators.coreos.com/v2",
    kind: "OperatorCondition",
    metadata: { name: NAME, namespace: NAMESPACE },
    spec: { conditions: [] },
  },
  {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: NAME, namespace: NAMESPACE, labels: { name: NAME } },
    spec: {
      replicas: 1,
      selector: { matchLabels: { name: NAME } },
      template: {
        metadata: { labels: { name: NAME } },
        spec: {
          nodeSelector: { "node-role.kubernetes.io/control-plane": "" },
          tolerations: [{ operator: "Exists" }],
          containers: [container],
        },
      },
    },
  },
] as unknown as readonly KubeObject[];

/** Delays before a failed loop runs again: controller-runtime doubles from 5 ms to 1,000 s; seconds are enough here. */
const FIRST_RETRY = 1_000;
const LAST_RETRY = 1_000_000;

/** WMCO set up the Windows nodes of MachineSets before the sandbox started. */
function adopt({ kubernetes: { cluster } }: Services): void {
  const claimed = new Set(
    cluster.objects
      .list(known("machines", "machine.openshift.io"))
      .map((machine) => String(at(machine, "spec", "providerID"))),
  );
  for (const node of cluster.objects.list<Node>(nodes)) {
    if (osOf(node) !== "windows" || !claimed.has(node.spec.providerID ?? "")) continue;
    const annotations = { ...node.metadata.annotations, ...SET_UP };
    cluster.objects.replace<Node>(nodes, { ...node, metadata: { ...node.metadata, annotations } });
  }
}

/** pkg/condition: while a loop has not ended well, OLM may not upgrade the operator. */
function setUpgradeable({ simulation, objects }: Cluster, isFree: boolean): void {
  const condition = objects.get(conditions, NAMESPACE, NAME);
  const upgradeable = {
    type: "Upgradeable",
    status: isFree ? "True" : "False",
    reason: isFree ? "upgradeIsSafe" : "upgradeIsNotSafe",
    message: isFree
      ? "The operator is safe for upgrade"
      : "The operator is currently processing sub-components. At least one controller is busy.",
    lastTransitionTime: timestamp(simulation.clock.now()),
  };
  const [before] = listOf<Condition>(at(condition, "spec", "conditions"));
  if (!condition || before?.status === upgradeable.status) return;
  objects.replace(conditions, { ...condition, spec: { conditions: [upgradeable] } });
}

/**
 * The loop that brings registry mirrors to Windows nodes (controllers/registry_controller.go; those of authorities and
 * certificates do the same): over all of them, up to the first that lacks the annotation.
 */
function registryLoop(cluster: Cluster): Controller {
  const { simulation, objects } = cluster;
  const maintained = simulation.store.collection<number>("wmco-maintained");
  let failures = 0;

  const walk = (): boolean => {
    const windows = objects.list<Node>(nodes).filter((node) => osOf(node) === "windows");
    for (const node of windows.toSorted((one, other) => one.metadata.name.localeCompare(other.metadata.name))) {
      if (!node.metadata.annotations?.[USERNAME]) return false;
      maintained.set(node.metadata.name, simulation.clock.now());
    }
    return true;
  };

  return {
    name: "wmco-registry",
    type: conditions,
    concerns: ({ type }) => (mirrors.includes(type) ? objects.list(conditions).map(keyOf) : []),
    reconcile: ({ name }) => {
      if (name !== NAME) return undefined;
      const isDone = walk();
      setUpgradeable(cluster, isDone);
      failures = isDone ? 0 : failures + 1;
      return isDone ? undefined : simulation.clock.now() + Math.min(FIRST_RETRY * 2 ** (failures - 1), LAST_RETRY);
    },
  };
}

/** The Windows Machine Config Operator. */
export const wmco: Neighbour = {
  name: "wmco",
  sentence:
    "The Windows Machine Config Operator is at work: the MachineSet's node is its own, and it maintains Windows nodes up to the first that it did not set up.",
  start: (services) => {
    install(services, installed);
    adopt(services);
    runControllers(services, (cluster) => [registryLoop(cluster)]);
  },
};
