import type { Pool } from "../../configuration.ts";
import { Refused } from "../../errors.ts";
import { takenOut } from "../../messages/provision/machine-outcome.ts";
import { claimedByOthers } from "../../messages/remove/refusal.ts";
import { claimOn } from "../../steps/cluster/claims.ts";
import { PENDING_AT_MOST } from "../../steps/cluster/csrs.ts";
import { endOf, type Machine } from "../../steps/ec2/instances.ts";
import { type Candidate, candidatesOf, launchRequest } from "../../steps/ec2/launch-request.ts";
import { UNREGISTERED_AT_ONCE } from "../../steps/ledger/join-slots.ts";
import { done, MINUTE, pending, StageFailed } from "../engine/durable.ts";
import { addNotes } from "../node/notes.ts";
import { once, record, waitFor } from "../node/task.ts";
import { auditNode } from "../operation/audit.ts";
import { machineOf, type ProvisionTask } from "./task.ts";

/** Launches one instance, in the first place that has room for it, and takes its lease. */
export async function launch(task: ProvisionTask): Promise<void> {
  // Standing in line is not launching: the stage's deadline begins with the place.
  const { queue, launch: launching } = task.runtime.configuration.deadlines.provision;
  await boundBy(task, "stand in line", queue);
  await waitForPlace(task);
  await boundBy(task, "the launch begins", launching);
  const instanceId = await firstWithRoom(task);
  task.lease = await once(task, "take the lease", async () => {
    await record(task, { instanceId });
    const change = { change: "launch the instance", pool: task.start.pool, image: task.start.image.imageId };
    await auditNode(task, "launch", { what: "changed", node: { instanceId }, detail: change });
    return task.steps.leases.take(instanceId, task.owner);
  });
  const machine = await waitFor(task, "the instance runs", async () => {
    const seen = await task.steps.instances.describe(instanceId);
    return isUp(seen) ? done(seen) : pending(`EC2 to start ${instanceId}`);
  });
  task.machine = machine;
  await unclaimed(task, machine, "no other controller claims the new machine");
}

/**
 * Makes sure that no other controller of the cluster calls the machine its own: an address that EC2 reuses may still be in
 * a controller's list.
 * @throws StageFailed that names the claim
 */
export async function unclaimed(task: ProvisionTask, machine: Machine, name: string): Promise<void> {
  const claim = claimOn(machine, await once(task, name, () => task.steps.claims.all()));
  if (claim) throw new StageFailed(claimedByOthers(claim.machine, claim.kind, claim.owner));
}

/** From now on so many minutes count, and no more. */
async function boundBy(task: ProvisionTask, name: string, minutes: number): Promise<void> {
  const until = await once(task, name, async () => task.steps.now() + minutes * MINUTE);
  task.wait = { ...task.wait, until };
}

const isUp = (machine: Machine | undefined): machine is Machine => {
  if (machine && !["pending", "running"].includes(machine.state)) throw new StageFailed(endOf(machine));
  return machine?.state === "running" && machine.privateDnsName !== "";
};

/** Neither too many machines on their way in, nor too many certificate requests in front of the cluster's approver. */
const waitForPlace = (task: ProvisionTask): Promise<true> =>
  waitFor(task, "a place is free", async () => {
    const requests = await task.steps.csrs.pendingCount();
    if (requests > PENDING_AT_MOST)
      return pending(`fewer than ${PENDING_AT_MOST} pending certificate requests (there are ${requests})`);
    if (!(await task.steps.joinSlots.take(task.owner))) return pending(`one of ${UNREGISTERED_AT_ONCE} join slots`);
    return done(true);
  });

async function firstWithRoom(task: ProvisionTask): Promise<string> {
  const { configuration } = task.runtime;
  const refusals: string[] = [];
  for (const candidate of await placesLeft(task)) {
    const where = `${candidate.instanceType} in ${candidate.subnet}`;
    const request = launchRequest(configuration, task.start.pool, task.start, task.start.image, candidate);
    const launched = await once(task, `launch ${where}`, () => task.steps.instances.launch(request));
    if ("instanceId" in launched) return launched.instanceId;
    refusals.push(`${where}: ${launched.noRoom}`);
  }
  throw new StageFailed(`EC2 has no capacity in any subnet: ${refusals.join("; ")}`);
}

/**
 * The subnets and instance types of this add that the pool still has. A deployment that took one out while the node stood in
 * line took the right to launch there too.
 * @throws StageFailed when none is left
 */
async function placesLeft(task: ProvisionTask): Promise<Candidate[]> {
  const today = await once(task, "read the pool as it is today", () => poolOfToday(task));
  const { name, instanceTypes, subnets } = today;
  const candidates = candidatesOf(task.pool, task.start.index);
  const left = candidates.filter((one) => subnets.includes(one.subnet) && instanceTypes.includes(one.instanceType));
  const gone = [...task.pool.subnets, ...task.pool.instanceTypes].filter(
    (one) => ![...subnets, ...instanceTypes].includes(one),
  );
  if (left.length === 0) throw new StageFailed(takenOut.everything(name, gone));
  if (gone.length > 0)
    await once(task, "say what was taken out of the pool", () => addNotes(task, [takenOut.some(name, gone)]));
  return left;
}

/** While the newest configuration cannot be read, the node's own counts: EC2 refuses what is not allowed any more. */
async function poolOfToday({
  steps,
  start,
  pool,
}: ProvisionTask): Promise<Pick<Pool, "subnets" | "instanceTypes"> & { name: string }> {
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
export async function agentOnline(task: ProvisionTask): Promise<void> {
  const { instanceId } = machineOf(task);
  await waitFor(task, "the agent is online", async () => {
    const machine = await task.steps.instances.describe(instanceId);
    if (!isUp(machine)) return pending(`EC2 to show ${instanceId}`);
    const agent = await task.steps.machine.agent(instanceId);
    return agent.online ? done(true) : pending("the SSM agent to come online after first boot");
  });
}
