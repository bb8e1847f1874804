import { EC2Client, type RunInstancesCommandInput } from "@aws-sdk/client-ec2";
import type { Account } from "../../../lib/sandbox/aws/ec2/account.ts";
import { ec2 } from "../../../lib/sandbox/aws/ec2/ec2.ts";
import { newestWindows } from "../../../lib/sandbox/aws/ec2/images.ts";
import type { Store } from "../../../lib/sandbox/core/store.ts";
import { demo } from "../../../lib/sandbox/demo.ts";
import { manualClock } from "../manual-clock.ts";
import { clientOf, endpointFor, simulationFor } from "./fixture.ts";

/** EC2 behind its endpoint, with clients for any principal. */
export function ec2Fixture(
  options: { seed?: number; store?: Store; clock?: ReturnType<typeof manualClock>; account?: Account } = {},
) {
  const clock = options.clock ?? manualClock();
  const simulation = simulationFor(clock, options);
  const simulated = ec2(simulation, options.account ?? demo);
  const facts: string[] = [];
  simulation.bus.listen((fact) => {
    if (fact.kind === "instance-state") facts.push(fact.state);
    if (fact.kind === "instance-reboot") facts.push("reboot");
  });
  const endpoint = endpointFor(simulation, [simulated.service]);
  const client = (principal = "admin") => new EC2Client(clientOf(endpoint, principal));
  return { clock, simulation, ec2: simulated, endpoint, client, facts };
}

export const imageId = newestWindows(Date.UTC(2026, 10, 21, 8), "2022")?.imageId ?? "";

/** Tags that the permissions of provision-node require. */
export const ourTags = [
  { Key: "casement:cluster", Value: demo.cluster.name },
  { Key: "casement:pool", Value: "web" },
  { Key: "casement:operation", Value: "add-1" },
  { Key: "casement:launched", Value: "add-1" },
  { Key: `kubernetes.io/cluster/${demo.cluster.id}`, Value: "owned" },
];

/** A launch as the product does it. */
export const goodLaunch = (more: Partial<RunInstancesCommandInput> = {}): RunInstancesCommandInput => ({
  ImageId: imageId,
  InstanceType: "m5.xlarge",
  MinCount: 1,
  MaxCount: 1,
  SubnetId: demo.subnets[0].id,
  SecurityGroupIds: [demo.securityGroups.windowsNodes],
  IamInstanceProfile: { Arn: demo.instanceProfileArn },
  BlockDeviceMappings: [{ DeviceName: "/dev/sda1", Ebs: { VolumeSize: 120, VolumeType: "gp3", Encrypted: true } }],
  MetadataOptions: { HttpTokens: "required", HttpPutResponseHopLimit: 1, HttpEndpoint: "enabled" },
  TagSpecifications: [
    { ResourceType: "instance", Tags: ourTags },
    { ResourceType: "volume", Tags: ourTags },
  ],
  ...more,
});
