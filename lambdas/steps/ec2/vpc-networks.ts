import { DescribeSecurityGroupsCommand, DescribeVpcsCommand, type EC2Client } from "@aws-sdk/client-ec2";
import type { Configuration } from "../../configuration/configuration.ts";

/**
 * Reads the IPv4 networks of the VPC into which the pools launch: all that are associated with it (EC2 API Reference,
 * DescribeVpcs, CidrBlockAssociationSet). A group or VPC that does not exist has none.
 * @returns networks as "10.0.0.0/16"
 */
export async function vpcNetworks(ec2: EC2Client, { pools }: Pick<Configuration, "pools">): Promise<string[]> {
  const groups = [...new Set(Object.values(pools).map(({ securityGroup }) => securityGroup))];
  const { SecurityGroups = [] } = await ec2.send(
    new DescribeSecurityGroupsCommand({ Filters: [{ Name: "group-id", Values: groups }] }),
  );
  const vpcs = [...new Set(SecurityGroups.flatMap(({ VpcId }) => VpcId ?? []))];
  if (vpcs.length === 0) return [];
  const { Vpcs = [] } = await ec2.send(new DescribeVpcsCommand({ Filters: [{ Name: "vpc-id", Values: vpcs }] }));
  return Vpcs.flatMap(({ CidrBlockAssociationSet = [] }) => CidrBlockAssociationSet)
    .filter(({ CidrBlockState }) => CidrBlockState?.State === "associated")
    .flatMap(({ CidrBlock }) => CidrBlock ?? []);
}
