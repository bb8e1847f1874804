import type { Configuration } from "../../configuration/configuration.ts";
import type { ProbeFacts } from "../../health/facts.ts";
import { goodHours } from "../../health/probe-turns.ts";
import { lastProbeOf } from "../../health/probed-node.ts";
import { bootedOf, isReady, windowsReleaseOf } from "../../steps/cluster/node-facts.ts";
import type { Steps } from "../../steps/steps.ts";
import { poolOf } from "../../tags.ts";
import type { HealthSubject } from "./health-facts.ts";
import { unprobedWords } from "./unprobed.ts";

/**
 * Reads the newest scheduled probe of a node. Call inside a step.
 * @param turn `isActedFor`: Casement launched or assists its machine; `windowsNodes`: how many nodes take turns with it, at most
 * @returns the reason instead, if none is valid for the node's current boot
 */
export async function lastProbe(
  steps: Steps,
  { pools, probe: { images } }: Configuration,
  { node, machine, instanceId }: HealthSubject,
  turn: { readonly isActedFor: boolean; readonly windowsNodes: number },
): Promise<ProbeFacts> {
  const now = steps.now();
  const booted = node && bootedOf(node);
  const kept = instanceId === null ? undefined : await steps.machines.probed.of(instanceId);
  const last = lastProbeOf(kept, booted, { now, validHours: goodHours(turn.windowsNodes) });
  if (last.state === "known") return { result: last.result, at: last.at };
  const name = poolOf(machine) ?? "";
  const pool = pools[name];
  const windows = node ? windowsReleaseOf(node, pool) : pool?.windows;
  const of = {
    hasLinuxImage: Boolean(images.linux),
    windows,
    hasImage: windows !== undefined && Boolean(images[windows]),
    poolOff: pool?.probe === false ? name : null,
    isActedFor: turn.isActedFor,
    isReady: node === undefined || isReady(node),
    isCordoned: node?.spec?.unschedulable === true,
  };
  return { result: { state: "not-probed", why: unprobedWords(last, of, new Date(now).toISOString()) }, at: null };
}
