import type { Pool } from "../../configuration.ts";
import { Refused } from "../../errors.ts";
import { takenOut } from "../../messages/provision/failures.ts";
import { claimedByOthers } from "../../messages/remove/refusal.ts";
import { claimOn } from "../../steps/cluster/claims.ts";
import { PENDING_AT_MOST } from "../../steps/cluster/csrs.ts";
import { endOf, type Machine } from "../../steps/ec2/instances.ts";
import { type Candidate, candidatesOf, launchRequest } from "../../steps/ec2/launch-request.ts";
import { UNREGISTERED_AT_ONCE } from "../../steps/ledger/join-slots.ts";
import { done, MINUTE, pending, StageFailed } from "../engine/durable.ts";
import { type Job, machineOf, once, record, remark, waitFor } from "./job.ts";

/** Launches one instance, in the first place that has room for it, and takes its lease. */
export async function launch(job: Job): Promise<void> {
  // Standing in line is not launching: the stage's deadline begins with the place.
  const { queue, launch: launching } = job.runtime.configuration.deadlines;
  await boundBy(job, "stand in line", queue);
  await waitForPlace(job);
  await boundBy(job, "the launch begins", launching);
  const instanceId = await firstWithRoom(job);
  job.lease = await once(job, "take the lease", async () => {
    await record(job, { instanceId });
    return job.steps.leases.take(instanceId, job.owner);
  });
  job.machine = await waitFor(job, "the instance runs", async () => {
    const machine = await job.steps.instances.describe(instanceId);
    return isUp(machine) ? done(machine) : pending(`EC2 to start ${instanceId}`);
  });
  await unclaimed(job, job.machine, "nobody else claims the new machine");
}

/**
 * Makes sure that no other controller of the cluster calls the machine its own: an address that EC2 gives again may still stand
 * in somebody's list.
 * @throws StageFailed that names the claim
 */
export async function unclaimed(job: Job, machine: Machine, name: string): Promise<void> {
  const claim = claimOn(machine, await once(job, name, () => job.steps.claims.all()));
  if (claim) throw new StageFailed(claimedByOthers(claim.machine, claim.kind, claim.owner));
}

/** From now on so many minutes count, and no more. */
async function boundBy(job: Job, name: string, minutes: number): Promise<void> {
  const until = await once(job, name, async () => job.steps.now() + minutes * MINUTE);
  job.bounds = { ...job.bounds, until };
}

const isUp = (machine: Machine | undefined): machine is Machine => {
  if (machine && !["pending", "running"].includes(machine.state)) throw new StageFailed(endOf(machine));
  return machine?.state === "running" && machine.privateDnsName !== "";
};

/** Neither too many machines on their way in, nor too many certificate requests in front of the cluster's approver. */
const waitForPlace = (job: Job): Promise<true> =>
  waitFor(job, "a place is free", async () => {
    const requests = await job.steps.csrs.pendingCount();
    if (requests > PENDING_AT_MOST)
      return pending(`fewer than ${PENDING_AT_MOST} pending certificate requests (there are ${requests})`);
    if (!(await job.steps.places.take(job.owner)))
      return pending(`one of ${UNREGISTERED_AT_ONCE} places for machines on their way in`);
    return done(true);
  });

async function firstWithRoom(job: Job): Promise<string> {
  const { configuration } = job.runtime;
  const refusals: string[] = [];
  for (const candidate of await placesLeft(job)) {
    const where = `${candidate.instanceType} in ${candidate.subnet}`;
    const request = launchRequest(configuration, job.start.pool, job.start, job.start.image, candidate);
    const launched = await once(job, `launch ${where}`, () => job.steps.instances.launch(request));
    if ("instanceId" in launched) return launched.instanceId;
    refusals.push(`${where}: ${launched.noRoom}`);
  }
  throw new StageFailed(`EC2 has no room anywhere: ${refusals.join("; ")}`);
}

/**
 * The subnets and instance types of this add that the pool still has. A deployment that took one out while the node stood in
 * line took the right to launch there too.
 * @throws StageFailed when none is left
 */
async function placesLeft(job: Job): Promise<Candidate[]> {
  const today = await once(job, "read the pool as it is today", () => poolOfToday(job));
  const { name, instanceTypes, subnets } = today;
  const candidates = candidatesOf(job.pool, job.start.index);
  const left = candidates.filter((one) => subnets.includes(one.subnet) && instanceTypes.includes(one.instanceType));
  const gone = [...job.pool.subnets, ...job.pool.instanceTypes].filter(
    (one) => ![...subnets, ...instanceTypes].includes(one),
  );
  if (left.length === 0) throw new StageFailed(takenOut.everything(name, gone));
  if (gone.length > 0)
    await once(job, "say what was taken out of the pool", () => remark(job, [takenOut.some(name, gone)]));
  return left;
}

/** While the newest configuration cannot be read, the node's own counts: EC2 refuses what is not allowed any more. */
async function poolOfToday({
  steps,
  start,
  pool,
}: Job): Promise<Pick<Pool, "subnets" | "instanceTypes"> & { name: string }> {
  const name = start.pool;
  try {
    const { subnets = [], instanceTypes = [] } = (await steps.runtime.read(null)).configuration.pools[name] ?? {};
    return { name, subnets, instanceTypes };
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return { name, subnets: pool.subnets, instanceTypes: pool.instanceTypes };
  }
}

/** The SSM agent answers: sysprep and first boot are over. */
export async function agentOnline(job: Job): Promise<void> {
  const { instanceId } = machineOf(job);
  await waitFor(job, "the agent is online", async () => {
    const machine = await job.steps.instances.describe(instanceId);
    if (!isUp(machine)) return pending(`EC2 to show ${instanceId}`);
    const agent = await job.steps.machine.agent(instanceId);
    return agent.online ? done(true) : pending("the SSM agent to come online after the first boot");
  });
}
