import { PENDING_AT_MOST } from "../../steps/csrs.ts";
import { endOf, type Machine } from "../../steps/instances.ts";
import { candidatesOf, launchRequest } from "../../steps/launch-request.ts";
import { UNREGISTERED_AT_ONCE } from "../../steps/places.ts";
import { found, MINUTE, StageFailed, still } from "../durably.ts";
import { type Job, machineOf, once, record, waitFor } from "./job.ts";

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
    return isUp(machine) ? found(machine) : still(`EC2 to start ${instanceId}`);
  });
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
    const pending = await job.steps.csrs.pendingCount();
    if (pending > PENDING_AT_MOST)
      return still(`fewer than ${PENDING_AT_MOST} pending certificate requests (there are ${pending})`);
    if (!(await job.steps.places.take(job.owner)))
      return still(`one of ${UNREGISTERED_AT_ONCE} places for machines on their way in`);
    return found(true);
  });

async function firstWithRoom(job: Job): Promise<string> {
  const { configuration } = job.runtime;
  const refusals: string[] = [];
  for (const candidate of candidatesOf(job.pool, job.start.index)) {
    const where = `${candidate.instanceType} in ${candidate.subnet}`;
    const request = launchRequest(configuration, job.start.pool, job.owner, job.start.image, candidate);
    const launched = await once(job, `launch ${where}`, () => job.steps.instances.launch(request));
    if ("instanceId" in launched) return launched.instanceId;
    refusals.push(`${where}: ${launched.noRoom}`);
  }
  throw new StageFailed(`EC2 has no room anywhere: ${refusals.join("; ")}`);
}

/** The SSM agent answers: sysprep and first boot are over. */
export async function agentOnline(job: Job): Promise<void> {
  const { instanceId } = machineOf(job);
  await waitFor(job, "the agent is online", async () => {
    const machine = await job.steps.instances.describe(instanceId);
    if (!isUp(machine)) return still(`EC2 to show ${instanceId}`);
    const agent = await job.steps.machine.agent(instanceId);
    return agent.online ? found(true) : still("the SSM agent to come online after the first boot");
  });
}
