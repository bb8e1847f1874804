import type { IpPermission, Subnet } from "@aws-sdk/client-ec2";

/** The account that EC2 shows: one VPC with its subnets, security groups and one instance profile. */
export interface Account {
  readonly accountId: string;
  readonly region: string;
  readonly vpc: { readonly id: string; readonly cidr: string };
  readonly subnets: readonly { readonly id: string; readonly zone: string; readonly cidr: string }[];
  /** Purpose → group id. */
  readonly securityGroups: Readonly<Record<string, string>>;
  /** Inbound rules by group id; a group without an entry has none. */
  readonly inbound?: Readonly<Record<string, readonly IpPermission[]>>;
  readonly instanceProfileArn: string;
  /** ARN of the customer-managed key that encrypts volumes by default; if omitted, Amazon's key does. */
  readonly volumeKey?: string;
  /** Name of the role inside the instance profile. */
  readonly nodeRoleName: string;
}

/** Builds the ARN of an EC2 resource in the account: "instance/i-…", "volume/*". */
export const ec2Arn = (account: Account, resource: string): string =>
  `arn:aws:ec2:${account.region}:${account.accountId}:${resource}`;

/** The role that RunInstances passes to instances of a profile. */
export const roleArn = (account: Account): string => `arn:aws:iam::${account.accountId}:role/${account.nodeRoleName}`;

/**
 * Describes a subnet as EC2 does; `free` is the number of addresses left, `isPublic` whether it assigns public ones.
 */
export const describedSubnet = (
  account: Account,
  subnet: Account["subnets"][number],
  free: number,
  isPublic: boolean,
): Subnet => ({
  SubnetId: subnet.id,
  SubnetArn: ec2Arn(account, `subnet/${subnet.id}`),
  VpcId: account.vpc.id,
  CidrBlock: subnet.cidr,
  AvailabilityZone: subnet.zone,
  AvailableIpAddressCount: free,
  State: "available",
  OwnerId: account.accountId,
  DefaultForAz: false,
  MapPublicIpOnLaunch: isPublic,
  Tags: [],
});
