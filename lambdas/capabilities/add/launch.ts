import { addNotes } from "../../change/node/notes.ts";
import { once, record, waitFor } from "../../change/node/task.ts";
import { auditNode } from "../../change/operation/audit.ts";
import type { Configuration, Pool } from "../../configuration/configuration.ts";
import { done, MINUTE, pending, StageFailed } from "../../engine/durable.ts";
import { Refused } from "../../errors.ts";
import { endedWithoutRoom, takenOut } from "../../messages/provision/machine-outcome.ts";
import { claimedByOthers } from "../../messages/remove/refusal.ts";
import type { FailureCode } from "../../records/failures.ts";
import { claimOn } from "../../steps/cluster/claims.ts";
import { PENDING_AT_MOST } from "../../steps/cluster/csrs.ts";
import { codeOfEnd, instanceEnd, noRoomAtEnd } from "../../steps/ec2/instance-end.ts";
import { hasEnded, type Machine } from "../../steps/ec2/instances.ts";
import { launchCodes } from "../../steps/ec2/launch-codes.ts";
import { type Candidate, candidatesOf, launchRequest } from "../../steps/ec2/launch-request.ts";
import { UNREGISTERED_AT_ONCE } from "../../steps/ledger/join-slots.ts";
import { machineOf, type ProvisionTask } from "./task.ts";

/** Launches one instance, in the first subnet and instance type with capacity, and takes its lease. */
export async function launch(task: ProvisionTask): Promise<void> {
  // The wait in the queue has a deadline of its own; the launch's deadline starts after it.
  const { queue, launch: launching } = task.runtime.configuration.deadlines.provision;
  await boundBy(task, "stand in line", queue);
  await waitForPlace(task);
  await boundBy(task, "the launch begins", launching);
  const machine = await firstWithRoom(task);
  task.machine = machine;
  await unclaimed(task, machine, "no other controller claims the new machine");
}

/**
 * Checks that no other controller of the cluster claims the machine: an address that EC2 reuses may still be in a
 * controller's list.
 * @throws StageFailed that names the claim
 */
export async function unclaimed(task: ProvisionTask, machine: Machine, name: string): Promise<void> {
  const claim = claimOn(machine, await once(task, name, () => task.steps.claims.all()));
  if (claim) throw new StageFailed("address-claimed", claimedByOthers(claim.machine, claim.kind, claim.owner));
}

/** Sets the deadline of the following waits, in minutes from now. */
async function boundBy(task: ProvisionTask, name: string, minutes: number): Promise<void> {
  const until = await once(task, name, async () => task.steps.now() + minutes * MINUTE);
  task.wait = { ...task.wait, until };
}

const isUp = (machine: Machine | undefined): machine is Machine => {
  if (machine && !["pending", "running"].includes(machine.state))
    throw new StageFailed(codeOfEnd(machine), instanceEnd(machine));
  return machine?.state === "running" && machine.privateDnsName !== "";
};

/** Names the wait for a new instance. */
const starting = (instanceId: string, machine: Machine | undefined) =>
  machine?.state === "running"
    ? pending(`EC2 to give ${instanceId} its private DNS name, which takes DNS hostnames in the VPC`, {
        code: "private-name-missing",
      })
    : pending(`EC2 to start ${instanceId}`);

/** Waits for a join slot, while few enough certificate requests are pending for the cluster's approver. */
const waitForPlace = (task: ProvisionTask): Promise<true> =>
  waitFor(task, "a place is free", async () => {
    const requests = await task.steps.csrs.pendingCount();
    if (requests > PENDING_AT_MOST)
      return pending(`fewer than ${PENDING_AT_MOST} pending certificate requests (there are ${requests})`, {
        code: "certificate-requests-pending",
      });
    if (!(await task.steps.joinSlots.take(task.owner)))
      return pending(`one of ${UNREGISTERED_AT_ONCE} join slots`, { code: "join-slots-taken" });
    return done(true);
  });

async function firstWithRoom(task: ProvisionTask): Promise<Machine> {
  const { pool, image } = task.start;
  const today = await once(task, "read the pool as it is today", () => poolOfToday(task));
  const places = await placesLeft(task, today);
  const configuration = await configurationOfToday(task, today);
  const refusals: Refusal[] = [];
  let accepted = 0;
  for (const candidate of places) {
    const { instanceType, subnet } = candidate;
    const request = launchRequest(configuration, pool, task.start, image, candidate);
    const launched = await once(task, `launch ${instanceType} in ${subnet}`, () =>
      task.steps.instances.launch(request),
    );
    const started = "noRoom" in launched ? launched : await start(task, launched.instanceId, ++accepted);
    if (!("noRoom" in started)) return started;
    refusals.push({ instanceType, subnet, noRoom: started.noRoom });
  }
  throw noRoom(refusals);
}

/** EC2's error code for a place without capacity. */
type NoRoom = Pick<Refusal, "noRoom">;

/**
 * Takes the lease of an instance that EC2 has accepted, and waits until it runs. EC2 may find only now that the place has
 * no room: then the instance ends by itself, and the launch goes on as after a refusal.
 * @param count of the instances that EC2 has accepted for this node, with this one
 */
async function start(task: ProvisionTask, instanceId: string, count: number): Promise<Machine | NoRoom> {
  const { steps, owner } = task;
  const named = (name: string): string => (count === 1 ? name : `${name}, instance ${count}`);
  task.launched = instanceId;
  const lease = await once(task, named("take the lease"), async () => {
    await record(task, { instanceId });
    const change = { change: "launch the instance", pool: task.start.pool, image: task.start.image.imageId };
    await auditNode(task, named("launch"), { what: "changed", node: { instanceId }, detail: change });
    return steps.leases.take(instanceId, owner);
  });
  task.lease = lease;
  const wait = { ...task.wait, endOfMachine: async () => null };
  const end = await waitFor<Machine | NoRoom>({ ...task, wait }, named("the instance runs"), async () => {
    const seen = await steps.instances.describe(instanceId);
    const noRoomThere = seen && hasEnded(seen) ? noRoomAtEnd(seen) : null;
    if (noRoomThere !== null) return done({ noRoom: noRoomThere });
    return isUp(seen) ? done(seen) : starting(instanceId, seen);
  });
  if (!("noRoom" in end)) return end;
  await once(task, named("there was no room"), async () => {
    await addNotes(task, [endedWithoutRoom(instanceId, end.noRoom)]);
    const detail = { change: "EC2 ended the instance", why: end.noRoom };
    await auditNode(task, named("no room"), { what: "changed", node: { instanceId }, detail });
    await steps.leases.release(lease);
    await record(task, { instanceId: null });
  });
  task.lease = null;
  task.launched = null;
  return end;
}

/** A subnet and instance type without capacity, and EC2's error code. */
interface Refusal {
  readonly instanceType: string;
  readonly subnet: string;
  readonly noRoom: string;
}

/**
 * Codes that are more precise than missing capacity. The first one in this list that EC2 answered anywhere is reported.
 */
const moreThanCapacity: readonly FailureCode[] = ["vcpu-quota", "subnet-full"];

function noRoom(refusals: readonly Refusal[]): StageFailed {
  const found = new Set(refusals.map((one) => launchCodes[one.noRoom]?.code));
  const code = moreThanCapacity.find((one) => found.has(one)) ?? "no-capacity";
  const byAnswer = Map.groupBy(refusals, ({ instanceType, noRoom: answer }) => `${instanceType}: ${answer}`);
  const words = [...byAnswer]
    .map(([answer, those]) => `${answer} in ${those.map(({ subnet }) => subnet).join(", ")}`)
    .join("; ");
  return new StageFailed(code, `EC2 has no capacity in any subnet: ${words}`);
}

/** Values of the newest configuration that bound a launch: after a deployment, IAM allows only these. */
interface Today extends Pick<Pool, "subnets" | "instanceTypes" | "metadataTokens"> {
  /** ARN of the key of volumes; null if the account's default key encrypts them. */
  readonly volumeKey: string | null;
  /** An execution of an earlier release has recorded none. */
  readonly machineTags?: Readonly<Record<string, string>> | undefined;
}

/**
 * Lists the subnets and instance types of this add that the pool still has. A deployment that removed one while the
 * node was queued also removed the right to launch there.
 * @throws StageFailed when none is left
 */
async function placesLeft(task: ProvisionTask, { instanceTypes, subnets }: Today): Promise<Candidate[]> {
  const name = task.start.pool;
  const candidates = candidatesOf(task.pool, task.start.index);
  const left = candidates.filter((one) => subnets.includes(one.subnet) && instanceTypes.includes(one.instanceType));
  const gone = [...task.pool.subnets, ...task.pool.instanceTypes].filter(
    (one) => ![...subnets, ...instanceTypes].includes(one),
  );
  if (left.length === 0) throw new StageFailed("pool-changed", takenOut.everything(name, gone));
  if (gone.length > 0)
    await once(task, "say what was taken out of the pool", () => addNotes(task, [takenOut.some(name, gone)]));
  return left;
}

/** The operation's own configuration, with the launch options of the newest one. */
async function configurationOfToday(task: ProvisionTask, today: Today): Promise<Configuration> {
  const { metadataTokens, volumeKey, machineTags = {} } = today;
  const { volumeKey: before, ...configuration } = task.runtime.configuration;
  const name = task.start.pool;
  const changed = [
    ...(metadataTokens === task.pool.metadataTokens ? [] : ["metadataTokens"]),
    ...(volumeKey === (before ?? null) ? [] : ["volumeKey"]),
  ];
  if (changed.length > 0)
    await once(task, "say which options were changed", () => addNotes(task, [takenOut.changed(name, changed)]));
  const pools = { ...configuration.pools, [name]: { ...task.pool, metadataTokens } };
  return { ...configuration, pools, machineTags, ...(volumeKey === null ? {} : { volumeKey }) };
}

/**
 * Reads the newest configuration. If it cannot be read, the operation's own is used: EC2 refuses what is no longer
 * allowed.
 */
async function poolOfToday({ steps, start, pool, runtime }: ProvisionTask): Promise<Today> {
  try {
    const { configuration } = await steps.runtime.read(null);
    return todayIn(configuration, configuration.pools[start.pool] ?? { ...pool, subnets: [], instanceTypes: [] });
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return todayIn(runtime.configuration, pool);
  }
}

const todayIn = (
  { volumeKey, machineTags = {} }: Pick<Configuration, "volumeKey" | "machineTags">,
  { subnets, instanceTypes, metadataTokens }: Pool,
): Today => ({ subnets, instanceTypes, metadataTokens, volumeKey: volumeKey ?? null, machineTags });

/** Waits until the SSM agent answers: then sysprep and the first boot are over. */
export async function agentOnline(task: ProvisionTask): Promise<void> {
  const { instanceId } = machineOf(task);
  await waitFor(task, "the agent is online", async () => {
    const machine = await task.steps.instances.describe(instanceId);
    if (!isUp(machine)) return pending(`EC2 to show ${instanceId}`);
    const agent = await task.steps.machine.agent(instanceId);
    return agent.online ? done(true) : pending("the SSM agent to come online after first boot");
  });
}
