import {
  AuthorizeSecurityGroupIngress$,
  type AuthorizeSecurityGroupIngressRequest,
  type AuthorizeSecurityGroupIngressResult,
  CreateSecurityGroup$,
  type CreateSecurityGroupRequest,
  type CreateSecurityGroupResult,
  DescribeAvailabilityZones$,
  type DescribeAvailabilityZonesRequest,
  type DescribeAvailabilityZonesResult,
  DescribeRouteTables$,
  type DescribeRouteTablesRequest,
  type DescribeRouteTablesResult,
  type IpPermission,
  ModifySubnetAttribute$,
  type ModifySubnetAttributeRequest,
  RevokeSecurityGroupIngress$,
  type RevokeSecurityGroupIngressRequest,
  type RevokeSecurityGroupIngressResult,
} from "@aws-sdk/client-ec2";
import { AwsError, type Caller } from "../../core/aws-service.ts";
import { ec2Arn, vpcNetworks } from "./account.ts";
import { type Ec2Action, ec2Action } from "./action.ts";
import type { Ec2Records } from "./records.ts";
import { addRules, groupsOf, removeRules, rulesOf, storeGroup } from "./security-groups.ts";
import { tagsFrom } from "./tag-rules.ts";

const refuse = (code: string, message: string): never => {
  throw new AwsError(code, message);
};

function knownGroup(records: Ec2Records, groupId = ""): string {
  if (groupsOf(records).some((group) => group.groupId === groupId)) return groupId;
  return refuse("InvalidGroup.NotFound", `The security group '${groupId}' does not exist`);
}

interface Ingress {
  readonly GroupId?: string | undefined;
  readonly IpPermissions?: IpPermission[] | undefined;
  readonly IpProtocol?: string | undefined;
  readonly FromPort?: number | undefined;
  readonly ToPort?: number | undefined;
  readonly CidrIp?: string | undefined;
}

/**
 * Reads the permissions of a request, or its short form with one network (API Reference,
 * AuthorizeSecurityGroupIngress).
 */
function permissionsIn({ IpPermissions, CidrIp, IpProtocol, FromPort, ToPort }: Ingress): IpPermission[] {
  const permissions = IpPermissions ?? (CidrIp ? [{ IpProtocol, FromPort, ToPort, IpRanges: [{ CidrIp }] }] : []);
  if (permissions.length === 0)
    refuse("MissingParameter", "Either 'ipPermissions' or 'securityGroupRuleIds' should be provided.");
  return permissions;
}

const permitGroup =
  (records: Ec2Records, action: string) =>
  ({ GroupId }: Ingress, caller: Caller): void =>
    caller.require(`ec2:${action}`, [ec2Arn(records.account, `security-group/${GroupId}`)]);

function modifySubnet(records: Ec2Records, input: ModifySubnetAttributeRequest): object {
  const { SubnetId: id = "", MapPublicIpOnLaunch } = input;
  if (!records.account.subnets.some((subnet) => subnet.id === id))
    refuse("InvalidSubnetID.NotFound", `The subnet ID '${id}' does not exist`);
  const assigns = MapPublicIpOnLaunch?.Value;
  if (assigns === undefined)
    return refuse("UnsupportedOperation", "The sandbox simulates only MapPublicIpOnLaunch of ModifySubnetAttribute.");
  records.publicSubnets.set(id, assigns);
  return {};
}

function createGroup(records: Ec2Records, input: CreateSecurityGroupRequest): CreateSecurityGroupResult {
  const { GroupName: name = "", Description: description = "", TagSpecifications = [] } = input;
  const tags = tagsFrom(TagSpecifications.flatMap(({ Tags = [] }) => Tags));
  return { GroupId: storeGroup(records, { name, description, tags }) };
}

/** Lists the zones; the cloud controller needs them before it reads a node. */
const zonesOf = ({ account }: Ec2Records): DescribeAvailabilityZonesResult => ({
  AvailabilityZones: [...new Set(account.subnets.map(({ zone }) => zone))].map((zone) => ({
    ZoneName: zone,
    ZoneId: `usw2-az${zone.charCodeAt(zone.length - 1) - "a".charCodeAt(0) + 1}`,
    RegionName: account.region,
    GroupName: account.region,
    State: "available",
    ZoneType: "availability-zone",
    OptInStatus: "opt-in-not-required",
    Messages: [],
  })),
});

const MAIN_ROUTES = "rtb-0a10000000000000a";

/** Describes the one route table of the VPC: its addresses are local, everything else goes through a NAT gateway. */
const routesOf = ({ account }: Ec2Records): DescribeRouteTablesResult => ({
  RouteTables: [
    {
      RouteTableId: MAIN_ROUTES,
      VpcId: account.vpc.id,
      OwnerId: account.accountId,
      Associations: [
        { Main: true, RouteTableId: MAIN_ROUTES, RouteTableAssociationId: MAIN_ROUTES.replace("rtb", "rtbassoc") },
      ],
      Routes: [
        ...vpcNetworks(account).map(({ cidr }) => ({
          DestinationCidrBlock: cidr,
          GatewayId: "local",
          Origin: "CreateRouteTable" as const,
          State: "active" as const,
        })),
        {
          DestinationCidrBlock: "0.0.0.0/0",
          NatGatewayId: "nat-0a10000000000000a",
          Origin: "CreateRoute",
          State: "active",
        },
      ],
      Tags: [],
    },
  ],
});

/** The network actions: rules of security groups, subnets, zones and routes. */
export const networkActions = (records: Ec2Records): Ec2Action[] => [
  ec2Action<AuthorizeSecurityGroupIngressRequest, AuthorizeSecurityGroupIngressResult>(AuthorizeSecurityGroupIngress$, {
    permit: permitGroup(records, "AuthorizeSecurityGroupIngress"),
    perform: (input) => {
      addRules(records, knownGroup(records, input.GroupId), permissionsIn(input).flatMap(rulesOf));
      return { Return: true };
    },
  }),
  ec2Action<RevokeSecurityGroupIngressRequest, RevokeSecurityGroupIngressResult>(RevokeSecurityGroupIngress$, {
    permit: permitGroup(records, "RevokeSecurityGroupIngress"),
    perform: (input) => {
      removeRules(records, knownGroup(records, input.GroupId), permissionsIn(input).flatMap(rulesOf));
      return { Return: true };
    },
  }),
  ec2Action<CreateSecurityGroupRequest, CreateSecurityGroupResult>(CreateSecurityGroup$, {
    perform: (input) => createGroup(records, input),
  }),
  ec2Action<ModifySubnetAttributeRequest & { DryRun?: boolean }, object>(ModifySubnetAttribute$, {
    permit: ({ SubnetId }, caller) =>
      caller.require("ec2:ModifySubnetAttribute", [ec2Arn(records.account, `subnet/${SubnetId}`)]),
    perform: (input) => modifySubnet(records, input),
  }),
  ec2Action<DescribeAvailabilityZonesRequest, DescribeAvailabilityZonesResult>(DescribeAvailabilityZones$, {
    perform: () => zonesOf(records),
  }),
  ec2Action<DescribeRouteTablesRequest, DescribeRouteTablesResult>(DescribeRouteTables$, {
    perform: () => routesOf(records),
  }),
];
