import type { RunInstancesRequest } from "@aws-sdk/client-ec2";
import { AwsError } from "../../core/aws-service.ts";
import type { Account } from "./account.ts";
import { type ImageFacts, imagesAt } from "./images.ts";
import { type InstanceTypeFacts, instanceTypes, offeredIn } from "./instance-types.ts";
import { defaultMetadata, metadataFrom, oneOf } from "./metadata.ts";
import type { Ec2Records, MetadataOptions, Tags } from "./records.ts";
import { groupsOf } from "./security-groups.ts";
import { tagsByType } from "./tag-rules.ts";
import { type VolumePlan, volumePlans } from "./volume-plan.ts";

/** A valid RunInstances request, with EC2's defaults filled in. */
export interface LaunchPlan {
  readonly image: ImageFacts;
  readonly type: InstanceTypeFacts;
  readonly subnet: Account["subnets"][number];
  readonly groups: readonly string[];
  /** Whether the instance gets a public address. */
  readonly isPublic: boolean;
  readonly volumes: readonly VolumePlan[];
  readonly least: number;
  readonly most: number;
  readonly metadata: MetadataOptions;
  readonly userData: string | null;
  readonly profileArn: string | null;
  readonly privateIp: string | null;
  readonly protected: boolean;
  readonly shutdownBehavior: "stop" | "terminate";
  readonly clientToken: string | null;
  readonly instanceTags: Tags;
  readonly volumeTags: Tags;
  readonly interfaceTags: Tags;
}

const refuse = (code: string, message: string): never => {
  throw new AwsError(code, message);
};

/** Members of RunInstances that are simulated; others are refused, not ignored. */
const simulated = new Set(
  [
    "ImageId InstanceType MinCount MaxCount SubnetId SecurityGroupIds NetworkInterfaces PrivateIpAddress",
    "BlockDeviceMappings TagSpecifications UserData ClientToken DryRun IamInstanceProfile MetadataOptions",
    "DisableApiTermination InstanceInitiatedShutdownBehavior EbsOptimized Monitoring",
  ].flatMap((names) => names.split(" ")),
);

function checkSimulated(input: RunInstancesRequest): void {
  for (const name of Object.keys(input)) {
    if (!simulated.has(name)) refuse("UnsupportedOperation", `The sandbox does not simulate ${name} of RunInstances.`);
  }
}

function imageOf(imageId: string | undefined, now: number): ImageFacts {
  const id = imageId ?? refuse("MissingParameter", "The request must contain the parameter ImageId");
  if (!/^ami-[0-9a-f]{8,17}$/.test(id)) refuse("InvalidAMIID.Malformed", `Invalid id: "${id}"`);
  const image = imagesAt(now).find((candidate) => candidate.imageId === id);
  return image ?? refuse("InvalidAMIID.NotFound", `The image id '[${id}]' does not exist`);
}

function typeOf(name: string | undefined, image: ImageFacts): InstanceTypeFacts {
  // RunInstances without a type means m1.small, which no longer fits any image here.
  const type = instanceTypes.get(name ?? "m1.small");
  if (!type) return refuse("InvalidParameterValue", `Invalid value '${name ?? "m1.small"}' for InstanceType.`);
  if (type.architecture === "x86_64") return type;
  const words = `The architecture '${type.architecture}' of the specified instance type does not match the architecture 'x86_64' of the specified AMI.`;
  return refuse("InvalidParameterValue", `${words} (${image.imageId})`);
}

/** An instance's subnet and groups; `associates` is the launch's choice of a public address, if it makes one. */
interface NetworkPlan {
  readonly subnetId: string | undefined;
  readonly groups: readonly string[];
  readonly associates?: boolean | undefined;
}

/**
 * Reads subnet and groups, or the one primary interface that may replace them; further interfaces are not simulated.
 */
function networkOf(input: RunInstancesRequest): NetworkPlan {
  const [primary, ...others] = input.NetworkInterfaces ?? [];
  if (!primary) return { subnetId: input.SubnetId, groups: input.SecurityGroupIds ?? [] };
  if (others.length > 0) refuse("UnsupportedOperation", "The sandbox simulates one network interface per instance.");
  if (input.SubnetId || input.SecurityGroupIds?.length)
    refuse(
      "InvalidParameterCombination",
      "Network interfaces and an instance-level subnet ID may not be specified on the same request",
    );
  return {
    subnetId: primary.SubnetId,
    groups: primary.Groups ?? [],
    associates: primary.AssociatePublicIpAddress,
  };
}

function subnetOf(account: Account, subnetId: string | undefined): Account["subnets"][number] {
  if (!subnetId)
    return refuse(
      "VPCIdNotSpecified",
      "No default VPC for this user. GroupName is only supported for EC2-Classic and default VPC.",
    );
  const subnet = account.subnets.find((candidate) => candidate.id === subnetId);
  return subnet ?? refuse("InvalidSubnetID.NotFound", `The subnet ID '${subnetId}' does not exist`);
}

function checkGroups(records: Ec2Records, groups: readonly string[]): void {
  const known = groupsOf(records).map(({ groupId }) => groupId);
  for (const group of groups) {
    if (!/^sg-[0-9a-f]{8,17}$/.test(group)) refuse("InvalidGroupId.Malformed", `Invalid id: "${group}"`);
    if (!known.includes(group)) refuse("InvalidGroup.NotFound", `The security group '${group}' does not exist`);
  }
}

function checkOffered(type: InstanceTypeFacts, zone: string, account: Account): void {
  if (offeredIn(type, zone)) return;
  const others = [...new Set(account.subnets.map((subnet) => subnet.zone))].filter((other) => offeredIn(type, other));
  const advice = `Please retry your request by not specifying an Availability Zone or choosing ${others.join(", ")}.`;
  refuse(
    "Unsupported",
    `Your requested instance type (${type.name}) is not supported in your requested Availability Zone (${zone}). ${advice}`,
  );
}

function countsOf(input: RunInstancesRequest): { least: number; most: number } {
  const { MinCount: least = 0, MaxCount: most = 0 } = input;
  if (least < 1)
    refuse(
      "InvalidParameterValue",
      `Value (${least}) for parameter minCount is invalid. Minimum count must be greater than 0.`,
    );
  if (most < least)
    refuse(
      "InvalidParameterValue",
      `Value (${most}) for parameter maxCount is invalid. Maximum count must be equal to or greater than minimum count.`,
    );
  return { least, most };
}

/** 16 KB before encoding (User Guide, "Instance user data"). */
const LONGEST_USER_DATA = 16_384;

function userDataOf(encoded: string | undefined): string | null {
  if (encoded === undefined) return null;
  if (!/^[A-Za-z0-9+/\s]*={0,2}$/.test(encoded) || encoded.replace(/\s/g, "").length % 4 !== 0)
    refuse("InvalidUserData.Malformed", "Invalid BASE64 encoding of user data.");
  if (Buffer.from(encoded, "base64").length > LONGEST_USER_DATA)
    refuse("InvalidParameterValue", `User data is limited to ${LONGEST_USER_DATA} bytes`);
  return encoded;
}

/** 64 printable ASCII characters (User Guide, "Ensuring idempotency"). */
function checkToken(token: string | undefined): string | null {
  if (token === undefined) return null;
  if (!/^[\x20-\x7e]{1,64}$/.test(token))
    refuse("InvalidParameterValue", "Invalid client token: it must be at most 64 ASCII characters.");
  return token;
}

function profileOf(input: RunInstancesRequest, account: Account): string | null {
  const { Arn: arn, Name: name } = input.IamInstanceProfile ?? {};
  if (arn && name)
    refuse(
      "InvalidParameterCombination",
      "The parameter 'iamInstanceProfile.name' may not be used in combination with 'iamInstanceProfile.arn'",
    );
  const { instanceProfileArn: known } = account;
  if (arn && arn !== known)
    refuse(
      "InvalidParameterValue",
      `Value (${arn}) for parameter iamInstanceProfile.arn is invalid. Invalid IAM Instance Profile ARN`,
    );
  if (name && !known.endsWith(`/${name}`))
    refuse(
      "InvalidParameterValue",
      `Value (${name}) for parameter iamInstanceProfile.name is invalid. Invalid IAM Instance Profile name`,
    );
  return arn || name ? known : null;
}

/**
 * Checks RunInstances as EC2 does before it launches anything.
 * @throws AwsError with EC2's codes (API Reference, "Error codes"): for malformed, unknown or inconsistent parameters
 */
export function launchPlan(records: Ec2Records, input: RunInstancesRequest): LaunchPlan {
  checkSimulated(input);
  const { account, simulation } = records;
  const counts = countsOf(input);
  const image = imageOf(input.ImageId, simulation.clock.now());
  const type = typeOf(input.InstanceType, image);
  const network = networkOf(input);
  const subnet = subnetOf(account, network.subnetId);
  checkGroups(records, network.groups);
  checkOffered(type, subnet.zone, account);
  const tags = tagsByType(input.TagSpecifications);
  if (input.PrivateIpAddress && counts.most > 1)
    refuse(
      "InvalidParameterCombination",
      "The parameter 'PrivateIpAddress' may not be used with more than one instance.",
    );
  return {
    ...counts,
    image,
    type,
    subnet,
    groups: network.groups,
    isPublic: network.associates ?? records.publicSubnets.get(subnet.id) ?? false,
    volumes: volumePlans(image, input.BlockDeviceMappings),
    metadata: metadataFrom(input.MetadataOptions ?? {}, defaultMetadata),
    userData: userDataOf(input.UserData),
    profileArn: profileOf(input, account),
    privateIp: input.PrivateIpAddress ?? null,
    protected: input.DisableApiTermination ?? false,
    shutdownBehavior: oneOf(
      "instanceInitiatedShutdownBehavior",
      input.InstanceInitiatedShutdownBehavior,
      ["stop", "terminate"],
      "stop",
    ),
    clientToken: checkToken(input.ClientToken),
    instanceTags: tags.instance ?? {},
    volumeTags: tags.volume ?? {},
    interfaceTags: tags["network-interface"] ?? {},
  };
}
