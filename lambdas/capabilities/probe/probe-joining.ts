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
 * @throws Refused if no setup under way waits for a probe of it, so that the right to invoke this function is not
 * enough to run pods on a node
 */
async function joiningNode(steps: Steps, { operation, index }: ProbeJoining): Promise<ProbedNow> {
  const record = (await steps.ledger.nodes(operation)).find((one) => one.index === index);
  const { configuration } = await steps.runtime.read(null);
  const request = (await steps.ledger.operation(operation))?.request;
  const pool = request?.command === "add" ? configuration.pools[request.pool] : undefined;
  const isAwaited = record?.status === "running" && record.workflow === "provision" && record.stage === "probe";
  const node = isAwaited && record.nodeName !== null ? await steps.nodes.read(record.nodeName) : undefined;
  if (!pool || !node || !record?.instanceId || instanceIdOf(node) !== record.instanceId)
    throw new Refused(`no setup under way waits for a probe of node ${index + 1} of ${operation}`);
  const { images } = configuration.probe;
  const { instanceId, nodeName } = record;
  return { node: nodeName ?? "", ...bootedOf(node), instanceId, windows: pool.windows, images, isNew: true };
}

/**
 * Probes a node that joins, and records the result, for which the node's setup waits.
 * @throws Refused if no setup waits for it
 */
export async function probeJoining(ctx: DurableContext, steps: Steps, start: ProbeJoining): Promise<void> {
  const { operation, index } = start;
  const due = await step(ctx, "find the node that joins", () => joiningNode(steps, start));
  const result = await probeRepeatedly({ ctx, steps }, due, (attempt) => ({
    name: `probe ${attempt}`,
    id: `${operation}-${index}-${attempt}`,
  }));
  await recordProbe(ctx, steps, due, result);
}
