import type { Observation, RebootRequest, RebootResult } from "../../desired/plan.ts";
import { buildOf } from "../../desired/windows-builds.ts";
import type { MachineFacts } from "../../profiles/machine-facts.ts";
import {
  configureActions,
  featureActions,
  guardActions,
  payloadActions,
  rejoinActions,
  startActions,
} from "../../profiles/okd/plans.ts";
import { MINUTE, StageFailed } from "../engine/durable.ts";
import { runScript } from "../engine/run-script.ts";
import { apply, type Job, leaseOf, machineOf, mayBeLost, observe, once, remark } from "./job.ts";

/** Everything that decides what this machine looks like. */
export function factsOf(job: Job): MachineFacts {
  const { privateDnsName, privateIp, instanceId } = machineOf(job);
  return {
    configuration: job.runtime.configuration,
    payload: job.runtime.payload,
    kubeletClients: job.kubeletClients,
    poolName: job.start.pool,
    pool: job.pool,
    nodeName: privateDnsName,
    nodeIp: privateIp,
    build: buildOf(job.pool.windows),
    joinSecretId: job.steps.joinSecret.nameOf(instanceId),
  };
}

/** Finds fault with the guard; null when a reboot would be survived. */
function guardFault({ guard, metadataAnswers }: Observation): string | null {
  if (!guard.present || !guard.taskEnabled)
    return "the guard of the metadata route is not installed as a scheduled task";
  if (guard.lastResult !== 0) {
    const why = guard.error ? `: ${guard.error}` : "";
    return `the guard of the metadata route ended with ${guard.lastResult ?? "no result"}${why}`;
  }
  if (guard.paths !== 1) return `the guard finds ${guard.paths} network paths to choose from instead of one`;
  return metadataAnswers ? null : "the metadata service does not answer";
}

/** SSM cannot repair a lost route, because its agent needs that route: what repairs it must be on the disk first. */
export async function guardRoute(job: Job): Promise<void> {
  await apply(job, "install the guard", guardActions(factsOf(job)));
  const before = await readClock(job, "before the look");
  const seen = await observe(job, "verify the guard");
  const after = await readClock(job, "after the look");
  const fault = guardFault(seen) ?? clockFault(seen.clock * 1000, before, after);
  if (fault) throw new StageFailed(fault);
}

const readClock = (job: Job, when: string): Promise<number> =>
  once(job, `read the clock ${when}`, async () => job.steps.now());

/** AWS refuses what was signed more than five minutes off (IAM user guide, "Signature Version 4 errors"). */
const CLOCK_TOLERANCE_MS = 5 * MINUTE;

/** A wrong clock is named here: certificates and signed requests fail by it in words that do not mention it. */
function clockFault(shown: number, before: number, after: number): string | null {
  if (shown >= before - CLOCK_TOLERANCE_MS && shown <= after + CLOCK_TOLERANCE_MS) return null;
  const words = (time: number): string => new Date(time).toISOString().slice(0, 19).replace("T", " ");
  return `the clock of the machine is wrong: it said ${words(shown)} UTC at ${words(after)} UTC`;
}

/** Features, and the one reboot that they need, before any container network exists. */
export async function installFeatures(job: Job): Promise<void> {
  const { rebootDue } = await apply(job, "install features", featureActions());
  if (rebootDue) await reboot(job);
  const after = await observe(job, "look at the features");
  const missing = featureActions().filter((action) => action.do === "feature" && !after.features.includes(action.name));
  if (missing.length > 0) throw new StageFailed("the feature Containers is not installed after the reboot");
  if (after.rebootPending) throw new StageFailed("Windows asks for another reboot");
}

async function reboot(job: Job): Promise<void> {
  const before = await observe(job, "look before the reboot");
  const fault =
    guardFault(before) ??
    (before.hnsNetworks.length > 0 ? `container networks exist already: ${before.hnsNetworks.join(", ")}` : null);
  if (fault) throw new StageFailed(`not rebooted: ${fault}`);
  const request: RebootRequest = {
    operation: job.owner,
    notAfter: Math.floor(job.bounds.until / 1000),
    bootId: before.bootId,
  };
  const lost = await rebootOnce(job, request);
  const after = await observe(job, "look after the reboot");
  if (after.bootId === before.bootId)
    throw new StageFailed(lost ?? "the machine says it rebooted, but its boot id is the same");
}

/**
 * Asks for the reboot and waits for the machine's word.
 * @returns what was lost when that word never came: whether it rebooted is then told by its boot id
 * @throws StageFailed when the machine itself says no; Cancelled
 */
async function rebootOnce(job: Job, request: RebootRequest): Promise<string | null> {
  const order = { script: "reboot", request } as const;
  let result: RebootResult;
  try {
    result = await runScript<RebootResult>(job.ctx, job.steps, leaseOf(job), "reboot", order, job.bounds);
  } catch (error) {
    if (mayBeLost(error)) return error.message;
    throw error;
  }
  if (!result.ok) throw new StageFailed(result.error ?? "reboot.ps1 did not come through");
  return null;
}

/** The programs, from the bucket, each verified by its hash. */
export const installPayload = (job: Job): Promise<unknown> =>
  apply(job, "install the payload", payloadActions(factsOf(job)));

/**
 * Files and services; then the machine gets its credential to join with, the kubelet starts and asks for its certificate.
 * The credential comes last because it lives for ten minutes only.
 */
export async function configureMachine(job: Job): Promise<void> {
  const { instanceId } = machineOf(job);
  const authority = await once(job, "read the kubelets' client authority", () =>
    job.steps.kubeletAuthority.read(job.runtime.configuration),
  );
  job.kubeletClients = authority.pem;
  await once(job, "say where it was read", async () => {
    if (authority.why !== null) await remark(job, [authority.why]);
  });
  await apply(job, "configure", configureActions(factsOf(job)));
  await once(job, "record what it was given", () => job.steps.given.record(instanceId, job.owner, authority));
  await giveToken(job, "make the join token");
  await apply(job, "start the kubelet", startActions(factsOf(job)));
}

/** Makes a join token for this machine alone; what is asked for with it is known by the token's id. */
async function giveToken(job: Job, name: string): Promise<void> {
  const { instanceId } = machineOf(job);
  const token = await once(job, name, () => job.steps.joinSecret.create(job.runtime.configuration, instanceId));
  job.tokens = [...job.tokens, token];
}

/** The token ended before the kubelet had asked with it: the machine gets another one, and its kubelet starts again. */
export async function replaceToken(job: Job): Promise<void> {
  const round = job.tokens.length + 1;
  const { instanceId } = machineOf(job);
  await once(job, `delete the join secret ${round - 1}`, () => job.steps.joinSecret.remove(instanceId));
  await giveToken(job, `make the join token ${round}`);
  await apply(job, `start the kubelet ${round}`, rejoinActions(factsOf(job)));
}
