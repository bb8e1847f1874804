import type { V1Node, V1Pod, V1RuntimeClass } from "@kubernetes/client-node";
import { lacksRight, wordsOf } from "../client-errors.ts";
import type { StepContext } from "../context.ts";
import { everyPage } from "../every-page.ts";
import type { ClusterState } from "./placement.ts";
import { volumesAllow } from "./volume-zones.ts";

/** The cluster's state as the scheduler sees it, and the parts that could not be read. */
export interface ClusterSeen {
  readonly cluster: ClusterState;
  /** Names of the parts that may not be read; they are taken to be no obstacle. */
  readonly unread: readonly string[];
}

interface Read<T> {
  readonly value: T;
  readonly unread: readonly string[];
}

/** Reads a kind of object only if a pod needs it. @throws any error but a missing right */
async function readIf<T>(isNeeded: boolean, what: string, read: () => Promise<T>, otherwise: T): Promise<Read<T>> {
  if (!isNeeded) return { value: otherwise, unread: [] };
  try {
    return { value: await read(), unread: [] };
  } catch (error) {
    if (!lacksRight(error)) throw error;
    return { value: otherwise, unread: [`${what} (${wordsOf(error)})`] };
  }
}

const claimsVolume = ({ spec }: V1Pod): boolean =>
  (spec?.volumes ?? []).some(({ persistentVolumeClaim }) => persistentVolumeClaim !== undefined);

/** Reads everything that decides where pods may go. */
export const clusterState = ({ clients }: StepContext) => {
  const { core, custom } = clients.kubernetes;

  const runtimeClasses = async (): Promise<V1RuntimeClass[]> => {
    const list = await custom.listClusterCustomObject({
      group: "node.k8s.io",
      version: "v1",
      plural: "runtimeclasses",
    });
    return (list as { items?: V1RuntimeClass[] }).items ?? [];
  };

  const volumes = async () => {
    const claims = await everyPage((page) => core.listPersistentVolumeClaimForAllNamespaces({ ...page }));
    return volumesAllow(claims, await everyPage((page) => core.listPersistentVolume({ ...page })));
  };

  /**
   * Reads the pods of the cluster, and the RuntimeClasses and volumes that the leaving pods name.
   * @throws a busy server's error
   */
  return async (leaving: readonly V1Pod[], nodes: readonly V1Node[]): Promise<ClusterSeen> => {
    const isClassed = leaving.some(({ spec }) => spec?.runtimeClassName !== undefined);
    const classes = await readIf(isClassed, "RuntimeClasses", runtimeClasses, []);
    const zones = await readIf(leaving.some(claimsVolume), "volumes", volumes, () => true);
    const pods = await everyPage((page) => core.listPodForAllNamespaces({ ...page }));
    return {
      cluster: { nodes, pods, runtimeClasses: classes.value, volumesAllow: zones.value },
      unread: [...classes.unread, ...zones.unread],
    };
  };
};
