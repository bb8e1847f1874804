import type { IpPermission, Subnet, Vpc, VpcCidrBlockStateCode } from "@aws-sdk/client-ec2";

/** The account that EC2 shows: one VPC with its subnets, security groups and one instance profile. */
export interface Account {
  readonly accountId: string;
  readonly region: string;
  readonly vpc: {
    readonly id: string;
    readonly cidr: string;
    /** Networks that were associated later (VPC User Guide, "Add or remove a CIDR block"), each with its state. */
    readonly more?: readonly { readonly cidr: string; readonly state: VpcCidrBlockStateCode }[];
  };
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

/** Lists the VPC's networks, the first one first. */
export const vpcNetworks = ({ vpc }: Account): { readonly cidr: string; readonly state: VpcCidrBlockStateCode }[] => [
  { cidr: vpc.cidr, state: "associated" },
  ...(vpc.more ?? []),
];

/** Describes the VPC as EC2 does; a network is still listed while it is associated or disassociated. */
export const describedVpc = (account: Account): Vpc => ({
  VpcId: account.vpc.id,
  CidrBlock: account.vpc.cidr,
  CidrBlockAssociationSet: vpcNetworks(account).map(({ cidr, state }, at) => ({
    AssociationId: `vpc-cidr-assoc-${String(at).padStart(17, "0")}`,
    CidrBlock: cidr,
    CidrBlockState: { State: state },
  })),
  DhcpOptionsId: "dopt-0a10000000000000a",
  InstanceTenancy: "default",
  IsDefault: false,
  OwnerId: account.accountId,
  State: "available",
  Tags: [],
});
