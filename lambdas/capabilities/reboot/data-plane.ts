import { addNotes } from "../../change/node/notes.ts";
import { probeNode } from "../../change/node/probe.ts";
import { leaseOf, nodeOf, once } from "../../change/node/task.ts";
import { StageFailed } from "../../engine/durable.ts";
import type { ProbeResult } from "../../health/probe.ts";
import type { WindowsRelease } from "../../machine/windows-builds.ts";
import { notProbed, notProvenYet } from "../../messages/node/reboot.ts";
import { isBusy } from "../../steps/client-errors.ts";
import { bootIdOf, windowsReleaseOf } from "../../steps/cluster/node-facts.ts";
import type { RebootTask } from "./task.ts";

/** Probes until a node counts as dead: right after a boot the first pod may come before its network. */
const ATTEMPTS = 2;

/** Tries the data plane until it works, or has failed each time; a probe that was not possible is not repeated. */
async function tried(task: RebootTask, windows: WindowsRelease): Promise<ProbeResult> {
  const { ctx, steps, operation, index, runtime } = task;
  const { images } = runtime.configuration.probe;
  for (let attempt = 1; ; attempt += 1) {
    const id = `${operation}-${index}-${attempt}`;
    const result = await probeNode(ctx, steps, `data plane ${attempt}`, {
      node: nodeOf(task).name,
      windows,
      images,
      id,
    });
    if (result.state !== "fails" || attempt === ATTEMPTS) return result;
  }
}

/** Keeps the result for `/win why`, as that of a scheduled probe. The ledger decides nothing here: while it is busy, the proof goes on. */
async function writeDown(task: RebootTask, result: ProbeResult): Promise<void> {
  const { steps } = task;
  const { name: node, uid } = nodeOf(task);
  const { instanceId } = leaseOf(task);
  try {
    const seen = (await steps.nodes.read(node)) ?? null;
    await steps.machines.probed.note({
      node,
      uid,
      bootId: bootIdOf(seen),
      instanceId,
      result,
      probedAt: steps.timestamp(),
    });
  } catch (error) {
    if (!isBusy(error)) throw error;
  }
}

/** Release of the node's Windows: its pool's, or, of a node of another owner, what its kubelet says. */
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

/**
 * Proves the data plane of a node after its reboot by pods of Casement's own, where the configuration names images for its
 * Windows release. What cannot be probed is told in the thread and says nothing about the node.
 * @throws StageFailed if pods on the node do not work
 */
export async function proveDataPlane(task: RebootTask): Promise<void> {
  const { configuration } = task.runtime;
  const windows = configuration.probe.images.linux === undefined ? undefined : await windowsOf(task);
  if (windows === undefined || configuration.probe.images[windows] === undefined) return;
  const result = await tried(task, windows);
  await once(task, "write down the probe", () => writeDown(task, result));
  if (result.state === "works") return;
  if (result.state === "not-probed") {
    await once(task, "the data plane was not probed", async () => void (await addNotes(task, [notProbed(result.why)])));
    return;
  }
  const { fault, from, words } = result;
  const trouble = { kind: "data-plane", fault, from, words } as const;
  const wrong = { name: "data-plane", state: "wrong", trouble } as const;
  throw new StageFailed("check-fails", notProvenYet(wrong, nodeOf(task).name, task.before?.askedAt ?? ""));
}
