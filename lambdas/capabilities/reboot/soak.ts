import { nodeOf, once, uncancellable } from "../../change/node/task.ts";
import { done, MINUTE, type Poll, pending, StageFailed, until } from "../../engine/durable.ts";
import { bootInSoak, goneInSoak, nodeToSoak, notReadyInSoak } from "../../messages/node/reboot.ts";
import type { StageFault } from "../../records/failures.ts";
import { bootIdOf, isReady } from "../../steps/cluster/node-facts.ts";
import type { Node } from "../../steps/cluster/nodes.ts";
import type { RebootTask } from "./task.ts";

/** Seconds between two polls; a NotReady between them shows in the time of the condition. */
const PAUSE_SECONDS = 20;

/** Milliseconds after its end for which the API server may be down before the soak fails. */
const PATIENCE_MS = 10 * MINUTE;

/** The boot that is soaked. */
export interface Soak {
  readonly bootId: string | null;
  /** Milliseconds since the epoch. */
  readonly since: number;
}

/**
 * Judges a node during its soak.
 * @param node null if the API server knows no such Node
 * @returns null while the node runs the proven boot and stays Ready, otherwise the fault
 */
export function soakFault(node: Node | null, { bootId, since }: Soak): StageFault | null {
  if (node === null) return { code: "node-deleted", why: goneInSoak };
  if (bootIdOf(node) !== bootId) return { code: "not-soaked", why: bootInSoak };
  const ready = node.status?.conditions?.find(({ type }) => type === "Ready");
  const changedAt = ready?.lastTransitionTime ? new Date(ready.lastTransitionTime).getTime() : 0;
  return isReady(node) && changedAt <= since ? null : { code: "not-soaked", why: notReadyInSoak };
}

async function poll(task: RebootTask, soak: Soak, end: number): Promise<Poll<true>> {
  const { name, uid } = nodeOf(task);
  const node = (await task.steps.nodes.read(name)) ?? null;
  const fault = soakFault(node?.metadata?.uid === uid ? node : null, soak);
  if (fault !== null) throw new StageFailed(fault.code, fault.why);
  return task.steps.now() >= end ? done(true) : pending(nodeToSoak, { againIn: PAUSE_SECONDS });
}

/**
 * Watches a proven node for the soak time of its pool before the node takes pods again.
 * @throws StageFailed when the machine boots again or the node is not Ready meanwhile; DeadlineExceeded
 */
export async function soak(task: RebootTask): Promise<void> {
  const { ctx, steps, runtime, pool } = task;
  const { soakSeconds = 0 } = runtime.configuration.pools[pool ?? ""] ?? {};
  if (soakSeconds === 0) return;
  const soaked = await once(task, "begin the soak", async (): Promise<Soak> => {
    const bootId = bootIdOf((await steps.nodes.read(nodeOf(task).name)) ?? null);
    return { bootId, since: steps.now() };
  });
  const end = soaked.since + soakSeconds * 1_000;
  await until(ctx, "the node stays well after its proof", uncancellable(task, end + PATIENCE_MS), () =>
    poll(task, soaked, end),
  );
}
