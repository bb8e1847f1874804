import type { IpPermission, SecurityGroup } from "@aws-sdk/client-ec2";
import { AwsError } from "../../core/aws-service.ts";
import type { InboundRule } from "../../core/ports.ts";
import { newId } from "./addresses.ts";
import type { Ec2Records, GroupRecord } from "./records.ts";
import { tagList } from "./tag-rules.ts";

/** By default a group allows all outbound traffic (VPC User Guide, "Default security groups"). */
const everythingOut: IpPermission = { IpProtocol: "-1", IpRanges: [{ CidrIp: "0.0.0.0/0" }] };

const words = (name: string): string => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** Names of protocols; EC2 returns the name where there is one (API Reference, IpPermission). */
const names: Readonly<Record<string, string>> = { "6": "tcp", "17": "udp", "1": "icmp", all: "-1" };

const protocolOf = (given = "-1"): string => names[given.toLowerCase()] ?? given.toLowerCase();

/** Splits a permission into one rule for each source, as EC2 keeps them. */
export function rulesOf({
  IpProtocol,
  FromPort,
  ToPort,
  IpRanges = [],
  Ipv6Ranges = [],
  UserIdGroupPairs = [],
  PrefixListIds = [],
}: IpPermission): InboundRule[] {
  const protocol = protocolOf(IpProtocol);
  const ports = protocol === "-1" ? {} : { from: FromPort ?? -1, to: ToPort ?? FromPort ?? -1 };
  const sources = [
    ...IpRanges.map(({ CidrIp, Description }) => ({ source: CidrIp, description: Description })),
    ...Ipv6Ranges.map(({ CidrIpv6, Description }) => ({ source: CidrIpv6, description: Description })),
    ...UserIdGroupPairs.map(({ GroupId, Description }) => ({ source: GroupId, description: Description })),
    ...PrefixListIds.map(({ PrefixListId, Description }) => ({ source: PrefixListId, description: Description })),
  ];
  return sources.map(({ source = "", description }) => ({
    protocol,
    ...ports,
    source,
    ...(description === undefined ? {} : { description }),
  }));
}

/**
 * Are these the same rule? Protocol, ports and source decide; the description does not (API Reference,
 * AuthorizeSecurityGroupIngress).
 */
const sameRule = (one: InboundRule, other: InboundRule): boolean =>
  one.protocol === other.protocol && one.from === other.from && one.to === other.to && one.source === other.source;

/** Lists the inbound rules of a group: its original ones with the changes since. */
export const inboundOf = ({ account, inbound }: Ec2Records, groupId: string): readonly InboundRule[] =>
  inbound.get(groupId) ?? (account.inbound?.[groupId] ?? []).flatMap(rulesOf);

/** @throws AwsError InvalidPermission.Duplicate when the group has one of the rules */
export function addRules(records: Ec2Records, groupId: string, rules: readonly InboundRule[]): void {
  const known = inboundOf(records, groupId);
  const twice = rules.find((rule) => known.some((one) => sameRule(one, rule)));
  if (twice)
    throw new AwsError("InvalidPermission.Duplicate", `the specified rule "peer: ${twice.source}" already exists`);
  records.inbound.set(groupId, [...known, ...rules]);
}

/** @throws AwsError InvalidPermission.NotFound when the group lacks one of the rules */
export function removeRules(records: Ec2Records, groupId: string, rules: readonly InboundRule[]): void {
  const known = inboundOf(records, groupId);
  if (rules.some((rule) => !known.some((one) => sameRule(one, rule))))
    throw new AwsError("InvalidPermission.NotFound", "The specified rule does not exist in this security group.");
  records.inbound.set(
    groupId,
    known.filter((one) => !rules.some((rule) => sameRule(one, rule))),
  );
}

/** Lists every group of the account: the original ones and those created since. */
export const groupsOf = ({ account, groups }: Ec2Records): GroupRecord[] => [
  ...Object.entries(account.securityGroups).map(([name, groupId]) => ({
    groupId,
    name: words(name),
    description: words(name).replaceAll("-", " "),
    tags: {},
  })),
  ...groups.values(),
];

/** @throws AwsError InvalidGroup.Duplicate when the VPC has a group of that name */
export function storeGroup(records: Ec2Records, group: Omit<GroupRecord, "groupId">): string {
  if (groupsOf(records).some(({ name }) => name === group.name))
    throw new AwsError("InvalidGroup.Duplicate", `The security group '${group.name}' already exists for VPC`);
  const groupId = newId(records.simulation.random, "sg");
  records.groups.set(groupId, { ...group, groupId });
  return groupId;
}

const isRange4 = (source: string): boolean => /^[\d.]+\/\d+$/.test(source);
const isGroup = (source: string): boolean => source.startsWith("sg-");
const isPrefixList = (source: string): boolean => source.startsWith("pl-");

/** Joins rules of the same protocol and ports into one permission with all their sources. */
function permissionOf(rules: readonly InboundRule[], owner: string): IpPermission {
  const [{ protocol, from, to } = { protocol: "-1" }] = rules as readonly [InboundRule];
  const said = ({ description }: InboundRule) => (description === undefined ? {} : { Description: description });
  const of = (kind: (source: string) => boolean) => rules.filter(({ source }) => kind(source));
  const isRange6 = (source: string): boolean => source.includes(":");
  return {
    IpProtocol: protocol,
    ...(protocol === "-1" ? {} : { FromPort: from, ToPort: to }),
    IpRanges: of(isRange4).map((rule) => ({ CidrIp: rule.source, ...said(rule) })),
    Ipv6Ranges: of(isRange6).map((rule) => ({ CidrIpv6: rule.source, ...said(rule) })),
    UserIdGroupPairs: of(isGroup).map((rule) => ({ GroupId: rule.source, UserId: owner, ...said(rule) })),
    PrefixListIds: of(isPrefixList).map((rule) => ({ PrefixListId: rule.source, ...said(rule) })),
  };
}

/** Describes a group as EC2 does: one permission for each protocol and range of ports. */
export function describedGroup(records: Ec2Records, { groupId, name, description, tags }: GroupRecord): SecurityGroup {
  const { account } = records;
  const byPorts = Map.groupBy(inboundOf(records, groupId), ({ protocol, from, to }) => `${protocol} ${from} ${to}`);
  return {
    GroupId: groupId,
    GroupName: name,
    Description: description,
    VpcId: account.vpc.id,
    OwnerId: account.accountId,
    IpPermissions: [...byPorts.values()].map((rules) => permissionOf(rules, account.accountId)),
    IpPermissionsEgress: [everythingOut],
    Tags: tagList(tags),
  };
}
