import type { DurableContext } from "@aws/durable-execution-sdk-js";
import { probeRepeatedly } from "../../change/node/probe.ts";
import { step } from "../../engine/durable.ts";
import { Refused } from "../../errors.ts";
import { bootedOf, instanceIdOf } from "../../steps/cluster/node-facts.ts";
import type { Steps } from "../../steps/steps.ts";
import { type ProbedNow, recordProbe } from "./probed-now.ts";

/** Payload with which the setup of a machine has its Node probed before pods may be scheduled there. */
export interface ProbeJoining {
  readonly operation: string;
  readonly index: number;
}

/**
 * Reads the Node of a machine that joins. Call inside a step.
 * @returns null if its setup no longer waits for the probe: it was cancelled, went on, or lost its Node
 * @throws Refused if no setup has waited for a probe of it, so that the right to invoke this function is not enough to
 * run pods on a node
 */
async function joiningNode(steps: Steps, { operation, index }: ProbeJoining): Promise<ProbedNow | null> {
  const record = (await steps.ledger.nodes(operation)).find((one) => one.index === index);
  const { configuration } = await steps.runtime.read(null);
  const request = (await steps.ledger.operation(operation))?.request;
  const none = new Refused(`no setup under way waits for a probe of node ${index + 1} of ${operation}`);
  if (request?.command !== "add" || record?.workflow !== "provision") throw none;
  const { instanceId, nodeName, status, stage } = record;
  const pool = configuration.pools[request.pool];
  if (status !== "running" || stage !== "probe" || !pool || !instanceId || nodeName === null) return null;
  const node = await steps.nodes.read(nodeName);
  if (!node) return null;
  if (instanceIdOf(node) !== instanceId) throw none;
  const { images, outside } = configuration.probe;
  return { node: nodeName, ...bootedOf(node), instanceId, windows: pool.windows, images, outside, isNew: true };
}

/**
 * Probes a node that joins, and records the result, for which the node's setup waits.
 * @throws Refused if no setup has waited for it
 */
export async function probeJoining(ctx: DurableContext, steps: Steps, start: ProbeJoining): Promise<void> {
  const { operation, index } = start;
  const due = await step(ctx, "find the node that joins", () => joiningNode(steps, start));
  if (due === null) return;
  const result = await probeRepeatedly({ ctx, steps }, due, (attempt) => ({
    name: `probe ${attempt}`,
    id: `${operation}-${index}-${attempt}`,
  }));
  await recordProbe(ctx, steps, due, result);
}
