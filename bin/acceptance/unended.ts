import type { OperationRecord } from "../../lambdas/records/records.ts";
import { hasEnded } from "../../lambdas/steps/ec2/instances.ts";
import { newRun, type Run } from "./run-file.ts";
import type { Scene } from "./scene.ts";

/** Number of the newest operations that are searched for a run whose file is not on this machine. */
const NEWEST = 100;

/** Reads the id of a run from an operation's reason. */
const runIn = (reason: string): string | undefined => /^acceptance (acc-[0-9a-f]{8})\b/.exec(reason)?.[1];

/** Converts an `add` into a run, if its machine still exists. */
async function runOf({ ledger, instances, place }: Scene, operation: OperationRecord): Promise<Run | undefined> {
  const { id, request, requestedAt, status } = operation;
  const run = request.command === "add" ? runIn(request.reason ?? "") : undefined;
  if (request.command !== "add" || run === undefined) return undefined;
  const [node] = await ledger.nodes(id);
  const machine = node?.instanceId ? await instances.describe(node.instanceId) : undefined;
  if (!node || !machine || hasEnded(machine)) return undefined;
  const { windows = "", instanceTypes = [] } = place.poolFacts[request.pool] ?? {};
  const about = { id: run, cluster: place.cluster, pool: request.pool, windows, startedAt: requestedAt, user: null };
  return {
    ...newRun({ ...about, instanceType: instanceTypes[0] ?? "" }),
    attempts: { add: 1 },
    operations: { add: id },
    instanceId: node.instanceId,
    nodeName: node.nodeName,
    done: status === "succeeded" ? ["add"] : [],
  };
}

/**
 * Finds a run whose file is not on this machine, for example of another terminal: an `add` whose reason names a run and
 * whose machine still exists.
 * @returns a run that can be resumed; undefined if there is none
 */
export async function unendedRun(scene: Scene): Promise<Run | undefined> {
  for (const operation of await scene.ledger.operations(NEWEST)) {
    const run = await runOf(scene, operation);
    if (run) return run;
  }
  return undefined;
}
