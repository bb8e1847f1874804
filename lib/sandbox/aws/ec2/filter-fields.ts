import type { Image, Instance, SecurityGroup, Subnet, Volume, Vpc } from "@aws-sdk/client-ec2";
import type { FilterFields } from "./filters.ts";

type Values = readonly (string | undefined)[];

const textOf = (value: unknown): string => (value instanceof Date ? value.toISOString() : String(value));

/** Collects the values at a path of a description, through lists; a missing field has no value. */
function valuesAt(value: unknown, [step, ...rest]: readonly string[]): Values {
  if (value === undefined || value === null || value === "") return [];
  if (Array.isArray(value)) return value.flatMap((item) => valuesAt(item, step === undefined ? [] : [step, ...rest]));
  return step === undefined ? [textOf(value)] : valuesAt((value as Record<string, unknown>)[step], rest);
}

/** Filter → path of its value in the action's response. */
type Paths = Readonly<Record<string, string>>;

const fieldsOf = <Shape>(paths: Paths): FilterFields<Shape> =>
  Object.fromEntries(
    Object.entries(paths).map(([name, path]) => [name, (shape: Shape) => valuesAt(shape, path.split("."))]),
  );

/** EC2's filters write the platform in lower case, descriptions do not. */
const platform = ({ Platform: name }: { readonly Platform?: string | undefined }): Values => [name?.toLowerCase()];

/** API Reference, DescribeInstances, "Filters", except those of hosts, reservations of capacity and IPv6. */
export const instanceFields: FilterFields<Instance> = {
  ...fieldsOf<Instance>({
    architecture: "Architecture",
    "availability-zone": "Placement.AvailabilityZone",
    "block-device-mapping.attach-time": "BlockDeviceMappings.Ebs.AttachTime",
    "block-device-mapping.delete-on-termination": "BlockDeviceMappings.Ebs.DeleteOnTermination",
    "block-device-mapping.device-name": "BlockDeviceMappings.DeviceName",
    "block-device-mapping.status": "BlockDeviceMappings.Ebs.Status",
    "block-device-mapping.volume-id": "BlockDeviceMappings.Ebs.VolumeId",
    "client-token": "ClientToken",
    "dns-name": "PublicDnsName",
    "group-id": "SecurityGroups.GroupId",
    "group-name": "SecurityGroups.GroupName",
    hypervisor: "Hypervisor",
    "iam-instance-profile.arn": "IamInstanceProfile.Arn",
    "iam-instance-profile.id": "IamInstanceProfile.Id",
    "image-id": "ImageId",
    "instance-id": "InstanceId",
    "instance-lifecycle": "InstanceLifecycle",
    "instance-state-code": "State.Code",
    "instance-state-name": "State.Name",
    "instance-type": "InstanceType",
    "instance.group-id": "SecurityGroups.GroupId",
    "instance.group-name": "SecurityGroups.GroupName",
    "ip-address": "PublicIpAddress",
    "kernel-id": "KernelId",
    "key-name": "KeyName",
    "launch-index": "AmiLaunchIndex",
    "launch-time": "LaunchTime",
    "metadata-options.http-endpoint": "MetadataOptions.HttpEndpoint",
    "metadata-options.http-put-response-hop-limit": "MetadataOptions.HttpPutResponseHopLimit",
    "metadata-options.http-tokens": "MetadataOptions.HttpTokens",
    "metadata-options.instance-metadata-tags": "MetadataOptions.InstanceMetadataTags",
    "monitoring-state": "Monitoring.State",
    "network-interface.addresses.primary": "NetworkInterfaces.PrivateIpAddresses.Primary",
    "network-interface.addresses.private-ip-address": "NetworkInterfaces.PrivateIpAddresses.PrivateIpAddress",
    "network-interface.attachment.attachment-id": "NetworkInterfaces.Attachment.AttachmentId",
    "network-interface.attachment.device-index": "NetworkInterfaces.Attachment.DeviceIndex",
    "network-interface.group-id": "NetworkInterfaces.Groups.GroupId",
    "network-interface.group-name": "NetworkInterfaces.Groups.GroupName",
    "network-interface.mac-address": "NetworkInterfaces.MacAddress",
    "network-interface.network-interface-id": "NetworkInterfaces.NetworkInterfaceId",
    "network-interface.owner-id": "NetworkInterfaces.OwnerId",
    "network-interface.private-dns-name": "NetworkInterfaces.PrivateDnsName",
    "network-interface.private-ip-address": "NetworkInterfaces.PrivateIpAddress",
    "network-interface.source-dest-check": "NetworkInterfaces.SourceDestCheck",
    "network-interface.status": "NetworkInterfaces.Status",
    "network-interface.subnet-id": "NetworkInterfaces.SubnetId",
    "network-interface.vpc-id": "NetworkInterfaces.VpcId",
    "outpost-arn": "OutpostArn",
    "placement-group-name": "Placement.GroupName",
    "platform-details": "PlatformDetails",
    "private-dns-name": "PrivateDnsName",
    "private-ip-address": "PrivateIpAddress",
    "product-code": "ProductCodes.ProductCodeId",
    "ramdisk-id": "RamdiskId",
    reason: "StateTransitionReason",
    "root-device-name": "RootDeviceName",
    "root-device-type": "RootDeviceType",
    "source-dest-check": "SourceDestCheck",
    "spot-instance-request-id": "SpotInstanceRequestId",
    "state-reason-code": "StateReason.Code",
    "state-reason-message": "StateReason.Message",
    "subnet-id": "SubnetId",
    tenancy: "Placement.Tenancy",
    "usage-operation": "UsageOperation",
    "virtualization-type": "VirtualizationType",
    "vpc-id": "VpcId",
  }),
  platform,
};

/** API Reference, DescribeImages, "Filters". */
export const imageFields: FilterFields<Image> = {
  ...fieldsOf<Image>({
    architecture: "Architecture",
    "block-device-mapping.delete-on-termination": "BlockDeviceMappings.Ebs.DeleteOnTermination",
    "block-device-mapping.device-name": "BlockDeviceMappings.DeviceName",
    "block-device-mapping.encrypted": "BlockDeviceMappings.Ebs.Encrypted",
    "block-device-mapping.snapshot-id": "BlockDeviceMappings.Ebs.SnapshotId",
    "block-device-mapping.volume-size": "BlockDeviceMappings.Ebs.VolumeSize",
    "block-device-mapping.volume-type": "BlockDeviceMappings.Ebs.VolumeType",
    "creation-date": "CreationDate",
    description: "Description",
    "ena-support": "EnaSupport",
    hypervisor: "Hypervisor",
    "image-id": "ImageId",
    "image-type": "ImageType",
    "is-public": "Public",
    name: "Name",
    "owner-alias": "ImageOwnerAlias",
    "owner-id": "OwnerId",
    "root-device-name": "RootDeviceName",
    "root-device-type": "RootDeviceType",
    state: "State",
    "virtualization-type": "VirtualizationType",
  }),
  platform,
};

/** API Reference, DescribeSubnets, "Filters", except those of IPv6. */
export const subnetFields: FilterFields<Subnet> = fieldsOf({
  "availability-zone": "AvailabilityZone",
  "available-ip-address-count": "AvailableIpAddressCount",
  cidr: "CidrBlock",
  "cidr-block": "CidrBlock",
  cidrBlock: "CidrBlock",
  "default-for-az": "DefaultForAz",
  "map-public-ip-on-launch": "MapPublicIpOnLaunch",
  "owner-id": "OwnerId",
  state: "State",
  "subnet-arn": "SubnetArn",
  "subnet-id": "SubnetId",
  "vpc-id": "VpcId",
});

/** API Reference, DescribeSecurityGroups, "Filters", except those of prefix lists and IPv6. */
export const groupFields: FilterFields<SecurityGroup> = fieldsOf({
  description: "Description",
  "egress.ip-permission.cidr": "IpPermissionsEgress.IpRanges.CidrIp",
  "egress.ip-permission.protocol": "IpPermissionsEgress.IpProtocol",
  "group-id": "GroupId",
  "group-name": "GroupName",
  "ip-permission.cidr": "IpPermissions.IpRanges.CidrIp",
  "ip-permission.from-port": "IpPermissions.FromPort",
  "ip-permission.group-id": "IpPermissions.UserIdGroupPairs.GroupId",
  "ip-permission.protocol": "IpPermissions.IpProtocol",
  "ip-permission.to-port": "IpPermissions.ToPort",
  "owner-id": "OwnerId",
  "vpc-id": "VpcId",
});

/** API Reference, DescribeVolumes, "Filters". */
export const volumeFields: FilterFields<Volume> = fieldsOf({
  "attachment.attach-time": "Attachments.AttachTime",
  "attachment.delete-on-termination": "Attachments.DeleteOnTermination",
  "attachment.device": "Attachments.Device",
  "attachment.instance-id": "Attachments.InstanceId",
  "attachment.status": "Attachments.State",
  "availability-zone": "AvailabilityZone",
  "create-time": "CreateTime",
  encrypted: "Encrypted",
  size: "Size",
  "snapshot-id": "SnapshotId",
  status: "State",
  "volume-id": "VolumeId",
  "volume-type": "VolumeType",
});

/** API Reference, DescribeVpcs, "Filters", except those of IPv6. */
export const vpcFields: FilterFields<Vpc> = fieldsOf({
  cidr: "CidrBlock",
  "cidr-block-association.association-id": "CidrBlockAssociationSet.AssociationId",
  "cidr-block-association.cidr-block": "CidrBlockAssociationSet.CidrBlock",
  "cidr-block-association.state": "CidrBlockAssociationSet.CidrBlockState.State",
  "dhcp-options-id": "DhcpOptionsId",
  "is-default": "IsDefault",
  "owner-id": "OwnerId",
  state: "State",
  "vpc-id": "VpcId",
});
