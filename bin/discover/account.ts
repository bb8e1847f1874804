import {
  DescribeInstancesCommand,
  DescribeRouteTablesCommand,
  DescribeSubnetsCommand,
  type EC2Client,
  GetEbsDefaultKmsKeyIdCommand,
  type Instance,
  type RouteTable,
} from "@aws-sdk/client-ec2";
import { GetAccountSettingsCommand, type LambdaClient } from "@aws-sdk/client-lambda";
import type { AwsCall } from "../../lambdas/clients/aws-call.ts";
import type { LinuxNode } from "./cluster.ts";
import { type Fact, part, read } from "./fact.ts";
import { type Vcpus, vcpusOf } from "./vcpus.ts";

/** Clients of the account that holds the cluster's machines. */
export interface AccountClients {
  readonly ec2: EC2Client;
  readonly lambda: LambdaClient;
  /** Calls services for which there is no client here. */
  readonly call: AwsCall;
}

/** Network of functions that reach a private API server. */
export interface FunctionsNetwork {
  readonly subnets: readonly string[];
  readonly wayOut: string;
}

/** Values of the configuration that the AWS account knows. */
export interface AccountFacts {
  readonly account: Fact<string>;
  readonly vpc: Fact<string>;
  /** Subnets of the cluster's Linux nodes; the source names their zones. */
  readonly subnets: Fact<readonly string[]>;
  readonly controlPlane: Fact<string>;
  readonly linuxNodes: Fact<string>;
  /** ARN of the customer-managed key that encrypts volumes by default; null where it is Amazon's. */
  readonly volumeKey: Fact<string | null>;
  /** Null where the API server is public. */
  readonly functionsNetwork: Fact<FunctionsNetwork> | null;
  /** Executions that the account may run at a time. */
  readonly concurrency: Fact<number>;
  readonly vcpus: Fact<Vcpus>;
}

/** A Linux node of the cluster with its instance. */
interface Machine extends LinuxNode {
  readonly instance: Instance;
  readonly owner: string;
}

async function machinesOf({ ec2 }: AccountClients, nodes: readonly LinuxNode[]): Promise<readonly Machine[]> {
  const { Reservations = [] } = await ec2.send(
    new DescribeInstancesCommand({ InstanceIds: nodes.map(({ instanceId }) => instanceId) }),
  );
  return Reservations.flatMap(({ OwnerId: owner = "", Instances = [] }) =>
    Instances.flatMap((instance) => {
      const node = nodes.find(({ instanceId }) => instanceId === instance.InstanceId);
      return node ? [{ ...node, instance, owner }] : [];
    }),
  );
}

/** Returns the one value that all have; undefined if they differ or there is none. */
function shared(values: readonly (string | undefined)[]): string | undefined {
  const [only, ...others] = new Set(values);
  return others.length === 0 ? only : undefined;
}

const groupsOf = ({ instance }: Machine): Map<string, string> =>
  new Map(instance.SecurityGroups?.map(({ GroupId = "", GroupName = "" }) => [GroupId, GroupName]));

/**
 * Finds the security group that all machines of a kind have, and none of the other kind. Several such groups are told
 * apart by the installer's names (openshift/installer: <id>-controlplane and <id>-node, before 4.16 <id>-master-sg and
 * <id>-worker-sg).
 */
function groupOf(kind: readonly Machine[], others: readonly Machine[], name: RegExp): string | undefined {
  const [first, ...more] = kind.map(groupsOf);
  const own = [...(first ?? [])].filter(
    ([id]) => more.every((groups) => groups.has(id)) && !others.some((other) => groupsOf(other).has(id)),
  );
  const named = own.filter(([, groupName]) => name.test(groupName));
  const [only, ...rest] = named.length > 0 ? named : own;
  return rest.length === 0 ? only?.[0] : undefined;
}

const subnetsOf = (machines: readonly Machine[]): string[] =>
  [...new Set(machines.flatMap(({ instance }) => instance.SubnetId ?? []))].toSorted();

/** Names the zones of subnets in the source of their fact. */
async function zoned({ ec2 }: AccountClients, subnets: Fact<readonly string[]>): Promise<Fact<readonly string[]>> {
  if ("missing" in subnets) return subnets;
  const described = await read("EC2 DescribeSubnets", async () => {
    const { Subnets = [] } = await ec2.send(new DescribeSubnetsCommand({ SubnetIds: [...subnets.value] }));
    return new Map(Subnets.map(({ SubnetId, AvailabilityZone }) => [SubnetId, AvailabilityZone]));
  });
  if ("missing" in described) return subnets;
  const zones = subnets.value.map((id) => described.value.get(id) ?? "?");
  return { ...subnets, source: `${subnets.source}, in ${zones.join(", ")}` };
}

/** Returns the target of a subnet's default route: of its own route table, or of the VPC's main one (VPC User Guide). */
function wayOutOf(tables: readonly RouteTable[], subnet: string): string | undefined {
  const of = (test: (one: NonNullable<RouteTable["Associations"]>[number]) => boolean) =>
    tables.find(({ Associations = [] }) => Associations.some(test));
  const table = of(({ SubnetId }) => SubnetId === subnet) ?? of(({ Main }) => Main === true);
  const route = table?.Routes?.find(({ DestinationCidrBlock }) => DestinationCidrBlock === "0.0.0.0/0");
  return route?.NatGatewayId ?? route?.TransitGatewayId ?? route?.NetworkInterfaceId;
}

async function functionsNetwork(
  { ec2 }: AccountClients,
  vpc: Fact<string>,
  subnets: Fact<readonly string[]>,
): Promise<Fact<FunctionsNetwork>> {
  if ("missing" in vpc) return vpc;
  if ("missing" in subnets) return subnets;
  const tables = await read("EC2 DescribeRouteTables", async () => {
    const Filters = [{ Name: "vpc-id", Values: [vpc.value] }];
    return (await ec2.send(new DescribeRouteTablesCommand({ Filters }))).RouteTables ?? [];
  });
  return part(tables, "way out that all share of the nodes' subnets", (all) => {
    const wayOut = shared(subnets.value.map((subnet) => wayOutOf(all, subnet)));
    return wayOut === undefined ? undefined : { subnets: subnets.value, wayOut };
  });
}

/** An ARN is a customer's key; an alias without one is Amazon's own (API Reference, GetEbsDefaultKmsKeyId). */
const customerKey = (id: string | undefined): string | null => (id?.includes(":key/") ? id : null);

/**
 * Reads what the AWS account knows, beginning with the instances of the cluster's Linux nodes. What cannot be read is
 * missing with its reason.
 * @param isPrivate the API server can be reached from inside the VPC alone, so the functions need a network there
 */
export async function accountFacts(
  clients: AccountClients,
  nodes: Fact<readonly LinuxNode[]>,
  isPrivate: boolean,
): Promise<AccountFacts> {
  const { ec2, lambda, call } = clients;
  const machines =
    "missing" in nodes
      ? nodes
      : await read("EC2 DescribeInstances of the cluster's nodes", () => machinesOf(clients, nodes.value));
  const [controls, workers] = [
    (all: readonly Machine[]) => all.filter(({ isControlPlane }) => isControlPlane),
    (all: readonly Machine[]) => all.filter(({ isControlPlane, isWorker }) => isWorker && !isControlPlane),
  ] as const;
  const vpc = part(machines, "VPC that all share", (all) => shared(all.map(({ instance }) => instance.VpcId)));
  const subnets = part(machines, "subnets of Linux workers", (all) => {
    const found = subnetsOf(workers(all).length > 0 ? workers(all) : all);
    return found.length > 0 ? found : undefined;
  });
  return {
    account: part(machines, "owner", (all) => shared(all.map(({ owner }) => owner))),
    vpc,
    subnets: await zoned(clients, subnets),
    controlPlane: part(machines, "security group of the control plane alone", (all) =>
      groupOf(controls(all), workers(all), /-(controlplane|master-sg)$/),
    ),
    linuxNodes: part(machines, "security group of the workers alone", (all) =>
      groupOf(workers(all), controls(all), /-(node|worker-sg)$/),
    ),
    volumeKey: await read("EC2 GetEbsDefaultKmsKeyId", async () =>
      customerKey((await ec2.send(new GetEbsDefaultKmsKeyIdCommand({}))).KmsKeyId),
    ),
    functionsNetwork: isPrivate ? await functionsNetwork(clients, vpc, subnets) : null,
    concurrency: part(
      await read("Lambda GetAccountSettings", () => lambda.send(new GetAccountSettingsCommand({}))),
      "ConcurrentExecutions",
      ({ AccountLimit }) => AccountLimit?.ConcurrentExecutions,
    ),
    vcpus: await read("Service Quotas and EC2, vCPUs of on-demand instances", () => vcpusOf(ec2, call)),
  };
}
