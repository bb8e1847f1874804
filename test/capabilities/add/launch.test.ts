import type { RunInstancesCommandInput } from "@aws-sdk/client-ec2";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { launch } from "../../../lambdas/capabilities/add/launch.ts";
import type { ProvisionTask } from "../../../lambdas/capabilities/add/task.ts";
import { Refused } from "../../../lambdas/errors.ts";
import type { MachineClaim } from "../../../lambdas/steps/cluster/claims.ts";
import { callLog, machine, taskOn } from "../../change/a-task.ts";
import { run, setUp, tearDown } from "../../engine/durable-engine.ts";
import { configurationWith } from "../../profiles/okd/facts.ts";

beforeAll(setUp);
afterAll(tearDown);

const slots = { take: async () => true };

const withPool = (pool: object) => configurationWith({}, pool);
const twoSubnets = withPool({ subnets: ["subnet-0aaa", "subnet-0bbb"] });

/** Launches a node in a cluster where so many requests pend at each look, and EC2 answers so at each attempt. */
async function launched(
  pending: readonly number[],
  answers: readonly object[],
  free = slots,
  today: () => Promise<object> = async () => twoSubnets,
  claimed: readonly MachineClaim[] = [],
  ends: Readonly<Record<string, string>> = {},
) {
  const asked: (string | undefined)[] = [];
  const requests: RunInstancesCommandInput[] = [];
  let look = 0;
  const log = callLog();
  const notes: string[] = [];
  const released: string[] = [];
  const given = {
    csrs: { pendingCount: async () => pending[Math.min(look++, pending.length - 1)] },
    claims: { all: async () => claimed },
    joinSlots: free,
    leases: {
      take: async (instanceId: string) => ({ instanceId, owner: "add-1:0", epoch: 1 }),
      release: async ({ instanceId }: { readonly instanceId: string }) => void released.push(instanceId),
    },
    runtime: { read: async () => ({ version: "2", configuration: await today() }) },
    ledger: {
      nodes: async () => [],
      changeNode: async (_id: string, _index: number, change: { notes?: string[] }) =>
        void notes.push(...(change.notes ?? [])),
    },
    instances: {
      describe: async (instanceId: string) => {
        const because = ends[instanceId];
        return { ...machine, instanceId, ...(because ? { state: "terminated", because } : {}) };
      },
      launch: async (request: RunInstancesCommandInput) => {
        requests.push(request);
        return answers[asked.push(request.SubnetId) - 1] ?? {};
      },
    },
  };
  const { web: pool } = twoSubnets.pools;
  const tasks: ProvisionTask[] = [];
  const ended = await run((ctx) => {
    const task = taskOn(ctx, log, given, pool ? { pool, machine: null, lease: null } : {});
    tasks.push(task);
    return launch(task);
  });
  const { machine: on, lease, launched: left } = tasks.at(-1) ?? {};
  const holds = { machine: on?.instanceId ?? null, lease: lease?.instanceId ?? null, launched: left };
  return { holds, released, status: ended.status, error: ended.error.message, asked, requests, looks: look, notes };
}

const here = { instanceId: machine.instanceId };

describe("A launch", () => {
  it("waits while more than fifty certificate requests are pending, and goes on at fifty", {
    tags: ["long"],
  }, async () => {
    expect(await launched([51, 51, 50], [here])).toMatchObject({ status: "SUCCEEDED", looks: 3 });
    const never = await launched([51], [here]);
    expect(never.asked).toEqual([]);
    expect(never.error).toContain("fewer than 50 pending certificate requests (there are 51)");
  });

  it("waits for one of the slots for machines on their way in", { tags: ["long"] }, async () => {
    const never = await launched([0], [here], { take: async () => false });
    expect(never.asked).toEqual([]);
    expect(never.error).toContain("one of 20 join slots");
  });

  it("tries the next place where EC2 has no room, and says where it tried when there is none anywhere", async () => {
    const full = { noRoom: "InsufficientInstanceCapacity" };
    expect((await launched([0], [full, here])).asked).toEqual(["subnet-0aaa", "subnet-0bbb"]);
    expect((await launched([0], [full, full])).error).toBe(
      "EC2 has no capacity in any subnet: m6i.large: InsufficientInstanceCapacity in subnet-0aaa, subnet-0bbb",
    );
  });

  describe("that EC2 accepts and then has no room for", () => {
    const accepted = ["i-1", "i-2"].map((instanceId) => ({ instanceId }));
    const full = "Server.InsufficientInstanceCapacity: There was insufficient capacity";

    it("goes on in the next place, says so, and leaves no lease behind", async () => {
      const next = await launched([0], accepted, slots, undefined, [], { "i-1": full });
      expect(next).toMatchObject({ status: "SUCCEEDED", asked: ["subnet-0aaa", "subnet-0bbb"], released: ["i-1"] });
      expect(next.holds).toEqual({ machine: "i-2", lease: "i-2", launched: "i-2" });
      expect(next.notes).toEqual([
        "EC2 ended i-1 before it ran (InsufficientInstanceCapacity); the next subnet or instance type is tried",
      ]);
    });

    it("fails as after refusals where no place has room, and holds nothing", async () => {
      const none = await launched([0], accepted, slots, undefined, [], { "i-1": full, "i-2": full });
      expect(none.error).toBe(
        "EC2 has no capacity in any subnet: m6i.large: InsufficientInstanceCapacity in subnet-0aaa, subnet-0bbb",
      );
      expect(none).toMatchObject({ released: ["i-1", "i-2"], holds: { machine: null, lease: null, launched: null } });
    });

    it("ends at once for any other reason", async () => {
      const failed = await launched([0], accepted, slots, undefined, [], {
        "i-1": "Server.InternalError: Internal error",
      });
      expect(failed).toMatchObject({ asked: ["subnet-0aaa"], released: [] });
      expect(failed.error).toContain("i-1 is terminated: EC2 says Server.InternalError");
    });
  });

  it("leaves out what a deployment has taken out of the pool since, and says so", async () => {
    const today = async () => withPool({ subnets: ["subnet-0bbb"] });
    const { asked, notes, status } = await launched([0], [here], slots, today);
    expect({ asked, status }).toEqual({ asked: ["subnet-0bbb"], status: "SUCCEEDED" });
    expect(notes).toEqual([expect.stringContaining("removed subnet-0aaa from pool web")]);
  });

  it.for([
    ["every subnet", { subnets: ["subnet-0ccc"] }],
    ["the instance type", { subnets: ["subnet-0aaa"], instanceTypes: ["m6i.2xlarge"] }],
  ] as const)("asks EC2 for nothing when a deployment has taken out %s", async ([, pool]) => {
    const { asked, error } = await launched([0], [here], slots, async () => withPool(pool));
    expect(asked).toEqual([]);
    expect(error).toContain("run the command again to use the current pool");
  });

  it("goes by the options of a launch that a deployment has changed since, because the others are not allowed any more", async () => {
    const volumeKey = "arn:aws:kms:us-west-2:111122223333:key/1a2b3c4d-1a2b-3c4d-5e6f-1a2b3c4d5e6f";
    const pool = { subnets: ["subnet-0aaa", "subnet-0bbb"], metadataTokens: "optional" };
    const machineTags = { owner: "platform" };
    const newest = async () => ({ ...withPool(pool), volumeKey, machineTags });
    const { requests, notes } = await launched([0], [here], slots, newest);
    const [{ MetadataOptions, BlockDeviceMappings, TagSpecifications } = {}] = requests;
    expect(TagSpecifications?.map(({ Tags }) => Tags?.[0])).toEqual([
      { Key: "owner", Value: "platform" },
      { Key: "owner", Value: "platform" },
    ]);
    expect(MetadataOptions?.HttpTokens).toBe("optional");
    expect(BlockDeviceMappings?.[0]?.Ebs?.KmsKeyId).toBe(volumeKey);
    expect(notes).toEqual([expect.stringContaining("changed metadataTokens and volumeKey for pool web")]);
  });

  it("ends at once when another controller of the cluster calls the new machine its own", async () => {
    const claim: MachineClaim = { machine: machine.privateIp, kind: "windows-instances", owner: machine.privateIp };
    const { status, error } = await launched([0], [here], slots, undefined, [claim]);
    expect(status).toBe("FAILED");
    expect(error).toContain(`claimed by the ConfigMap windows-instances`);
  });

  it("asks EC2 for nothing when a deployment has taken out the pool", async () => {
    const { asked, error } = await launched([0], [here], slots, async () => ({ ...twoSubnets, pools: {} }));
    expect(asked).toEqual([]);
    expect(error).toContain("removed subnet-0aaa, subnet-0bbb, m6i.large from pool web");
  });

  it("goes by its own configuration while the newest cannot be read", async () => {
    const unreadable = async () => {
      throw new Refused("not readable");
    };
    expect(await launched([0], [here], slots, unreadable)).toMatchObject({ asked: ["subnet-0aaa"], notes: [] });
  });
});
