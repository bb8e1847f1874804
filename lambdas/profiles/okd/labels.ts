import { POOL_LABEL } from "../../cluster/node-keys.ts";
import type { MachineSpec } from "../machine-facts.ts";

// Kubernetes documentation, "Labels and Selectors": an optional DNS prefix, then a name of at most 63 characters.
const KEY = /^([a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?\/)?[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$/;
const VALUE = /^([A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?)?$/;

// Kubernetes documentation, "Using Node Authorization": a kubelet may set only a few labels of these two domains itself.
const RESERVED = /(^|\.)(kubernetes|k8s)\.io\//;

/**
 * Lists every label of the finished Node that the kubelet does not set automatically.
 * @throws Error if a label of the pool is no valid Kubernetes label: a command line could break it
 */
export function nodeLabels({ poolName, pool }: Pick<MachineSpec, "poolName" | "pool">): Record<string, string> {
  const wrong = Object.entries(pool.labels).filter(([key, value]) => !KEY.test(key) || !VALUE.test(value));
  if (wrong.length > 0)
    throw new Error(
      `Pool ${poolName} has labels that Kubernetes does not take: ${wrong.map(([key]) => key).join(", ")}`,
    );
  return {
    ...pool.labels,
    [POOL_LABEL]: poolName,
    "node.openshift.io/os_id": "Windows",
    "node-role.kubernetes.io/worker": "",
  };
}

/** Lists the labels with which the kubelet registers its Node, "a=b,c=d"; Casement sets the reserved ones. */
export const selfLabels = (facts: Pick<MachineSpec, "poolName" | "pool">): string =>
  Object.entries(nodeLabels(facts))
    .filter(([key]) => !RESERVED.test(key))
    .map(([key, value]) => `${key}=${value}`)
    .toSorted()
    .join(",");
