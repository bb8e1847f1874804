import { isIP } from "node:net";
import { ApiException, type CoreV1Event, type V1Node, type V1Pod } from "@kubernetes/client-node";
import type { Kubernetes } from "../clients/kubernetes.ts";
import { ACCOUNT_NAMESPACE } from "../cluster/accounts.ts";
import type { ProbeEvent, ProbeState } from "../health/probe.ts";
import { NOBODY, type ProbePod } from "../health/probe-pods.ts";
import { ifPresent, isAbsent } from "./client-errors.ts";
import { isControlPlane, isReady, isWindows } from "./cluster/node-facts.ts";

/** Annotation of a namespace to whose pods OpenShift assigns a user id; it rejects any other id. */
const UID_RANGE = "openshift.io/sa.scc.uid-range";

/** Number of characters of the cluster's words that are kept. */
const MOST_WORDS = 240;

/** Joins a reason with the cluster's message about it. */
const told = (reason = "", message = ""): string =>
  [reason, message].filter(Boolean).join(": ").replaceAll(/\s+/g, " ").slice(0, MOST_WORDS);

/**
 * Describes a pod that ended without a message of a container, such as one that its kubelet rejected (k8s
 * pkg/kubelet/kubelet.go, rejectPod).
 */
function endOf({ phase, reason, message }: NonNullable<V1Pod["status"]>): string {
  const isOver = phase === "Failed" || phase === "Succeeded";
  return isOver || reason ? told(reason ?? phase, message) : "";
}

const stateOf = ({ status = {} }: V1Pod): ProbeState => {
  const [container] = status.containerStatuses ?? [];
  const { terminated, waiting } = container?.state ?? {};
  return {
    exitCode: terminated?.exitCode ?? null,
    address: status.podIP && isIP(status.podIP) ? status.podIP : null,
    waiting: told(waiting?.reason, waiting?.message),
    ended: terminated && !status.reason ? "" : endOf(status),
  };
};

/** Longest message of an Event (k8s pkg/apis/core/validation, NoteLengthLimit): a registry's error ends with its cause. */
const MOST_OF_EVENT = 1_024;

const eventOf = ({ reason = "", message = "", lastTimestamp, eventTime, metadata }: CoreV1Event): ProbeEvent => ({
  reason,
  message: message.replaceAll(/\s+/g, " ").slice(0, MOST_OF_EVENT),
  at: new Date(lastTimestamp ?? eventTime ?? metadata.creationTimestamp ?? 0).toISOString(),
});

/** The part of a step's context that probes need; `npm run acceptance` has an administrator's client in its place. */
interface ProbeContext {
  readonly clients: { readonly kubernetes: Pick<Kubernetes, "core"> };
}

/**
 * Creates, reads and deletes the pods that test a node's data plane, the only pods that Casement creates or deletes.
 */
export const probes = ({ clients }: ProbeContext) => {
  const { core } = clients.kubernetes;
  const at = (name: string) => ({ name, namespace: ACCOUNT_NAMESPACE });
  return {
    /** Creates a probe's pod. If a pod of the same name exists, it is the same one. */
    start: async (pod: ProbePod): Promise<void> => {
      try {
        await core.createNamespacedPod({ namespace: pod.metadata.namespace, body: pod as unknown as V1Pod });
      } catch (error) {
        if (!(error instanceof ApiException && error.code === 409)) throw error;
      }
    },

    /** Reads the state of a probe's pod; null if the pod does not exist. */
    state: async (name: string): Promise<ProbeState | null> => {
      const pod = await ifPresent(core.readNamespacedPod(at(name)));
      return pod ? stateOf(pod) : null;
    },

    /** Reads the Events about a probe's pod; null if the manifest of an older release does not allow it. */
    events: async (name: string): Promise<readonly ProbeEvent[] | null> => {
      try {
        const of = `involvedObject.kind=Pod,involvedObject.name=${name}`;
        const { items } = await core.listNamespacedEvent({ namespace: ACCOUNT_NAMESPACE, fieldSelector: of });
        return items.map(eventOf);
      } catch (error) {
        if (error instanceof ApiException && error.code === 403) return null;
        throw error;
      }
    },

    /** Finds the user id for a pod on Linux; null if the cluster assigns one itself. */
    user: async (): Promise<number | null> => {
      const { metadata } = await core.readNamespace({ name: ACCOUNT_NAMESPACE });
      return metadata?.annotations?.[UID_RANGE] ? null : NOBODY;
    },

    /** Deletes a probe's pod; does nothing if it does not exist. */
    remove: async (name: string): Promise<void> => {
      try {
        await core.deleteNamespacedPod(at(name));
      } catch (error) {
        if (!isAbsent(error)) throw error;
      }
    },

    /**
     * Chooses the node from which a probe is reached: a Ready Linux worker, else another Ready Linux node; null if there is
     * none.
     * @param attempt counted from 1: each takes another node, so that one faulty Linux node makes no Windows node fail
     */
    origin: (nodes: readonly V1Node[], attempt = 1): string | null => {
      const linux = nodes.filter((node) => !isWindows(node) && isReady(node) && node.spec?.unschedulable !== true);
      const workers = linux.filter((node) => !isControlPlane(node));
      const candidates = workers.length > 1 ? workers : [...workers, ...linux.filter(isControlPlane)];
      return candidates[(attempt - 1) % candidates.length]?.metadata?.name ?? null;
    },
  };
};
