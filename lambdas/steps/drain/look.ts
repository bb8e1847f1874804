import type { V1Pod, V1PodDisruptionBudget } from "@kubernetes/client-node";
import { ApiException } from "@kubernetes/client-node";
import { isAbsent, isBusy, wordsOf } from "../client-errors.ts";
import type { StepContext } from "../context.ts";
import { everyPage } from "../every-page.ts";
import { type DaemonSetState, type DrainOptions, daemonSetKey, judgePods, type SortedPods } from "./filters.ts";
import type { VolumesLeft } from "./order.ts";
import { claimsOf, isFinished } from "./pods.ts";
import { type DrainState, onlyOf } from "./schedule.ts";

/** A node's pods as just listed and judged, with the drain's state after that. */
export interface PodsSeen extends SortedPods {
  /** Milliseconds since the epoch at which the pods were listed. */
  readonly at: number;
  readonly state: DrainState;
}

/** The fields of a VolumeAttachment that are read here. */
interface Attachment {
  readonly metadata: { readonly name: string };
  readonly spec: { readonly nodeName: string; readonly source?: { readonly persistentVolumeName?: string } };
}

/** One page of a list of VolumeAttachments; the client returns custom objects unconverted. */
function attachmentsIn(list: unknown): { items: Attachment[]; metadata: { _continue?: string } } {
  const { items = [], metadata } = list as { items?: Attachment[]; metadata?: { continue?: string } };
  return { items, metadata: metadata?.continue ? { _continue: metadata.continue } : {} };
}

/** Reads everything that a drain needs: the pods of its node, their DaemonSets, the budgets. */
export const looking = (context: StepContext) => {
  const { core, custom, policy } = context.clients.kubernetes;

  /** @throws a busy server's error, which proves neither that the DaemonSet exists nor that it does not */
  const daemonSet = async (key: string): Promise<DaemonSetState> => {
    const [namespace = "", name = ""] = key.split("/");
    try {
      await custom.getNamespacedCustomObject({ group: "apps", version: "v1", plural: "daemonsets", namespace, name });
      return "exists";
    } catch (error) {
      if (isAbsent(error)) return "absent";
      if (isBusy(error)) throw error;
      return { unreadable: wordsOf(error) };
    }
  };

  /** Reads each DaemonSet once per drain; one that exists is assumed to keep existing. */
  const daemonSetsOf = async (pods: readonly V1Pod[], known: readonly string[]) => {
    const wanted = new Set(pods.flatMap((pod) => (isFinished(pod) ? [] : (daemonSetKey(pod) ?? []))));
    const states = new Map<string, DaemonSetState>(known.map((key) => [key, "exists"]));
    for (const key of wanted) if (!states.has(key)) states.set(key, await daemonSet(key));
    return states;
  };

  return {
    /**
     * Lists the volumes that are attached to a node, by the names of their PersistentVolumes.
     * @returns the API server's words if the account may not list them
     */
    attachments: async (node: string): Promise<VolumesLeft> => {
      const where = { group: "storage.k8s.io", version: "v1", plural: "volumeattachments" };
      try {
        const found = await everyPage<Attachment>(async (page) =>
          attachmentsIn(await custom.listClusterCustomObject({ ...where, ...page })),
        );
        const here = found.filter(({ spec }) => spec.nodeName === node);
        return { attached: here.map(({ spec, metadata }) => spec.source?.persistentVolumeName ?? metadata.name) };
      } catch (error) {
        if (error instanceof ApiException && (error.code === 403 || error.code === 404))
          return { unreadable: wordsOf(error) };
        throw error;
      }
    },

    /**
     * Lists the node's pods and judges each.
     * @throws a busy server's error
     */
    pods: async (node: string, options: DrainOptions, state: DrainState): Promise<PodsSeen> => {
      const at = context.now();
      const fieldSelector = `spec.nodeName=${node}`;
      const pods = await everyPage((page) => core.listPodForAllNamespaces({ fieldSelector, ...page }));
      const states = await daemonSetsOf(pods, state.daemonSets);
      const judged = judgePods(pods, options, states, context.now());
      const daemonSets = [...states].flatMap(([key, is]) => (is === "exists" ? [key] : []));
      const stayingVolumes = judged.stay.reduce((sum, pod) => sum + claimsOf(pod), 0);
      return { ...judged, at, state: { ...onlyOf(state, judged.evict), daemonSets, stayingVolumes } };
    },

    /** Lists all budgets; null if the account may not, so that only the server judges each eviction. */
    budgets: async (): Promise<V1PodDisruptionBudget[] | null> => {
      try {
        return await everyPage((page) => policy.listPodDisruptionBudgetForAllNamespaces({ ...page }));
      } catch (error) {
        if (error instanceof ApiException && error.code === 403) return null;
        throw error;
      }
    },
  };
};
