import { isAgentSilent } from "../../change/node/agent.ts";
import { leaseOf, nodeOf, once, waitFor } from "../../change/node/task.ts";
import { DeadlineExceeded, done, MINUTE, pending } from "../../engine/durable.ts";
import { agentToReport } from "../../messages/node/reboot.ts";
import { isBusy } from "../../steps/client-errors.ts";
import { isReady, readySince } from "../../steps/cluster/node-facts.ts";
import type { RebootTask } from "./task.ts";

/** Time for which a node is considered just booted: its agent starts within minutes of its kubelet. */
const JUST_BOOTED_MS = 10 * MINUTE;

/** An agent reports at its start, and every five minutes from then on (amazon-ssm-agent, agent/health/healthcheck.go). */
const REPORTS_WITHIN_MS = 6 * MINUTE;

/** Seconds between two polls for its report. */
const PAUSE_SECONDS = 20;

/**
 * May the machine be booting, or have booted a moment ago? Only a boot of more than five minutes, such as one that
 * installs updates, makes an agent look silent, and the node is NotReady during it. If the cluster does not answer,
 * assume a boot.
 */
async function mayHaveBooted(task: RebootTask): Promise<boolean> {
  const { steps } = task;
  try {
    const node = await steps.nodes.read(nodeOf(task).name);
    return !node || !isReady(node) || steps.now() - readySince(node) < JUST_BOOTED_MS;
  } catch (error) {
    if (isBusy(error)) return true;
    throw error;
  }
}

/**
 * Finds out whether the agent is silent.
 * @returns deadline for its next report, in milliseconds since the epoch; 0 if it is silent without a boot, null if it
 * reports
 */
async function silentUntil(task: RebootTask): Promise<number | null> {
  const { steps } = task;
  if (!(await isAgentSilent(steps, leaseOf(task).instanceId))) return null;
  return (await mayHaveBooted(task)) ? steps.now() + REPORTS_WITHIN_MS : 0;
}

/**
 * Finds out whether the machine's agent is silent. If the machine may just have booted, its agent first gets time to
 * report.
 * @throws Cancelled; MachineEnded
 */
export async function staysSilent(task: RebootTask): Promise<boolean> {
  const { steps, wait } = task;
  const until = await once(task, "ask for the agent", () => silentUntil(task));
  if (until === null) return false;
  if (until === 0) return true;
  const patient: RebootTask = { ...task, wait: { ...wait, until: Math.min(until, wait.until) } };
  try {
    return await waitFor(patient, "the agent reports", async () => {
      const isSilent = await isAgentSilent(steps, leaseOf(task).instanceId);
      return isSilent ? pending(agentToReport, { againIn: PAUSE_SECONDS }) : done(false);
    });
  } catch (error) {
    if (error instanceof DeadlineExceeded) return true;
    throw error;
  }
}
