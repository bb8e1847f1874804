import {
  DescribeInstancesCommand,
  DescribeRouteTablesCommand,
  GetEbsDefaultKmsKeyIdCommand,
} from "@aws-sdk/client-ec2";
import { expect, test } from "vitest";
import { type AccountClients, accountFacts } from "../../bin/discover/account.ts";

const node = (instanceId: string, isControlPlane: boolean) => ({
  instanceId,
  isControlPlane,
  isWorker: !isControlPlane,
});
const nodes = { value: [node("i-1", true), node("i-2", false), node("i-3", false)], source: "Nodes" };

const instance = (InstanceId: string, SubnetId: string, groups: Readonly<Record<string, string>>) => ({
  InstanceId,
  SubnetId,
  VpcId: "vpc-1",
  SecurityGroups: Object.entries(groups).map(([GroupId, GroupName]) => ({ GroupId, GroupName })),
});

const machines = [
  instance("i-1", "subnet-a", { "sg-lb": "c-lb", "sg-cp": "c-controlplane", "sg-api": "c-apiserver-lb" }),
  instance("i-2", "subnet-a", { "sg-lb": "c-lb", "sg-node": "c-node" }),
  instance("i-3", "subnet-b", { "sg-lb": "c-lb", "sg-node": "c-node", "sg-more": "of-one-alone" }),
];

const route = (subnet: string, NatGatewayId: string) => ({
  Associations: [{ SubnetId: subnet }],
  Routes: [{ DestinationCidrBlock: "0.0.0.0/0", NatGatewayId }],
});

/** Clients whose answers are given, and which refuse everything else. */
function account(routes: readonly object[] = [], instances: readonly object[] = machines): AccountClients {
  const denied = Object.assign(new Error("You are not authorized"), { name: "UnauthorizedOperation", $metadata: {} });
  const send = async (command: unknown) => {
    if (command instanceof DescribeInstancesCommand)
      return { Reservations: [{ OwnerId: "012345678901", Instances: instances }] };
    if (command instanceof DescribeRouteTablesCommand) return { RouteTables: routes };
    if (command instanceof GetEbsDefaultKmsKeyIdCommand) return { KmsKeyId: "alias/aws/ebs" };
    throw denied;
  };
  return { ec2: { send }, lambda: { send } } as unknown as AccountClients;
}

test("the groups of the control plane and of the workers are those that no machine of the other kind has", async () => {
  const facts = await accountFacts(account(), nodes, false);
  expect(facts.account).toMatchObject({ value: "012345678901" });
  expect(facts.vpc).toMatchObject({ value: "vpc-1" });
  expect(facts.subnets).toMatchObject({ value: ["subnet-a", "subnet-b"] });
  expect(facts.controlPlane).toMatchObject({ value: "sg-cp" });
  expect(facts.linuxNodes).toMatchObject({ value: "sg-node" });
  expect(facts.volumeKey).toMatchObject({ value: null });
});

test("a call that AWS refuses leaves its value missing, with the reason, and the others go on", async () => {
  const { concurrency, subnets } = await accountFacts(account(), nodes, false);
  expect(concurrency).toEqual({ missing: "Lambda GetAccountSettings: UnauthorizedOperation: You are not authorized" });
  expect(subnets).toMatchObject({ value: ["subnet-a", "subnet-b"] });
});

test("groups that cannot be told apart are missing", async () => {
  const two = { "sg-1": "first", "sg-2": "second" };
  const alike = [instance("i-1", "subnet-a", two), instance("i-2", "subnet-a", { "sg-3": "x" })];
  const { controlPlane } = await accountFacts(account([], alike), nodes, false);
  expect(controlPlane).toHaveProperty("missing");
});

test("functions for a private API server leave by the gateway that all subnets share", async () => {
  const one = [route("subnet-a", "nat-1"), route("subnet-b", "nat-1")];
  expect((await accountFacts(account(one), nodes, true)).functionsNetwork).toMatchObject({
    value: { subnets: ["subnet-a", "subnet-b"], wayOut: "nat-1" },
  });
  const two = [route("subnet-a", "nat-1"), route("subnet-b", "nat-2")];
  expect((await accountFacts(account(two), nodes, true)).functionsNetwork).toHaveProperty("missing");
});

test("without nodes everything that follows from them is missing for the same reason", async () => {
  const facts = await accountFacts(account(), { missing: "the cluster's Nodes: forbidden" }, true);
  for (const fact of [facts.account, facts.vpc, facts.subnets, facts.controlPlane, facts.functionsNetwork])
    expect(fact).toEqual({ missing: "the cluster's Nodes: forbidden" });
});
