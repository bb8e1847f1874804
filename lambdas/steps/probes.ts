import { ApiException, type V1Node, type V1Pod } from "@kubernetes/client-node";
import { ACCOUNT_NAMESPACE } from "../desired/accounts.ts";
import type { ProbePod, ProbeState } from "../desired/probe.ts";
import { ifPresent, isAbsent } from "./client-errors.ts";
import { isReady, isWindows, labelsOf } from "./cluster/node-facts.ts";
import type { StepContext } from "./context.ts";

const stateOf = ({ status }: V1Pod): ProbeState => {
  const [container] = status?.containerStatuses ?? [];
  return {
    exitCode: container?.state?.terminated?.exitCode ?? null,
    address: status?.podIP ?? null,
    waiting: container?.state?.waiting?.reason ?? "",
  };
};

const isControlPlane = (node: V1Node): boolean =>
  Object.keys(labelsOf(node)).some((key) => /^node-role\.kubernetes\.io\/(control-plane|master)$/.test(key));

/** Pods that try a node's data plane: the only ones that Casement makes and deletes. */
export const probes = (context: StepContext) => {
  const { core } = context.clients.kubernetes;
  const at = (name: string) => ({ name, namespace: ACCOUNT_NAMESPACE });
  return {
    /** Makes a probe's pod; one of the same name that is there already is the same one. */
    start: async (pod: ProbePod): Promise<void> => {
      try {
        await core.createNamespacedPod({ namespace: pod.metadata.namespace, body: pod as unknown as V1Pod });
      } catch (error) {
        if (!(error instanceof ApiException && error.code === 409)) throw error;
      }
    },

    /** Reads a probe's pod; null when it is gone. */
    state: async (name: string): Promise<ProbeState | null> => {
      const pod = await ifPresent(core.readNamespacedPod(at(name)));
      return pod ? stateOf(pod) : null;
    },

    /** Deletes a probe's pod; gone already is fine. */
    remove: async (name: string): Promise<void> => {
      try {
        await core.deleteNamespacedPod(at(name));
      } catch (error) {
        if (!isAbsent(error)) throw error;
      }
    },

    /** Chooses the node to reach a probe from: a Ready Linux worker; null where there is none. */
    origin: (nodes: readonly V1Node[]): string | null => {
      const linux = nodes.filter((node) => !isWindows(node) && isReady(node) && node.spec?.unschedulable !== true);
      const [chosen] = [...linux.filter((node) => !isControlPlane(node)), ...linux];
      return chosen?.metadata?.name ?? null;
    },
  };
};
