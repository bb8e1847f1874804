import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { Refused, Retryable } from "../../../lambdas/errors.ts";
import { okd } from "../../../lambdas/profiles/okd/okd.ts";
import { codeOf } from "../../../lambdas/records/failures.ts";
import { workOf } from "../../../lambdas/records/node-work.ts";
import { codeOfEnd, wasGivenUp } from "../../../lambdas/steps/ec2/instance-end.ts";
import { launcherOf } from "../../../lambdas/steps/ec2/instances.ts";
import { type Candidate, candidatesOf, launchRequest } from "../../../lambdas/steps/ec2/launch-request.ts";
import { newestWindows } from "../../../lib/sandbox/aws/ec2/images.ts";
import { demo } from "../../../lib/sandbox/demo.ts";
import { demoConfiguration } from "../../../lib/sandbox/demo-configuration.ts";
import { answering, held, holding } from "../answering.ts";
import { START, type TestSimulator, testSimulator } from "../test-simulator.ts";

const configuration = demoConfiguration({ apiServer: "https://api-int.prod-west.test:6443", authority: "PEM" });
const web = configuration.pools.web as NonNullable<typeof configuration.pools.web>;
const image = { parameter: "/aws/…", imageId: newestWindows(START, "2022")?.imageId ?? "" };
const first: Candidate = { attempt: 0, subnet: demo.subnets[0].id, instanceType: "m6i.xlarge" };
const request = (owner = "add-1:0", candidate: Candidate = first) =>
  launchRequest(configuration, "web", workOf(owner), image, candidate);

describe("The end of an instance", () => {
  it.each([
    ["Client.VolumeLimitExceeded: Volume limit exceeded", "volume-quota", true],
    ["Server.InsufficientInstanceCapacity: Insufficient capacity", "no-capacity", true],
    ["Client.InvalidSnapshot.NotFound: The snapshot does not exist", "launch-refused", true],
    ["Server.InternalError: Internal error on launch", "launch-later", true],
    ["Client.InternalError: Client error on launch", "volume-key-unusable", true],
    ["Server.SpotInstanceTermination: Spot instance termination", "machine-ended", true],
    ["Client.UserInitiatedShutdown: User initiated shutdown", "machine-ended", false],
    ["", "machine-ended", false],
  ])("for %j has the code %s", (because, code, isGivenUp) => {
    expect([codeOfEnd({ because }), wasGivenUp({ because })]).toEqual([code, isGivenUp]);
  });
});

describe("A launch request", () => {
  it("asks for exactly one machine of what the pool says", () => {
    expect(request()).toMatchObject({
      MinCount: 1,
      MaxCount: 1,
      ImageId: image.imageId,
      InstanceType: "m6i.xlarge",
      SubnetId: demo.subnets[0].id,
      SecurityGroupIds: [demo.securityGroups.windowsNodes],
      IamInstanceProfile: { Arn: demo.instanceProfileArn },
      InstanceInitiatedShutdownBehavior: "stop",
    });
  });

  it("demands tokens of the metadata service, one hop away", () => {
    expect(request().MetadataOptions).toEqual({
      HttpEndpoint: "enabled",
      HttpTokens: "required",
      HttpPutResponseHopLimit: 1,
    });
  });

  it("encrypts a gp3 disk that goes with the machine", () => {
    expect(request().BlockDeviceMappings).toEqual([
      {
        DeviceName: "/dev/sda1",
        Ebs: { VolumeType: "gp3", VolumeSize: 120, Encrypted: true, DeleteOnTermination: true },
      },
    ]);
  });

  it("carries no key pair and no user data", () => {
    expect(Object.keys(request())).not.toEqual(expect.arrayContaining(["KeyName"]));
    expect(request()).not.toHaveProperty("UserData");
  });

  it.each(["instance", "volume"])("tags the %s from its first second", (ResourceType) => {
    const tags = request("add-1:3").TagSpecifications?.find((one) => one.ResourceType === ResourceType)?.Tags ?? [];
    expect(Object.fromEntries(tags.map(({ Key, Value }) => [Key, Value]))).toEqual({
      Name: "prod-west-web",
      "casement:cluster": "prod-west",
      "casement:pool": "web",
      "casement:operation": "add-1",
      "casement:launched": "true",
      "kubernetes.io/cluster/prod-west-x7k2p": "owned",
      "cost-centre": "4711",
    });
  });

  it("keeps its own tags where the configuration has others of these keys", () => {
    const machineTags = { Name: "theirs", "kubernetes.io/cluster/prod-west-x7k2p": "shared" };
    const { TagSpecifications: [{ Tags = [] } = {}] = [] } = launchRequest(
      { ...configuration, machineTags },
      "web",
      workOf("add-1:0"),
      image,
      first,
    );
    const values = Object.keys(machineTags).map((key) => Tags.filter(({ Key }) => Key === key));
    expect(values).toEqual([
      [{ Key: "Name", Value: "prod-west-web" }],
      [{ Key: "kubernetes.io/cluster/prod-west-x7k2p", Value: "owned" }],
    ]);
  });

  it("has the same token for the same attempt, and another one for each other", () => {
    const tokens = [
      request(),
      request("add-1:1"),
      request("add-2:0"),
      request("add-1:0", { ...first, attempt: 1 }),
      request("add-1:0", { ...first, subnet: demo.subnets[1].id }),
      request("add-1:0", { ...first, instanceType: "m5.xlarge" }),
    ].map(({ ClientToken }) => ClientToken ?? "");
    expect(request().ClientToken).toBe(tokens[0]);
    expect(new Set(tokens).size).toBe(tokens.length);
    for (const token of tokens) expect(token).toMatch(/^[\x21-\x7e]{1,64}$/);
  });

  it("is refused for a pool that is gone from the configuration", () => {
    expect(() => launchRequest(configuration, "gone", workOf("add-1:0"), image, first)).toThrow(Refused);
  });
});

describe("The candidates of a node", () => {
  it("are every subnet for the first type, then for the next, numbered in order", () => {
    const [a, b, c] = demo.subnets.map(({ id }) => id);
    expect(candidatesOf(web, 0).map(({ subnet, instanceType }) => [instanceType, subnet])).toEqual([
      ["m6i.xlarge", a],
      ["m6i.xlarge", b],
      ["m6i.xlarge", c],
      ["m5.xlarge", a],
      ["m5.xlarge", b],
      ["m5.xlarge", c],
    ]);
    expect(candidatesOf(web, 0).map(({ attempt }) => attempt)).toEqual([0, 1, 2, 3, 4, 5]);
  });

  it("begin in another zone for each node of an operation", () => {
    const firsts = [0, 1, 2, 3].map((index) => candidatesOf(web, index)[0]?.subnet);
    expect(firsts).toEqual([0, 1, 2, 0].map((at) => demo.subnets[at]?.id));
  });
});

describe("An instance that EC2 does not know", () => {
  it("may be known a moment later: its end is tried again", async () => {
    const code = "InvalidInstanceID.NotFound";
    const body = `<Response><Errors><Error><Code>${code}</Code><Message>no</Message></Error></Errors></Response>`;
    const { verbs } = answering({ ...holding, TerminateInstances: () => ({ status: 400, body }) });
    await expect(verbs.instances.terminate(held)).rejects.toThrow(Retryable);
  });
});

describe("Instances on the simulator", () => {
  let simulator: TestSimulator;
  beforeAll(async () => {
    simulator = await testSimulator();
  });
  afterAll(() => simulator.close());
  // EC2's buckets fill again.
  beforeEach(() => simulator.pass(60));
  const verbs = () => simulator.as("provision-node");
  const launched = async (owner: string): Promise<string> => {
    const answer = await verbs().instances.launch(request(owner));
    if (!("instanceId" in answer)) throw new Error(answer.noRoom);
    return answer.instanceId;
  };

  it("are launched once, however often the same attempt is repeated", async () => {
    const instanceId = await launched("once:0");
    expect(await launched("once:0")).toBe(instanceId);
    expect(await launched("once:1")).not.toBe(instanceId);
  });

  it.each([
    "InsufficientInstanceCapacity",
    "VcpuLimitExceeded",
    "InsufficientFreeAddressesInSubnet",
    "Unsupported",
    "UnfulfillableCapacity",
    "ReservationCapacityExceeded",
    "InsufficientVolumeCapacity",
  ])("find no room where EC2 says %s, and there is room in the next place", async (code) => {
    const { faults } = simulator.simulation;
    const fault = faults.inject("no-capacity", { code, subnet: demo.subnets[0].id });
    const asked = () => simulator.simulation.calls.after(0).filter(({ action }) => action === "RunInstances").length;
    const before = asked();
    const answer = await verbs().instances.launch(request(`${code.toLowerCase()}:0`));
    expect(answer).toEqual({ noRoom: code });
    expect(asked() - before).toBe(1);
    const next = { ...first, attempt: 1, subnet: demo.subnets[1].id };
    expect(await verbs().instances.launch(request(`${code.toLowerCase()}:0`, next))).toHaveProperty("instanceId");
    faults.end(fault?.id ?? "");
  });

  it("are not launched by a request that is wrong, and that is no lack of room", async () => {
    const wrong = { ...request("wrong:0"), SubnetId: "subnet-0ffffffffffffffff" };
    await expect(verbs().instances.launch(wrong)).rejects.toMatchObject({ name: expect.stringMatching(/Invalid/) });
    const other = verbs().instances.launch({ ...request("once:0"), InstanceType: "m5.xlarge" });
    await expect(other).rejects.toMatchObject({ name: "IdempotentParameterMismatch:launch-refused" });
  });

  it.each([
    ["VolumeLimitExceeded", "volume-quota"],
    ["MaxIOPSLimitExceeded", "volume-quota"],
    ["Blocked", "account-refused"],
    ["OptInRequired", "account-refused"],
    ["PendingVerification", "launch-later"],
  ])("are not launched where EC2 says %s, which ends the launch with %s", async (ec2, code) => {
    const { faults } = simulator.simulation;
    const fault = faults.inject("no-capacity", { code: ec2 });
    const refused = await verbs()
      .instances.launch(request(`${code}-${ec2.toLowerCase()}:0`))
      .catch((error: unknown) => error);
    faults.end(fault?.id ?? "");
    expect(refused).toBeInstanceOf(Error);
    expect(codeOf(refused as Error)).toBe(code);
  });

  it("are missed by some looks at first, then seen as they are", async () => {
    const instanceId = await launched("seen:0");
    const looks = Array.from({ length: 12 }, () => verbs().instances.describe(instanceId));
    expect(await Promise.all(looks)).toContain(undefined);
    await simulator.pass(120);
    const machine = await verbs().instances.describe(instanceId);
    expect(machine).toMatchObject({ instanceId, state: "running", zone: "us-west-2a" });
    expect(machine?.privateDnsName).toMatch(/^ip-10-0-0-\d+\.us-west-2\.compute\.internal$/);
    expect(machine && launcherOf(machine)).toBe("seen");
    expect(await simulator.as("remove-node").instances.isProtected(instanceId)).toBe(false);
  });

  it("count for the pool only if we launched them for this cluster", async () => {
    const base = {
      system: "2022",
      instanceType: "m5.xlarge",
      groups: [],
      profileArn: null,
      launchedAt: START,
    } as const;
    const seed = (instanceId: string, privateIp: string, tags: Record<string, string>) =>
      simulator.ec2.seed({ ...base, instanceId, privateIp, subnetId: demo.subnets[1].id, tags });
    const ours = { "casement:cluster": "prod-west", "casement:pool": "batch", "casement:launched": "true" };
    seed("i-0b000000000000001", "10.0.1.201", ours);
    seed("i-0b000000000000002", "10.0.1.202", { ...ours, "casement:cluster": "prod-east" });
    seed("i-0b000000000000003", "10.0.1.203", { ...ours, "casement:pool": "web2" });
    seed("i-0b000000000000004", "10.0.1.204", { "casement:cluster": "prod-west", "casement:pool": "batch" });
    const found = await simulator.as("add-nodes").instances.ofPool("prod-west", "batch");
    expect(found.map(({ instanceId }) => instanceId)).toEqual(["i-0b000000000000001"]);
  });

  it("are terminated by their leaseholder only, and twice is the same", async () => {
    const instanceId = await launched("end:0");
    await simulator.pass(60);
    const { leases, instances } = verbs();
    const lease = await leases.take(instanceId, "end:0");
    await expect(instances.terminate({ ...lease, epoch: 9 })).rejects.toThrow(Refused);
    expect(await instances.describe(instanceId)).toMatchObject({ state: "running" });
    await instances.terminate(lease);
    await instances.terminate(lease);
    await simulator.pass(300);
    expect((await instances.describe(instanceId))?.state ?? "terminated").toBe("terminated");
    await expect(instances.ofCluster(demo.cluster.id)).resolves.not.toContainEqual(
      expect.objectContaining({ instanceId }),
    );
  });

  it("that somebody else launched cannot be terminated with our permissions", async () => {
    const instanceId = "i-0b000000000000004";
    const { leases, instances } = verbs();
    const lease = await leases.take(instanceId, "end:1");
    await expect(instances.terminate(lease)).rejects.toMatchObject({ name: "UnauthorizedOperation" });
  });

  it("are only launched behind a security group that is as the profile needs it", async () => {
    const { instances } = simulator.as("add-nodes");
    await instances.checkSecurityGroup(demo.securityGroups.windowsNodes, okd.ports({ hybridOverlayPort: 4789 }));
    const linux = instances.checkSecurityGroup(demo.securityGroups.linuxNodes, okd.ports({ hybridOverlayPort: 4789 }));
    await expect(linux).rejects.toThrow(/has wrong rules: it does not admit/);
    await expect(linux).rejects.toThrow(Refused);
  });
});
