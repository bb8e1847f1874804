import { noteUnprobed } from "../../change/node/notes.ts";
import { nodeOf, once, waitFor } from "../../change/node/task.ts";
import { causeOf, done, pending, StageFailed } from "../../engine/durable.ts";
import type { DataPlaneFault, ProbeResult } from "../../health/probe.ts";
import { dataPlaneSays, noProbeImage } from "../../messages/health/network-troubles.ts";
import type { FailureCode } from "../../records/failures.ts";
import { executionName } from "../../steps/executions.ts";
import { currentNode } from "./join.ts";
import { machineOf, type ProvisionTask } from "./task.ts";

/** Wait for the result of a new node's probe. */
const probeToEnd = "Casement's probe pods on the node";

/** Reason why a new node's data plane is not known: its probe recorded no result. */
const probeLate = "the probe recorded no result in time";

/** Codes of the faults of a new data plane. */
const codes: Readonly<Record<DataPlaneFault, FailureCode>> = {
  start: "pod-network-missing",
  dns: "pod-resolves-nothing",
  api: "pod-reaches-no-service",
  metadata: "pod-reaches-metadata",
  unreached: "pod-unreached",
  host: "pod-unreached-by-host",
  outside: "pod-reaches-nothing-outside",
};

/** Reason why no probe is made; null if the configuration names both images. */
function withoutImage({ pool, runtime }: ProvisionTask): string | null {
  const { images } = runtime.configuration.probe;
  if (images.linux && images[pool.windows]) return null;
  return noProbeImage(images.linux ? pool.windows : "Linux");
}

/** Has the probe run by the function whose account may create pods; the account that joins machines may not. */
const orderProbe = (task: ProvisionTask): Promise<void> =>
  once(task, "have the data plane probed", async () => {
    const { operation, index } = task.start;
    const name = executionName(operation, String(index), "data plane");
    await task.steps.executions.start("probe-nodes", name, { operation, index });
  });

/**
 * Waits for the result that is recorded in this stage: a repeated order finds the first probe, which may have ended. At
 * the stage's deadline there is none, which is no judgement of the node.
 * @throws StageFailed if the Node was deleted meanwhile
 */
const probed = (task: ProvisionTask): Promise<ProbeResult> =>
  waitFor(task, "the data plane is probed", async () => {
    await currentNode(task);
    const found = await task.steps.machines.probed.of(machineOf(task).instanceId);
    const isOfStage = found && Date.parse(found.probedAt) >= (task.enteredAt ?? 0);
    if (isOfStage && found.uid === nodeOf(task).uid) return done(found.result);
    const isLate = task.steps.now() >= task.wait.until;
    return isLate ? done<ProbeResult>({ state: "not-probed", why: probeLate }) : pending(probeToEnd);
  });

/** Has the node probed. If Lambda does not start the probe, the node is not judged by it. */
async function probeNew(task: ProvisionTask): Promise<ProbeResult> {
  const why = withoutImage(task);
  if (why !== null) return { state: "not-probed", why };
  const refused = await orderProbe(task).catch((error: unknown) => causeOf(error).message);
  return typeof refused === "string" ? { state: "not-probed", why: refused } : probed(task);
}

/**
 * Proves that pods work on the new node before users' pods may be scheduled there. If the probe cannot run, a note in
 * the thread gives the reason, and the node is not judged by it.
 * @throws StageFailed if pods on the node do not work; DeadlineExceeded; MachineEnded; Cancelled
 */
export async function proveNewDataPlane(task: ProvisionTask): Promise<void> {
  const result = await probeNew(task);
  if (result.state === "works") return;
  if (result.state === "not-probed") return noteUnprobed(task, result.why);
  const { fault, from, words } = result;
  throw new StageFailed(codes[fault], dataPlaneSays(fault, from, words).replace(/\.$/, ""));
}
