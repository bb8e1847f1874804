import type { V1Node, V1PersistentVolume, V1PersistentVolumeClaim, V1Pod } from "@kubernetes/client-node";
import { matchesAnyTerm } from "./node-matches.ts";

const keyOf = (namespace: string, claim: string): string => `${namespace}/${claim}`;

/**
 * Builds the check whether a pod's volumes allow a node. A bound volume names the nodes to which it can be attached in
 * its node affinity (for EBS, those of its zone). A claim that is unbound or unknown allows every node.
 */
export function volumesAllow(
  claims: readonly V1PersistentVolumeClaim[],
  volumes: readonly V1PersistentVolume[],
): (pod: V1Pod, node: V1Node) => boolean {
  const byName = new Map(volumes.map((volume) => [volume.metadata?.name, volume]));
  const volumeOf = new Map(
    claims.map(({ metadata, spec }) => [
      keyOf(metadata?.namespace ?? "", metadata?.name ?? ""),
      byName.get(spec?.volumeName),
    ]),
  );
  return ({ metadata, spec }, node) =>
    (spec?.volumes ?? []).every(({ persistentVolumeClaim: claim }) => {
      const volume = claim && volumeOf.get(keyOf(metadata?.namespace ?? "", claim.claimName));
      return matchesAnyTerm(node, volume?.spec?.nodeAffinity?.required?.nodeSelectorTerms);
    });
}
