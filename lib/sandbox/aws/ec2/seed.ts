import { newId, newMac, privateDnsName } from "./addresses.ts";
import { linuxImage, newestWindows } from "./images.ts";
import { defaultMetadata } from "./metadata.ts";
import type { Ec2Records, InstanceRecord, Tags } from "./records.ts";

/** An instance that is in the demo already. */
export interface InstanceSeed {
  readonly instanceId: string;
  /** A Windows Server release, or "linux". */
  readonly system: "linux" | "2019" | "2022" | "2025";
  readonly instanceType: string;
  readonly subnetId: string;
  readonly privateIp: string;
  readonly groups: readonly string[];
  readonly profileArn: string | null;
  readonly tags: Tags;
  /** Milliseconds of sandbox time. */
  readonly launchedAt: number;
  readonly protected?: boolean;
  readonly diskGiB?: number;
}

/**
 * Puts a running instance with its root volume into the demo; announces nothing and checks no permission. Does nothing
 * when the instance exists.
 */
export function seedInstance(records: Ec2Records, seed: InstanceSeed): void {
  if (records.instances.has(seed.instanceId)) return;
  const { random, clock } = records.simulation;
  const image = (seed.system === "linux" ? undefined : newestWindows(clock.now(), seed.system)) ?? linuxImage;
  const record: InstanceRecord = {
    instanceId: seed.instanceId,
    reservationId: newId(random, "r"),
    launchIndex: 0,
    clientToken: null,
    imageId: image.imageId,
    platform: image.platform,
    build: image.build,
    rootDevice: image.rootDevice,
    instanceType: seed.instanceType,
    subnetId: seed.subnetId,
    zone: records.account.subnets.find((subnet) => subnet.id === seed.subnetId)?.zone ?? "",
    privateIp: seed.privateIp,
    privateDnsName: privateDnsName(seed.privateIp, records.account.region),
    mac: newMac(random),
    interfaceId: newId(random, "eni"),
    attachmentId: newId(random, "eni-attach"),
    interfaceTags: {},
    groups: seed.groups,
    profileArn: seed.profileArn,
    userData: null,
    shutdownBehavior: "stop",
    launchedAt: seed.launchedAt,
    state: "running",
    next: null,
    stateReason: null,
    transitionReason: "",
    visibleAt: 0,
    runningSince: seed.launchedAt,
    forgetAt: null,
    metadata: { ...defaultMetadata, tokens: "required" },
    protected: seed.protected ?? false,
    tags: seed.tags,
  };
  records.instances.set(record.instanceId, record);
  seedRoot(records, record, seed.diskGiB ?? 120, image.imageId.replace("ami-", "snap-"));
}

function seedRoot(records: Ec2Records, instance: InstanceRecord, size: number, snapshotId: string): void {
  const volumeId = newId(records.simulation.random, "vol");
  records.volumes.set(volumeId, {
    volumeId,
    instanceId: instance.instanceId,
    device: instance.rootDevice,
    zone: instance.zone,
    size,
    type: "gp3",
    iops: 3_000,
    throughput: 125,
    encrypted: true,
    keyId: null,
    snapshotId,
    deleteOnTermination: true,
    createdAt: instance.launchedAt,
    attached: true,
    tags: instance.tags,
  });
}
