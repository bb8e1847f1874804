import { ApiException, type V1Pod } from "@kubernetes/client-node";
import { Retryable } from "../errors.ts";
import { bodyOf, wordsOf } from "./client-errors.ts";
import { type Lease, leases } from "./leases.ts";
import type { World } from "./world.ts";

/** What came of asking for one eviction. */
export type Evicted = { readonly state: "leaving" | "gone" } | { readonly state: "blocked"; readonly why: string };

interface StatusBody {
  readonly details?: { readonly causes?: readonly { readonly reason?: string; readonly message?: string }[] };
}

const causesOf = (error: ApiException<unknown>) =>
  (bodyOf(error) as StatusBody | null | undefined)?.details?.causes ?? [];

/** What a budget says when it blocks; without this cause a 429 only means that the API server is overloaded. */
function budgetsWords(error: ApiException<unknown>): string | undefined {
  const budget = causesOf(error).find((cause) => cause.reason === "DisruptionBudget");
  return budget && (budget.message ?? wordsOf(error));
}

/** What a refused eviction means (pkg/registry/core/pod/storage/eviction.go); anything else is thrown on. */
function refusalOf(error: unknown): Evicted {
  if (!(error instanceof ApiException)) throw error;
  if (error.code === 404 || error.code === 409) return { state: "gone" };
  // Its namespace takes nothing new, not even an eviction, and deletes the pod itself.
  if (causesOf(error).some(({ reason }) => reason === "NamespaceTerminating")) return { state: "leaving" };
  // A pod under two budgets is never evicted: the API calls that an internal error.
  if (error.code === 500) return { state: "blocked", why: wordsOf(error) };
  if (error.code !== 429) throw error;
  const why = budgetsWords(error);
  if (why === undefined) throw new Retryable("the API server asks to come back later", { cause: error });
  return { state: "blocked", why };
}

const stays = (pod: V1Pod): boolean =>
  pod.metadata?.annotations?.["kubernetes.io/config.mirror"] !== undefined ||
  (pod.metadata?.ownerReferences ?? []).some(
    (owner) => owner.controller && owner.kind === "DaemonSet" && owner.apiVersion.startsWith("apps/"),
  ) ||
  ["Succeeded", "Failed"].includes(pod.status?.phase ?? "");

/** Pods that an emptied node must not hold any more: not static, not a DaemonSet's, not finished. */
export const podsToEvict = (pods: readonly V1Pod[]): V1Pod[] => pods.filter((pod) => !stays(pod));

/** Emptying a node through the eviction API alone, so that budgets are heard and pods keep their own grace. */
export const evictions = (world: World) => ({
  /**
   * Asks for the eviction of exactly this pod (by UID: a namesake elsewhere is another pod) from the machine that is held.
   * @throws Refused when the lease is not ours any more; Retryable when the API server is overloaded
   */
  evict: async (held: Lease, pod: V1Pod): Promise<Evicted> => {
    const { name = "", namespace = "", uid = "" } = pod.metadata ?? {};
    if (pod.metadata?.deletionTimestamp) return { state: "leaving" };
    await leases(world).check(held);
    try {
      await world.clients.kubernetes.core.createNamespacedPodEviction({
        name,
        namespace,
        body: {
          apiVersion: "policy/v1",
          kind: "Eviction",
          metadata: { name, namespace },
          deleteOptions: { preconditions: { uid } },
        },
      });
      return { state: "leaving" };
    } catch (error) {
      return refusalOf(error);
    }
  },
});
