import {
  DescribeImages$,
  type DescribeImagesRequest,
  type DescribeImagesResult,
  DescribeInstanceTypes$,
  type DescribeInstanceTypesRequest,
  type DescribeInstanceTypesResult,
  DescribeSecurityGroups$,
  type DescribeSecurityGroupsRequest,
  type DescribeSecurityGroupsResult,
  DescribeSubnets$,
  type DescribeSubnetsRequest,
  type DescribeSubnetsResult,
  DescribeVolumes$,
  type DescribeVolumesRequest,
  type DescribeVolumesResult,
  DescribeVpcAttribute$,
  type DescribeVpcAttributeRequest,
  type DescribeVpcAttributeResult,
  DescribeVpcs$,
  type DescribeVpcsRequest,
  type DescribeVpcsResult,
  GetEbsDefaultKmsKeyId$,
  type GetEbsDefaultKmsKeyIdRequest,
  type GetEbsDefaultKmsKeyIdResult,
} from "@aws-sdk/client-ec2";
import { AwsError } from "../../core/aws-service.ts";
import { describedSubnet, describedVpc } from "./account.ts";
import { type Ec2Action, ec2Action } from "./action.ts";
import { freeAddresses } from "./addresses.ts";
import { groupFields, imageFields, subnetFields, volumeFields, vpcFields } from "./filter-fields.ts";
import { type FilterFields, filtered, paged, readingAs } from "./filters.ts";
import { describedImage, type ImageFacts, imagesAt } from "./images.ts";
import { describedType, type InstanceTypeFacts, instanceTypes } from "./instance-types.ts";
import { hasHostnames } from "./launch.ts";
import { type Ec2Records, takenAddresses } from "./records.ts";
import { describedGroup, groupsOf } from "./security-groups.ts";
import { describedVolume } from "./view.ts";

/** Finds items by id, all or none; without ids, all of them. */
function byId<Item>(
  items: readonly Item[],
  ids: readonly string[] | undefined,
  id: (item: Item) => string | undefined,
  code: string,
  noun: string,
): Item[] {
  if (!ids?.length) return [...items];
  return ids.map((wanted) => {
    const found = items.find((item) => id(item) === wanted);
    if (!found) throw new AwsError(code, `The ${noun} '${wanted}' does not exist`);
    return found;
  });
}

/** Smallest and largest MaxResults; assumed, DescribeImages names none. */
const imagePage = [1, 1_000] as const;

function describeImages(records: Ec2Records, input: DescribeImagesRequest): DescribeImagesResult {
  const all = imagesAt(records.simulation.clock.now());
  const found = byId(all, input.ImageIds, (image) => image.imageId, "InvalidAMIID.NotFound", "image id");
  const owned = (image: ImageFacts): boolean =>
    !input.Owners?.length || input.Owners.some((owner) => [image.ownerId, image.ownerAlias].includes(owner));
  const { page, ...next } = paged(
    filtered(found.filter(owned), input.Filters, readingAs(imageFields, describedImage)),
    input,
    (image) => image.imageId,
    imagePage,
  );
  return { Images: page.map(describedImage), ...next };
}

function describeSubnets(records: Ec2Records, input: DescribeSubnetsRequest): DescribeSubnetsResult {
  const taken = takenAddresses(records);
  const all = records.account.subnets.map((subnet) =>
    describedSubnet(
      records.account,
      subnet,
      freeAddresses(subnet.cidr, taken).length,
      records.publicSubnets.get(subnet.id) ?? false,
    ),
  );
  const found = byId(all, input.SubnetIds, (subnet) => subnet.SubnetId, "InvalidSubnetID.NotFound", "subnet ID");
  const { page, ...next } = paged(
    filtered(found, input.Filters, subnetFields),
    input,
    (subnet) => subnet.SubnetId ?? "",
  );
  return { Subnets: page, ...next };
}

function describeGroups(records: Ec2Records, input: DescribeSecurityGroupsRequest): DescribeSecurityGroupsResult {
  const code = "InvalidGroup.NotFound";
  const all = groupsOf(records).map((group) => describedGroup(records, group));
  const byIds = byId(all, input.GroupIds, (group) => group.GroupId, code, "security group");
  const byNames = byId(byIds, input.GroupNames, (group) => group.GroupName, code, "security group");
  const { page, ...next } = paged(filtered(byNames, input.Filters, groupFields), input, (group) => group.GroupId ?? "");
  return { SecurityGroups: page, ...next };
}

function describeVolumes(records: Ec2Records, input: DescribeVolumesRequest): DescribeVolumesResult {
  const found = byId(
    records.volumes.values(),
    input.VolumeIds,
    (volume) => volume.volumeId,
    "InvalidVolume.NotFound",
    "volume",
  );
  const { page, ...next } = paged(
    filtered(found, input.Filters, readingAs(volumeFields, describedVolume), (volume) => volume.tags),
    input,
    (volume) => volume.volumeId,
  );
  return { Volumes: page.map(describedVolume), ...next };
}

/** API Reference, DescribeVpcAttribute: one attribute in each request. */
function describeVpcAttribute(records: Ec2Records, input: DescribeVpcAttributeRequest): DescribeVpcAttributeResult {
  const { VpcId, Attribute } = input;
  if (VpcId !== records.account.vpc.id)
    throw new AwsError("InvalidVpcID.NotFound", `The vpc ID '${VpcId ?? ""}' does not exist`);
  if (Attribute === "enableDnsHostnames") return { VpcId, EnableDnsHostnames: { Value: hasHostnames(records) } };
  if (Attribute === "enableDnsSupport") return { VpcId, EnableDnsSupport: { Value: true } };
  throw new AwsError("InvalidParameterValue", `Value (${Attribute ?? ""}) for parameter attribute is invalid.`);
}

function describeVpcs({ account }: Ec2Records, input: DescribeVpcsRequest): DescribeVpcsResult {
  const found = byId([describedVpc(account)], input.VpcIds, ({ VpcId }) => VpcId, "InvalidVpcID.NotFound", "vpc ID");
  const { page, ...next } = paged(filtered(found, input.Filters, vpcFields), input, ({ VpcId = "" }) => VpcId);
  return { Vpcs: page, ...next };
}

/** API Reference, DescribeInstanceTypes: MaxResults is 5 to 100. */
const typePage = [5, 100] as const;

const typeFields: FilterFields<InstanceTypeFacts> = {
  "instance-type": (type) => [type.name],
  "processor-info.supported-architecture": (type) => [type.architecture],
  "current-generation": () => ["true"],
};

function describeTypes(input: DescribeInstanceTypesRequest): DescribeInstanceTypesResult {
  for (const name of input.InstanceTypes ?? []) {
    if (!instanceTypes.has(name))
      throw new AwsError("InvalidInstanceType", `The following supplied instance types do not exist: [${name}]`);
  }
  const wanted = [...instanceTypes.values()].filter(
    (type) => !input.InstanceTypes?.length || input.InstanceTypes.some((name) => name === type.name),
  );
  const { page, ...next } = paged(filtered(wanted, input.Filters, typeFields), input, (type) => type.name, typePage);
  return { InstanceTypes: page.map(describedType), ...next };
}

/** The actions that describe the parts of instances. */
export const describePartActions = (records: Ec2Records): Ec2Action[] => [
  ec2Action<DescribeImagesRequest, DescribeImagesResult>(DescribeImages$, {
    perform: (input) => describeImages(records, input),
  }),
  ec2Action<DescribeSubnetsRequest, DescribeSubnetsResult>(DescribeSubnets$, {
    perform: (input) => describeSubnets(records, input),
  }),
  ec2Action<DescribeSecurityGroupsRequest, DescribeSecurityGroupsResult>(DescribeSecurityGroups$, {
    perform: (input) => describeGroups(records, input),
  }),
  ec2Action<GetEbsDefaultKmsKeyIdRequest, GetEbsDefaultKmsKeyIdResult>(GetEbsDefaultKmsKeyId$, {
    perform: () => ({ KmsKeyId: records.account.volumeKey ?? "alias/aws/ebs" }),
  }),
  ec2Action<DescribeVpcAttributeRequest, DescribeVpcAttributeResult>(DescribeVpcAttribute$, {
    perform: (input) => describeVpcAttribute(records, input),
  }),
  ec2Action<DescribeVpcsRequest, DescribeVpcsResult>(DescribeVpcs$, {
    perform: (input) => describeVpcs(records, input),
  }),
  ec2Action<DescribeVolumesRequest, DescribeVolumesResult>(DescribeVolumes$, {
    perform: (input) => describeVolumes(records, input),
  }),
  ec2Action<DescribeInstanceTypesRequest, DescribeInstanceTypesResult>(DescribeInstanceTypes$, {
    perform: describeTypes,
  }),
];
