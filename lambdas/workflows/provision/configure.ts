import {
  configureOperations,
  featureOperations,
  guardOperations,
  payloadOperations,
  startOperations,
} from "../../desired/okd.ts";
import type { OkdFacts } from "../../desired/okd-facts.ts";
import type { Observation, RebootRequest, RebootResult } from "../../desired/plan.ts";
import { buildOf } from "../../desired/windows-builds.ts";
import { StageFailed } from "../durably.ts";
import { runScript } from "../run-script.ts";
import { apply, type Job, leaseOf, machineOf, mayBeLost, observe, once } from "./job.ts";

/** Everything that decides what this machine looks like. */
export function factsOf(job: Job): OkdFacts {
  const { privateDnsName, privateIp, instanceId } = machineOf(job);
  return {
    configuration: job.runtime.configuration,
    payload: job.runtime.payload,
    poolName: job.start.pool,
    pool: job.pool,
    nodeName: privateDnsName,
    nodeIp: privateIp,
    build: buildOf(job.pool.windows),
    joinSecretId: job.steps.joinSecret.nameOf(instanceId),
  };
}

/** What is wrong with the guard; null when a reboot would be survived. */
function guardFault({ guard, metadataAnswers }: Observation): string | null {
  if (!guard.present || !guard.taskEnabled)
    return "the guard of the metadata route is not installed as a scheduled task";
  if (guard.lastResult !== 0) return `the guard of the metadata route ended with ${guard.lastResult ?? "no result"}`;
  if (guard.paths !== 1) return `the guard finds ${guard.paths} network paths to choose from instead of one`;
  return metadataAnswers ? null : "the metadata service does not answer";
}

/** SSM cannot repair a lost route, because its agent needs that route: what repairs it must be on the disk first. */
export async function guardRoute(job: Job): Promise<void> {
  await apply(job, "install the guard", guardOperations(factsOf(job)));
  const fault = guardFault(await observe(job, "verify the guard"));
  if (fault) throw new StageFailed(fault);
}

/** Features, and the one reboot that they need, before any container network exists. */
export async function installFeatures(job: Job): Promise<void> {
  const { rebootDue } = await apply(job, "install features", featureOperations());
  if (rebootDue) await reboot(job);
  const after = await observe(job, "look at the features");
  const missing = featureOperations().filter(
    (operation) => operation.do === "feature" && !after.features.includes(operation.name),
  );
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
  apply(job, "install the payload", payloadOperations(factsOf(job)));

/** Files, services and the credential to join with; then the kubelet starts and asks for its certificate. */
export async function configureMachine(job: Job): Promise<void> {
  const { instanceId } = machineOf(job);
  await once(job, "make the join secret", () => job.steps.joinSecret.create(job.runtime.configuration, instanceId));
  await apply(job, "configure", configureOperations(factsOf(job)));
  await apply(job, "start the kubelet", startOperations());
}
