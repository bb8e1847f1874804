import { at, listOf } from "../model/object.ts";
import { known } from "../model/resources.ts";
import type { Node, Pod, Volume, VolumeAttachment } from "../model/shapes.ts";
import type { Objects } from "../store/objects.ts";
import { satisfies } from "./fit.ts";

/** The type of claims. */
export const claims = known("persistentvolumeclaims");
const volumes = known("persistentvolumes");

/** The type of VolumeAttachments. */
export const attachments = known("volumeattachments", "storage.k8s.io");

/** The name under which a node's status lists a volume that a CSI driver serves (k8s pkg/volume/csi). */
export const uniqueName = ({ spec }: Volume): string =>
  `kubernetes.io/csi/${spec.csi?.driver}^${spec.csi?.volumeHandle}`;

const claimNames = ({ spec }: Pod): string[] =>
  listOf(spec.volumes).flatMap((one) => {
    const name = at(one, "persistentVolumeClaim", "claimName");
    return name === undefined ? [] : [String(name)];
  });

/** Lists the volumes behind a pod's claims, as far as they are bound. */
export const volumesOf = (objects: Objects, pod: Pod): Volume[] =>
  claimNames(pod).flatMap((name) => {
    const volume = at(objects.get(claims, pod.metadata.namespace, name), "spec", "volumeName");
    const found = volume === undefined ? undefined : objects.get<Volume>(volumes, undefined, String(volume));
    return found ? [found] : [];
  });

/** Says why a pod's claims keep it from every node: one is missing or not bound; undefined when all are bound. */
export function unboundClaim(objects: Objects, pod: Pod): string | undefined {
  for (const name of claimNames(pod)) {
    const claim = objects.get(claims, pod.metadata.namespace, name);
    if (!claim) return `persistentvolumeclaim "${name}" not found`;
    if (!at(claim, "spec", "volumeName")) return "pod has unbound immediate PersistentVolumeClaims";
  }
  return undefined;
}

/** May the pod's volumes be used on that node? A disk belongs to a zone. */
export const isWithinReach = (objects: Objects, pod: Pod, node: Node): boolean =>
  volumesOf(objects, pod).every((volume) =>
    satisfies(at(volume.spec.nodeAffinity, "required", "nodeSelectorTerms"), node),
  );

/** Lists the attachments to a node. */
export const attachmentsTo = (objects: Objects, node: string): VolumeAttachment[] =>
  objects.list<VolumeAttachment>(attachments).filter(({ spec }) => spec.nodeName === node);

/** Does a pod wait for one of its volumes to be attached to its node? */
export function waitsForVolume(objects: Objects, pod: Pod): boolean {
  const served = volumesOf(objects, pod).filter(({ spec }) => spec.csi);
  if (served.length === 0) return false;
  const there = attachmentsTo(objects, pod.spec.nodeName ?? "");
  return served.some(
    ({ metadata }) =>
      !there.some(
        ({ spec, status, metadata: own }) =>
          spec.source.persistentVolumeName === metadata.name && status?.attached && !own.deletionTimestamp,
      ),
  );
}
