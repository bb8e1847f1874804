import { createHash } from "node:crypto";
import { known } from "../model/resources.ts";
import { isFinished, isTrue, type Node, type Pod, type Volume, type VolumeAttachment } from "../model/shapes.ts";
import type { Cluster, Controller } from "./controller.ts";
import { keyOf } from "./controller.ts";
import { isKubeletAlive, nodes, OUT_OF_SERVICE, pods, podsOn } from "./nodes.ts";
import { attachments, attachmentsTo, uniqueName, volumesOf } from "./volumes.ts";

// k8s pkg/controller/volume/attachdetach/reconciler, and the drivers' external attachers

/** Milliseconds that EBS takes to attach a volume, and to detach it (assumed). */
const ATTACHING = 2_000;
const DETACHING = 3_000;

/** Milliseconds from a pod's end until its kubelet no longer lists the volume as in use (assumed). */
const UNMOUNTING = 1_000;

/**
 * Milliseconds for which the volume of a dead node is left alone while it is listed as in use
 * (maxWaitForUnmountDuration; 360.2 s were measured).
 */
const UNMOUNT_AWAITED = 6 * 60_000;

const FINALIZER = "external-attacher/ebs-csi-aws-com";

const volumes = known("persistentvolumes");

/** The next time that a node's volumes are due, if any. */
type Due = number | undefined;
const sooner = (...times: readonly Due[]): Due => {
  const known = times.filter((time) => time !== undefined);
  return known.length > 0 ? Math.min(...known) : undefined;
};

const isOutOfService = ({ spec }: Node): boolean => (spec.taints ?? []).some(({ key }) => key === OUT_OF_SERVICE);

/** Names an attachment (k8s pkg/volume/csi getAttachmentName). */
const nameOf = ({ spec }: Volume, node: string): string => {
  const about = `${spec.csi?.volumeHandle}${spec.csi?.driver}${node}`;
  return `csi-${createHash("sha256").update(about).digest("hex")}`;
};

/** Lists the volumes that the unfinished pods of a node use. */
const wantedOn = (cluster: Cluster, node: string): Volume[] =>
  podsOn(cluster, node)
    .filter((pod) => !isFinished(pod))
    .flatMap((pod) => volumesOf(cluster.objects, pod))
    .filter(({ spec }) => spec.csi);

/** Remembers since when something is so; `false` forgets it. */
function sinceWhen(now: () => number): (key: string, isSo: boolean) => number {
  const known = new Map<string, number>();
  return (key, isSo) => {
    if (!isSo) known.delete(key);
    else if (!known.has(key)) known.set(key, now());
    return known.get(key) ?? now();
  };
}

/**
 * The kubelets' part: a volume is listed as in use from before its attachment until its pod has ended and it is
 * unmounted. A dead kubelet changes nothing.
 */
export function volumesInUse(cluster: Cluster): Controller {
  const { simulation, objects } = cluster;
  const now = (): number => simulation.clock.now();
  const unusedSince = sinceWhen(now);
  return {
    name: "volumes-in-use",
    type: nodes,
    concerns: ({ type, object }) => (type === pods ? keysOf((object as Pod).spec.nodeName) : []),
    reconcile: ({ name }) => {
      const node = objects.get<Node>(nodes, undefined, name);
      if (!node || !isKubeletAlive(cluster, node)) return undefined;
      const wanted = new Set(wantedOn(cluster, name).map(uniqueName));
      const listed = node.status?.volumesInUse ?? [];
      const ends = listed.map((one) => ({ one, at: unusedSince(`${name} ${one}`, !wanted.has(one)) + UNMOUNTING }));
      const unmounting = ends.filter(({ one, at }) => !wanted.has(one) && at > now());
      const left = [
        ...new Set([...listed.filter((one) => unmounting.some((end) => end.one === one)), ...wanted]),
      ].sort();
      if (left.join() !== [...listed].sort().join())
        objects.replace<Node>(nodes, { ...node, status: { ...node.status, volumesInUse: left } });
      return sooner(...unmounting.map(({ at }) => at));
    },
  };
}

const keysOf = (node: string | undefined) => (node ? [{ namespace: undefined, name: node }] : []);

/** Stores a new attachment; a volume that is still attached to another node is told to the pods that wait for it. */
function attach({ objects, record }: Cluster, volume: Volume, node: string): void {
  const pv = volume.metadata.name;
  const present = objects.list<VolumeAttachment>(attachments);
  if (present.some(({ spec }) => spec.source.persistentVolumeName === pv && spec.nodeName !== node)) {
    const message = `Multi-Attach error for volume "${pv}" Volume is already exclusively attached to one node and can't be attached to another`;
    const waiting = podsOn({ objects }, node).filter((pod) =>
      volumesOf(objects, pod).some(({ metadata }) => metadata.name === pv),
    );
    for (const about of waiting)
      record({ component: "attachdetach-controller", about, type: "Warning", reason: "FailedAttachVolume", message });
    return;
  }
  const metadata = { name: nameOf(volume, node), finalizers: [FINALIZER] };
  const spec = { attacher: volume.spec.csi?.driver ?? "", nodeName: node, source: { persistentVolumeName: pv } };
  const kind = { apiVersion: "storage.k8s.io/v1", kind: "VolumeAttachment" };
  objects.create(attachments, { ...kind, metadata, spec, status: { attached: false } });
}

/** Builds the function that completes attachments; it returns the time at which one is complete. */
function attaching({ objects, simulation }: Cluster): (one: VolumeAttachment) => Due {
  const since = sinceWhen(() => simulation.clock.now());
  return (one) => {
    const isUnder = !one.status?.attached && !one.metadata.deletionTimestamp;
    const due = since(one.metadata.name, isUnder) + ATTACHING;
    if (!isUnder) return undefined;
    if (simulation.clock.now() < due) return due;
    objects.replace<VolumeAttachment>(attachments, { ...one, status: { attached: true } });
    return undefined;
  };
}

/** Decides since when attachments are unwanted, and detaches them. */
interface Detaching {
  wanted(one: VolumeAttachment): void;
  /** Detaches an attachment whose volume no pod of the node uses; returns the time of the next call, if one is due. */
  unwanted(one: VolumeAttachment, node: Node | undefined): Due;
}

function detaching({ objects, registry, simulation }: Cluster): Detaching {
  const now = (): number => simulation.clock.now();
  const [unwantedSince, leavingSince] = [sinceWhen(now), sinceWhen(now)];

  /** The time from which a volume may be detached: a kubelet that is alive must unmount it first. */
  const from = (one: VolumeAttachment, node: Node | undefined, since: number): Due => {
    const volume = objects.get<Volume>(volumes, undefined, one.spec.source.persistentVolumeName);
    const isInUse = volume && node?.status?.volumesInUse?.includes(uniqueName(volume));
    if (node && (!isInUse || isOutOfService(node))) return now();
    return node && isTrue(node.status?.conditions, "Ready") ? undefined : since + UNMOUNT_AWAITED;
  };

  const finish = (one: VolumeAttachment): Due => {
    const { name } = one.metadata;
    const due = leavingSince(name, true) + DETACHING;
    if (now() < due) return due;
    leavingSince(name, false);
    unwantedSince(name, false);
    objects.remove(attachments, one);
    return undefined;
  };

  return {
    wanted: ({ metadata }) => void unwantedSince(metadata.name, false),
    unwanted: (one, node) => {
      const { name, deletionTimestamp } = one.metadata;
      if (deletionTimestamp) return finish(one);
      const due = from(one, node, unwantedSince(name, true));
      if (due === undefined || now() < due) return due;
      registry.remove({ type: attachments, namespace: undefined, name });
      return undefined;
    },
  };
}

/** Attaches the volumes of scheduled pods, and detaches what no pod of a node uses and its kubelet has unmounted. */
export function attachDetach(cluster: Cluster): Controller {
  const { objects } = cluster;
  const finishAttaching = attaching(cluster);
  const detach = detaching(cluster);

  const next = (one: VolumeAttachment, node: Node | undefined, isWanted: boolean): Due => {
    if (!isWanted || one.metadata.deletionTimestamp) return detach.unwanted(one, node);
    detach.wanted(one);
    return finishAttaching(one);
  };

  return {
    name: "attach-detach",
    type: nodes,
    concerns: ({ type, object }) => {
      if (type === pods) return keysOf((object as Pod).spec.nodeName);
      if (type !== attachments) return [];
      // A detached volume may be what a pod on another node waits for; the node's own object may be gone.
      const { nodeName } = (object as VolumeAttachment).spec;
      return [...keysOf(nodeName), ...objects.list<Node>(nodes).map(keyOf)];
    },
    reconcile: ({ name }) => {
      const node = objects.get<Node>(nodes, undefined, name);
      const wanted = wantedOn(cluster, name);
      const present = attachmentsTo(objects, name);
      const isFor = (volume: Volume, { spec }: VolumeAttachment): boolean =>
        spec.source.persistentVolumeName === volume.metadata.name;
      const missing = wanted.filter((volume) => !present.some((one) => isFor(volume, one)));
      for (const volume of node ? missing : []) attach(cluster, volume, name);
      return sooner(
        ...present.map((one) =>
          next(
            one,
            node,
            wanted.some((volume) => isFor(volume, one)),
          ),
        ),
      );
    },
  };
}
