import type { V1Pod, V1PodDisruptionBudget } from "@kubernetes/client-node";
import { ApiException } from "@kubernetes/client-node";
import { wordsOf } from "../client-errors.ts";
import { nodes } from "../cluster/nodes.ts";
import type { StepContext } from "../context.ts";
import { everyPage } from "../every-page.ts";
import { type DrainOptions, judgePods, type SortedPods } from "./filters.ts";
import type { VolumesLeft } from "./order.ts";
import { podOwners } from "./owners.ts";
import { claimsOf, uidOf } from "./pods.ts";
import type { DrainState } from "./schedule.ts";

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

/** Removes the answers about pods that are no longer on the node. */
export const onlyOf = (state: DrainState, pods: readonly V1Pod[]): DrainState => {
  const there = new Set(pods.map(uidOf));
  return { ...state, refused: Object.fromEntries(Object.entries(state.refused).filter(([uid]) => there.has(uid))) };
};

/** Reads everything that a drain needs: the pods of its node, their DaemonSets and Jobs, the budgets. */
export const drainReads = (context: StepContext) => {
  const { custom, policy } = context.clients.kubernetes;
  const { podsOn } = nodes(context);
  const owners = podOwners(context);

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
      const pods = await podsOn(node);
      const daemonSets = await owners.daemonSets(pods, state.daemonSets);
      const jobs = await owners.jobs(pods, state.jobs ?? {});
      const judged = judgePods(pods, options, { daemonSets, jobs: jobs.states }, context.now());
      const existing = [...daemonSets].flatMap(([key, is]) => (is === "exists" ? [key] : []));
      const stayingVolumes = judged.stay.reduce((sum, pod) => sum + claimsOf(pod), 0);
      const next = { ...onlyOf(state, judged.evict), daemonSets: existing, jobs: jobs.readAt, stayingVolumes };
      return { ...judged, at, state: next };
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
