import { deletionMarkKeys } from "../../cluster/deletion-marks.ts";
import type { Configuration } from "../../configuration/configuration.ts";
import { isRenewing } from "../../inputs/mirrors/ecr.ts";
import type { Sighting } from "../../machine/seen-machine.ts";
import { bootIdOf, instanceIdOf, isWindows } from "../../steps/cluster/node-facts.ts";
import type { Node } from "../../steps/cluster/nodes.ts";
import type { Machine } from "../../steps/ec2/instances.ts";
import type { Steps } from "../../steps/steps.ts";
import { TAG } from "../../tags.ts";
import { machinesActedFor } from "../node/acted-for.ts";

/** A machine to observe. */
export interface WatchedMachine extends Pick<Sighting, "instanceId" | "launchedAt" | "node" | "uid"> {
  /** By the kubelet; null where it reports none. */
  readonly bootId: string | null;
  /** Its SSM agent takes commands. */
  readonly isOnline: boolean;
  /** Its own task renews passwords of ECR; missing if it has none. */
  readonly renews?: true;
}

/** Is the machine running, and does its pool not switch the watch off? A machine of another owner is in no pool. */
const isWatched = (machine: Machine | undefined, { pools }: Configuration): machine is Machine =>
  machine !== undefined && machine.state === "running" && pools[machine.tags[TAG.pool] ?? ""]?.rebootDue !== false;

/**
 * Finds the machines to observe: those of nodes that Casement launched or assists and that no operation holds. Belongs
 * into a step.
 * @param wanted selects nodes
 */
export async function findWatched(
  steps: Steps,
  wanted: (node: Node) => boolean = isWindows,
): Promise<readonly WatchedMachine[]> {
  const { configuration } = await steps.runtime.read(null);
  const nodes = await steps.nodes.all();
  const [machines, agents] = await Promise.all([machinesActedFor(steps, configuration, nodes), steps.machine.agents()]);
  const given = await steps.machines.given.all();
  const watched: WatchedMachine[] = [];
  for (const node of nodes.filter((one) => isWindows(one) && wanted(one))) {
    const machine = machines.get(instanceIdOf(node) ?? "");
    if (!isWatched(machine, configuration)) continue;
    const { instanceId, launchedAt } = machine;
    if ((await steps.leases.holder(instanceId)) !== undefined) continue;
    const { name = "", uid = "" } = node.metadata ?? {};
    const isOnline = agents.get(instanceId)?.online === true;
    const marks = deletionMarkKeys(node);
    const more = {
      ...(marks.length > 0 ? { marks } : {}),
      ...(isRenewing(given.get(instanceId)?.mirrors) ? ({ renews: true } as const) : {}),
    };
    watched.push({ instanceId, launchedAt, node: name, uid, bootId: bootIdOf(node), isOnline, ...more });
  }
  return watched;
}
