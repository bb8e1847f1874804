import { noteUnprobed } from "../../change/node/notes.ts";
import { noteProbe, probeRepeatedly } from "../../change/node/probe.ts";
import { leaseOf, nodeOf, once } from "../../change/node/task.ts";
import { StageFailed } from "../../engine/durable.ts";
import type { ProbeResult } from "../../health/probe.ts";
import type { WindowsRelease } from "../../machine/windows-builds.ts";
import { notProvenYet } from "../../messages/node/reboot.ts";
import { isBusy } from "../../steps/client-errors.ts";
import { bootIdOf, windowsReleaseOf } from "../../steps/cluster/node-facts.ts";
import type { RebootTask } from "./task.ts";

/** Probes the data plane of the node that was rebooted. */
function probeRebooted(task: RebootTask, windows: WindowsRelease): Promise<ProbeResult> {
  const { operation, index, runtime } = task;
  const { images, outside } = runtime.configuration.probe;
  const target = { node: nodeOf(task).name, windows, images, outside };
  return probeRepeatedly(task, target, (attempt) => ({
    name: `data plane ${attempt}`,
    id: `${operation}-${index}-${attempt}`,
  }));
}

/** Records the result as scheduled probes do. If the ledger is busy, the proof continues without the record. */
async function writeDown(task: RebootTask, result: ProbeResult): Promise<void> {
  const { steps } = task;
  const { name: node, uid } = nodeOf(task);
  const { instanceId } = leaseOf(task);
  try {
    const seen = (await steps.nodes.read(node)) ?? null;
    await noteProbe(steps, { node, uid, bootId: bootIdOf(seen), instanceId, result });
  } catch (error) {
    if (!isBusy(error)) throw error;
  }
}

/**
 * Windows release of the node: the one of its pool, or, for a node of another owner, the one that its kubelet reports.
 */
async function windowsOf(task: RebootTask): Promise<WindowsRelease | undefined> {
  const { steps, pool, runtime } = task;
  if (pool !== null) return runtime.configuration.pools[pool]?.windows;
  const { name } = nodeOf(task);
  const release = await once(task, "release of Windows", async () => {
    const node = await steps.nodes.read(name);
    return (node && windowsReleaseOf(node, undefined)) ?? null;
  });
  return release ?? undefined;
}

/** Windows release of the node's probe; null if the configuration names no images for it. */
export async function probedRelease(task: RebootTask): Promise<WindowsRelease | null> {
  const { images } = task.runtime.configuration.probe;
  const windows = images.linux === undefined ? undefined : await windowsOf(task);
  return windows === undefined || images[windows] === undefined ? null : windows;
}

/** Words for a data plane that does not work. */
export function dataPlaneWords(
  task: RebootTask,
  { fault, from, words }: Extract<ProbeResult, { state: "fails" }>,
): string {
  const trouble = { kind: "data-plane", fault, from, words } as const;
  const wrong = { name: "data-plane", state: "wrong", trouble } as const;
  return notProvenYet(wrong, nodeOf(task).name, task.before?.askedAt ?? "");
}

/**
 * Proves the data plane of a node after its reboot with Casement's own pods, if the configuration names images for its
 * Windows release. If the probe cannot run, a note gives the reason and the node is not judged by it.
 * @throws StageFailed if pods on the node do not work
 */
export async function proveDataPlane(task: RebootTask): Promise<void> {
  const windows = await probedRelease(task);
  if (windows === null) return;
  const result = await probeRebooted(task, windows);
  await once(task, "write down the probe", () => writeDown(task, result));
  if (result.state === "works") return;
  if (result.state === "not-probed") return noteUnprobed(task, result.why);
  throw new StageFailed("check-fails", dataPlaneWords(task, result));
}
