import type { V1Node, V1PersistentVolume, V1PersistentVolumeClaim, V1Pod } from "@kubernetes/client-node";
import { matchesAnyTerm } from "./node-matches.ts";

const keyOf = (namespace: string, claim: string): string => `${namespace}/${claim}`;

/**
 * Tells whether a pod's volumes can follow it to a node: a bound volume says by its node affinity where it can be
 * attached (for EBS, its zone). A claim that is not bound yet, or not known, follows everywhere.
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
