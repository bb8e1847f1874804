import { guardFault } from "../../change/node/guard.ts";
import { addNotes } from "../../change/node/notes.ts";
import { clockFault, observe, observeAgent } from "../../change/node/observe.ts";
import { rebootThroughSsm } from "../../change/node/reboot.ts";
import { apply, once } from "../../change/node/task.ts";
import { sha256 } from "../../cluster/authorities.ts";
import { type TokenJoin, tokenJoinOf } from "../../cluster/joining.ts";
import { failureReason, StageFailed } from "../../engine/durable.ts";
import type { Action, Observation } from "../../machine/plan.ts";
import { buildOf } from "../../machine/windows-builds.ts";
import { proxiedMachine } from "../../messages/node/agent-proxy.ts";
import type { MachineSpec } from "../../profiles/machine-facts.ts";
import type { PlanName } from "../../profiles/profile.ts";
import type { StageFault } from "../../records/failures.ts";
import { giveInputs } from "./give-inputs.ts";
import { machineOf, nodeNameOf, type ProvisionTask } from "./task.ts";
import { anotherReboot, rebootStillPending } from "./windows-reboots-message.ts";

/** Collects the facts that decide the machine's configuration. */
function factsOf(task: ProvisionTask): MachineSpec {
  const { privateIp, instanceId } = machineOf(task);
  return {
    configuration: task.runtime.configuration,
    payload: task.runtime.payload,
    kubeletClients: task.kubeletClients,
    poolName: task.start.pool,
    pool: task.pool,
    nodeName: nodeNameOf(task),
    nodeIp: privateIp,
    build: buildOf(task.pool.windows),
    joinSecretId: task.steps.joinSecret.nameOf(instanceId),
  };
}

/** Actions of one of the profile's plans, for this machine. */
export const planOf = (task: ProvisionTask, name: PlanName): readonly Action[] =>
  task.profile.plans[name](factsOf(task));

/**
 * Installs and verifies the guard first: SSM cannot repair a lost metadata route, because its agent needs that route.
 */
export async function guardRoute(task: ProvisionTask): Promise<void> {
  await installGuard(task);
  const before = await readClock(task, "before the look");
  const seen = await observe(task, "verify the guard");
  const after = await readClock(task, "after the look");
  const fault = guardFault(seen) ?? clockFault(seen.clock * 1000, before, after);
  if (fault) throw new StageFailed(fault.code, fault.why);
}

/** Installs the guard. A machine that reaches AWS only through its agent's proxy cannot fetch it. */
async function installGuard(task: ProvisionTask): Promise<void> {
  try {
    await apply(task, "install the guard", planOf(task, "guard"));
  } catch (error) {
    if (failureReason(error).code !== "aws-unreachable") throw error;
    const places = await observeAgent(task, "look at the agent's proxy");
    throw places.length > 0 ? new StageFailed("agent-proxied", proxiedMachine(places)) : error;
  }
}

const readClock = (task: ProvisionTask, when: string): Promise<number> =>
  once(task, `read the clock ${when}`, async () => task.steps.now());

/** Reboots beside that of the features, for what an image or Windows Update left unfinished. */
const MORE_REBOOTS = 2;

/**
 * Reboots as often as Windows still asks for it, before any container network exists.
 * @param after the last look at the machine
 * @throws StageFailed naming the signs that the last reboot did not end
 */
async function rebootAgain(task: ProvisionTask, after: Observation): Promise<Observation> {
  let seen = after;
  for (let more = 1; seen.rebootPending; more += 1) {
    const { rebootSigns: signs = [] } = seen;
    if (more > MORE_REBOOTS) throw new StageFailed("windows-unfinished", rebootStillPending(signs, MORE_REBOOTS));
    await once(task, `say that reboot ${more} more is needed`, async () => {
      await addNotes(task, [anotherReboot(signs)]);
    });
    ({ after: seen } = await rebootThroughSsm(task, { suffix: `, ${more} more`, faultOf: networkFault }));
  }
  return seen;
}

/** Installs the features, with the reboot that they need, before any container network exists. */
export async function installFeatures(task: ProvisionTask): Promise<void> {
  const wanted = planOf(task, "features");
  const { rebootDue } = await apply(task, "install features", wanted);
  if (rebootDue) await rebootThroughSsm(task, { faultOf: networkFault });
  const after = await rebootAgain(task, await observe(task, "look at the features"));
  const names = wanted.flatMap((action) => (action.do === "feature" ? [action.name] : []));
  const missing = names.find((name) => !after.features.includes(name));
  if (missing !== undefined)
    throw new StageFailed("windows-unfinished", `the feature ${missing} is not installed after the reboot`);
}

/** Refuses the reboot if container networks exist: they would be lost. */
const networkFault = ({ hnsNetworks }: Observation): StageFault | null =>
  hnsNetworks.length > 0
    ? { code: "container-networks-exist", why: `container networks exist already: ${hnsNetworks.join(", ")}` }
    : null;

/** Installs the programs from the bucket, each verified by its hash. */
export const installPayload = (task: ProvisionTask): Promise<unknown> =>
  apply(task, "install the payload", planOf(task, "payload"));

/**
 * Writes files and services, then gives the machine its join token and starts the kubelet, which requests its
 * certificate. The token comes last because it is valid for only ten minutes.
 */
export async function configureMachine(task: ProvisionTask): Promise<void> {
  const { instanceId } = machineOf(task);
  const authority = await once(task, "read the kubelets' client authority", () =>
    task.steps.kubeletAuthority.read(task.runtime.configuration),
  );
  task.kubeletClients = authority.pem;
  await once(task, "say where it was read", async () => {
    if (authority.why !== null) await addNotes(task, [authority.why]);
  });
  await apply(task, "configure", planOf(task, "configure"));
  const { pem, authorities } = authority;
  await once(task, "record what it was given", () =>
    task.steps.machines.given.record(instanceId, task.owner, "kubeletClients", () => ({
      sha256: sha256(pem),
      authorities,
    })),
  );
  await giveInputs(task);
  const join = tokenJoinOf(task.profile.join);
  if (join) await giveToken(task, join, "make the join token");
  await apply(task, "start the kubelet", planOf(task, "start"));
}

/** Creates a join token for only this machine; its certificate requests carry the token's id. */
async function giveToken(task: ProvisionTask, join: TokenJoin, name: string): Promise<void> {
  const { instanceId } = machineOf(task);
  const token = await once(task, name, () =>
    task.steps.joinSecret.create(join, task.runtime.configuration, instanceId),
  );
  task.tokens = [...task.tokens, token];
}

/** Replaces a token that expired before the kubelet used it, and restarts the kubelet. */
export async function replaceToken(task: ProvisionTask): Promise<void> {
  const join = tokenJoinOf(task.profile.join);
  if (!join) return;
  const round = task.tokens.length + 1;
  const { instanceId } = machineOf(task);
  await once(task, `delete the join secret ${round - 1}`, () => task.steps.joinSecret.remove(instanceId));
  await giveToken(task, join, `make the join token ${round}`);
  await apply(task, `start the kubelet ${round}`, planOf(task, "rejoin"));
}
