import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { launch } from "../../lambdas/workflows/provision/launch.ts";
import { configurationWith } from "../desired/okd-facts.ts";
import { diary, jobOn, machine } from "./a-job.ts";
import { run, setUp, tearDown } from "./engine.ts";

beforeAll(setUp);
afterAll(tearDown);

const places = { take: async () => true };
const leases = { take: async () => ({ instanceId: machine.instanceId, owner: "add-1:0", epoch: 1 }) };

/** Launches a node in a cluster where so many requests pend at each look, and EC2 answers so at each attempt. */
async function launched(pending: readonly number[], answers: readonly object[], free = places) {
  const asked: (string | undefined)[] = [];
  let look = 0;
  const given = {
    csrs: { pendingCount: async () => pending[Math.min(look++, pending.length - 1)] },
    places: free,
    leases,
    instances: {
      launch: async ({ SubnetId }: { SubnetId?: string }) => answers[asked.push(SubnetId) - 1] ?? {},
    },
  };
  const pool = configurationWith({}, { subnets: ["subnet-0aaa", "subnet-0bbb"] }).pools.web;
  const ended = await run((ctx) => launch(jobOn(ctx, diary(), given, pool ? { pool } : {})));
  return { status: ended.status, error: ended.error.message, asked, looks: look };
}

const here = { instanceId: machine.instanceId };

describe("A launch", () => {
  it("waits while more than fifty certificate requests are pending, and goes on at fifty", async () => {
    expect(await launched([51, 51, 50], [here])).toMatchObject({ status: "SUCCEEDED", looks: 3 });
    const never = await launched([51], [here]);
    expect(never.asked).toEqual([]);
    expect(never.error).toContain("fewer than 50 pending certificate requests (there are 51)");
  });

  it("waits for one of the places for machines on their way in", async () => {
    const never = await launched([0], [here], { take: async () => false });
    expect(never.asked).toEqual([]);
    expect(never.error).toContain("one of 20 places");
  });

  it("tries the next place where EC2 has no room, and says where it tried when there is none anywhere", async () => {
    const full = { noRoom: "InsufficientInstanceCapacity" };
    expect((await launched([0], [full, here])).asked).toEqual(["subnet-0aaa", "subnet-0bbb"]);
    expect((await launched([0], [full, full])).error).toBe(
      "EC2 has no room anywhere: m6i.large in subnet-0aaa: InsufficientInstanceCapacity; " +
        "m6i.large in subnet-0bbb: InsufficientInstanceCapacity",
    );
  });
});
