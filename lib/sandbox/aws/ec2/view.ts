import type {
  Instance,
  InstanceMetadataOptionsResponse,
  InstanceNetworkInterface,
  Reservation,
  Volume,
} from "@aws-sdk/client-ec2";
import type { InstanceFacts } from "../../core/ports.ts";
import { gatewayOf, publicAddress, publicDnsName } from "./addresses.ts";
import {
  type Ec2Records,
  type InstanceRecord,
  type InstanceState,
  type MetadataOptions,
  type VolumeRecord,
  volumesOf,
} from "./records.ts";
import { groupsOf } from "./security-groups.ts";
import { tagList } from "./tag-rules.ts";

/** API Reference, InstanceState: the low byte of the code. */
const codes: Readonly<Record<InstanceState, number>> = {
  pending: 0,
  running: 16,
  "shutting-down": 32,
  terminated: 48,
  stopping: 64,
  stopped: 80,
};

/** Describes a state as EC2 does, with its code. */
export const describedState = (state: InstanceState): { Code: number; Name: InstanceState } => ({
  Code: codes[state],
  Name: state,
});

const namedGroups = (records: Ec2Records, ids: readonly string[]): { GroupId: string; GroupName: string }[] => {
  const known = groupsOf(records);
  return ids.map((id) => ({ GroupId: id, GroupName: known.find(({ groupId }) => groupId === id)?.name ?? id }));
};

/** A public address lasts from one start to the next stop (EC2 User Guide, "Public IPv4 addresses"). */
function publicParts(records: Ec2Records, instance: InstanceRecord): Pick<InstanceFacts, "publicIp" | "publicDnsName"> {
  if (!instance.isPublic || !["pending", "running"].includes(instance.state)) return {};
  const publicIp = publicAddress(instance.privateIp);
  return { publicIp, publicDnsName: publicDnsName(publicIp, records.account.region) };
}

/** The fault of an instance whose profile someone took away (API reference, DisassociateIamInstanceProfile). */
export const profileLost = {
  kind: "profile-lost",
  sentence: "The instance loses its instance profile, and its agent the credentials within an hour.",
  fields: { instanceId: "instance id" },
};

/** Profile of an instance; none once the fault has taken it away. */
const profileOf = ({ simulation }: Ec2Records, { instanceId, profileArn }: InstanceRecord): string | null =>
  profileArn !== null && simulation.faults.applies(profileLost.kind, { instanceId }) ? null : profileArn;

function profilePart(records: Ec2Records, instance: InstanceRecord): Pick<Instance, "IamInstanceProfile"> {
  const arn = profileOf(records, instance);
  return arn === null
    ? {}
    : { IamInstanceProfile: { Arn: arn, Id: `AIPA${instance.interfaceId.slice(-17).toUpperCase()}` } };
}

/** Describes metadata options as EC2 does. */
export const describedMetadata = (options: MetadataOptions): InstanceMetadataOptionsResponse => ({
  State: "applied",
  HttpTokens: options.tokens,
  HttpPutResponseHopLimit: options.hopLimit,
  HttpEndpoint: options.endpoint,
  HttpProtocolIpv6: "disabled",
  InstanceMetadataTags: options.tags,
});

/**
 * The fault of an instance that runs before EC2 has given it its private DNS name, which may take minutes
 * (aws/karpenter-provider-aws#1282). Here it lasts until the fault ends.
 */
export const nameLate = {
  kind: "private-name-late",
  sentence: "EC2 has not given the instance its private DNS name yet, though it runs.",
  fields: { instanceId: "instance id" },
};

/** Returns the private DNS name as EC2 describes it now. */
const givenName = ({ simulation }: Ec2Records, { instanceId, privateDnsName }: InstanceRecord): string =>
  simulation.faults.applies(nameLate.kind, { instanceId }) ? "" : privateDnsName;

const describedInterface = (records: Ec2Records, instance: InstanceRecord): InstanceNetworkInterface => ({
  NetworkInterfaceId: instance.interfaceId,
  MacAddress: instance.mac,
  PrivateIpAddress: instance.privateIp,
  PrivateDnsName: givenName(records, instance),
  PrivateIpAddresses: [
    { Primary: true, PrivateIpAddress: instance.privateIp, PrivateDnsName: givenName(records, instance) },
  ],
  SubnetId: instance.subnetId,
  VpcId: records.account.vpc.id,
  OwnerId: records.account.accountId,
  SourceDestCheck: true,
  Status: "in-use",
  InterfaceType: "interface",
  Groups: namedGroups(records, instance.groups),
  Attachment: {
    AttachmentId: instance.attachmentId,
    AttachTime: new Date(instance.launchedAt),
    DeleteOnTermination: true,
    DeviceIndex: 0,
    NetworkCardIndex: 0,
    Status: "attached",
  },
});

/**
 * Describes the parts that an instance has until it is terminated; EC2 then omits them (User Guide, "Terminate your
 * instance").
 */
const livingParts = (records: Ec2Records, instance: InstanceRecord): Partial<Instance> => ({
  SubnetId: instance.subnetId,
  VpcId: records.account.vpc.id,
  PrivateIpAddress: instance.privateIp,
  PrivateDnsName: givenName(records, instance),
  SecurityGroups: namedGroups(records, instance.groups),
  SourceDestCheck: true,
  NetworkInterfaces: [describedInterface(records, instance)],
  BlockDeviceMappings: volumesOf(records, instance.instanceId).map((volume) => ({
    DeviceName: volume.device,
    Ebs: {
      VolumeId: volume.volumeId,
      Status: "attached",
      AttachTime: new Date(volume.createdAt),
      DeleteOnTermination: volume.deleteOnTermination,
    },
  })),
  ...profilePart(records, instance),
});

/** Describes an instance as EC2 does. */
export function describedInstance(records: Ec2Records, instance: InstanceRecord): Instance {
  const terminated = instance.state === "terminated";
  const { publicIp, publicDnsName: publicName } = publicParts(records, instance);
  return {
    InstanceId: instance.instanceId,
    ImageId: instance.imageId,
    State: describedState(instance.state),
    StateTransitionReason: instance.transitionReason,
    ...(instance.stateReason
      ? { StateReason: { Code: instance.stateReason.code, Message: instance.stateReason.message } }
      : {}),
    InstanceType: instance.instanceType as NonNullable<Instance["InstanceType"]>,
    AmiLaunchIndex: instance.launchIndex,
    LaunchTime: new Date(Math.floor(instance.launchedAt / 1_000) * 1_000),
    Placement: { AvailabilityZone: instance.zone, GroupName: "", Tenancy: "default" },
    ...(instance.platform === "windows" ? { Platform: "Windows" as const } : {}),
    PlatformDetails: instance.platform === "windows" ? "Windows" : "Linux/UNIX",
    Architecture: "x86_64",
    RootDeviceName: instance.rootDevice,
    RootDeviceType: "ebs",
    VirtualizationType: "hvm",
    Hypervisor: "xen",
    EnaSupport: true,
    EbsOptimized: false,
    Monitoring: { State: "disabled" },
    ProductCodes: [],
    PublicDnsName: "",
    PrivateDnsName: "",
    ...(instance.clientToken ? { ClientToken: instance.clientToken } : {}),
    MetadataOptions: describedMetadata(instance.metadata),
    Tags: tagList(instance.tags),
    SecurityGroups: [],
    NetworkInterfaces: [],
    BlockDeviceMappings: [],
    ...(terminated ? {} : livingParts(records, instance)),
    ...(publicIp ? { PublicIpAddress: publicIp, PublicDnsName: publicName } : {}),
  };
}

/** Describes the instances of one launch, as RunInstances and DescribeInstances return them. */
export const describedReservation = (
  records: Ec2Records,
  reservationId: string,
  instances: readonly InstanceRecord[],
): Reservation => ({
  ReservationId: reservationId,
  OwnerId: records.account.accountId,
  Groups: [],
  Instances: instances.map((instance) => describedInstance(records, instance)),
});

/** Describes a volume as EC2 does. */
export const describedVolume = (volume: VolumeRecord): Volume => ({
  VolumeId: volume.volumeId,
  Size: volume.size,
  VolumeType: volume.type as NonNullable<Volume["VolumeType"]>,
  ...(volume.iops === null ? {} : { Iops: volume.iops }),
  ...(volume.throughput === null ? {} : { Throughput: volume.throughput }),
  Encrypted: volume.encrypted,
  ...(volume.snapshotId === null ? {} : { SnapshotId: volume.snapshotId }),
  AvailabilityZone: volume.zone,
  State: volume.attached ? "in-use" : "available",
  CreateTime: new Date(volume.createdAt),
  MultiAttachEnabled: false,
  Attachments: volume.attached
    ? [
        {
          VolumeId: volume.volumeId,
          InstanceId: volume.instanceId,
          Device: volume.device,
          State: "attached",
          AttachTime: new Date(volume.createdAt),
          DeleteOnTermination: volume.deleteOnTermination,
        },
      ]
    : [],
  Tags: tagList(volume.tags),
});

/** An instance as the simulator's other services see it. */
export function instanceFacts(records: Ec2Records, instance: InstanceRecord): InstanceFacts {
  const subnetCidr =
    records.account.subnets.find((subnet) => subnet.id === instance.subnetId)?.cidr ?? records.account.vpc.cidr;
  return {
    instanceId: instance.instanceId,
    state: instance.state,
    imageId: instance.imageId,
    platform: instance.platform,
    build: instance.build,
    instanceType: instance.instanceType,
    zone: instance.zone,
    privateIp: instance.privateIp,
    privateDnsName: instance.privateDnsName,
    mac: instance.mac,
    gateway: gatewayOf(subnetCidr),
    subnetCidr,
    instanceProfileArn: profileOf(records, instance),
    tags: instance.tags,
    groups: instance.groups,
    ...publicParts(records, instance),
  };
}
