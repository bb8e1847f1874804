import type { IpPermission, SecurityGroup, Subnet } from "@aws-sdk/client-ec2";

/** The account that EC2 shows: one VPC with its subnets, security groups and one instance profile. */
export interface Account {
  readonly accountId: string;
  readonly region: string;
  readonly vpc: { readonly id: string; readonly cidr: string };
  readonly subnets: readonly { readonly id: string; readonly zone: string; readonly cidr: string }[];
  /** What it is for → group id. */
  readonly securityGroups: Readonly<Record<string, string>>;
  /** Inbound rules by group id; a group that is not named takes nothing. */
  readonly inbound?: Readonly<Record<string, readonly IpPermission[]>>;
  readonly instanceProfileArn: string;
  /** Name of the role inside the instance profile. */
  readonly nodeRoleName: string;
}

/** ARN of something of EC2's in the account: "instance/i-…", "volume/*". */
export const ec2Arn = (account: Account, resource: string): string =>
  `arn:aws:ec2:${account.region}:${account.accountId}:${resource}`;

/** The role that RunInstances passes to instances of a profile. */
export const roleArn = (account: Account): string => `arn:aws:iam::${account.accountId}:role/${account.nodeRoleName}`;

/** A subnet as EC2 describes it; `free` is how many addresses are left. */
export const describedSubnet = (account: Account, subnet: Account["subnets"][number], free: number): Subnet => ({
  SubnetId: subnet.id,
  SubnetArn: ec2Arn(account, `subnet/${subnet.id}`),
  VpcId: account.vpc.id,
  CidrBlock: subnet.cidr,
  AvailabilityZone: subnet.zone,
  AvailableIpAddressCount: free,
  State: "available",
  OwnerId: account.accountId,
  DefaultForAz: false,
  MapPublicIpOnLaunch: false,
  Tags: [],
});

/** Everything may leave a group unless somebody says otherwise (VPC User Guide, "Default security groups"). */
const everythingOut: IpPermission = { IpProtocol: "-1", IpRanges: [{ CidrIp: "0.0.0.0/0" }] };

const words = (name: string): string => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** The account's security groups as EC2 describes them. */
export const describedGroups = (account: Account): SecurityGroup[] =>
  Object.entries(account.securityGroups).map(([name, id]) => ({
    GroupId: id,
    GroupName: words(name),
    Description: words(name).replaceAll("-", " "),
    VpcId: account.vpc.id,
    OwnerId: account.accountId,
    IpPermissions: [...(account.inbound?.[id] ?? [])],
    IpPermissionsEgress: [everythingOut],
    Tags: [],
  }));
