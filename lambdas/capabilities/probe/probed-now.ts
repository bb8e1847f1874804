import type { DurableContext } from "@aws/durable-execution-sdk-js";
import { noteProbe, type ProbeTarget } from "../../change/node/probe.ts";
import { step } from "../../engine/durable.ts";
import { orLater } from "../../engine/or-later.ts";
import type { ProbeResult } from "../../health/probe.ts";
import type { NodeBoot, ProbedNode } from "../../health/probed-node.ts";
import type { Steps } from "../../steps/steps.ts";

/** A node that is probed now. */
export interface ProbedNow extends Omit<ProbeTarget, "id" | "attempt">, NodeBoot {
  readonly instanceId: string;
}

/** Records the result of a probe. If the ledger is unavailable, the node's next probe records the next result. */
export async function recordProbe(
  ctx: DurableContext,
  steps: Steps,
  due: ProbedNow,
  result: ProbeResult,
): Promise<ProbedNode> {
  const { node, uid, bootId, instanceId } = due;
  const one = { node, uid, bootId, instanceId, result };
  return step(ctx, `write down ${instanceId}`, () => noteProbe(steps, one)).catch(orLater({ ...one, probedAt: "" }));
}
