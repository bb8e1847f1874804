import { deletionMarkKeys } from "../../cluster/deletion-marks.ts";
import { OBSERVED_MARKS } from "../../cluster/node-keys.ts";
import type { Configuration } from "../../configuration/configuration.ts";
import { everyChunk, numbered, type Page, pageAfter, readOnce } from "../../engine/chunks.ts";
import { step } from "../../engine/durable.ts";
import { isRenewing } from "../../inputs/mirrors/ecr.ts";
import type { Sighting } from "../../machine/seen-machine.ts";
import type { ProfileName } from "../../profiles/names.ts";
import { bootIdOf, instanceIdOf, isWindows } from "../../steps/cluster/node-facts.ts";
import type { Node } from "../../steps/cluster/nodes.ts";
import type { Machine } from "../../steps/ec2/instances.ts";
import type { Steps } from "../../steps/steps.ts";
import { poolOf } from "../../tags.ts";
import { machinesActedFor } from "../node/acted-for.ts";
import type { DurableSteps } from "../operation/op.ts";

/** A machine to observe. */
export interface WatchedMachine extends Pick<Sighting, "instanceId" | "launchedAt" | "node" | "uid"> {
  /** By the kubelet; null where it reports none. */
  readonly bootId: string | null;
  /** Its SSM agent takes commands. */
  readonly isOnline: boolean;
  /** Its pool switches off messages about pending reboots and boots; missing otherwise. */
  readonly isBootIgnored?: true;
  /**
   * Kind of the cluster, by which services are judged: only the first machine has it. Missing in the stored steps of an
   * earlier release.
   */
  readonly profile?: ProfileName;
  /** Its own task renews passwords of ECR; missing if it has none. */
  readonly renews?: true;
}

const isRunning = (machine: Machine | undefined): machine is Machine => machine?.state === "running";

/** Does the machine's pool switch the watch of reboots off? A machine of another owner is in no pool. */
const isBootIgnored = (machine: Machine, { pools }: Configuration): boolean =>
  pools[poolOf(machine) ?? ""]?.rebootDue === false;

/** The part of a watched machine that its Node tells. */
function nodeOf(node: Node): Pick<WatchedMachine, "node" | "uid" | "bootId"> & Pick<Sighting, "marks"> {
  const { name = "", uid = "", annotations = {} } = node.metadata ?? {};
  const marks = [...deletionMarkKeys(node), ...OBSERVED_MARKS.filter((key) => key in annotations)];
  return { node: name, uid, bootId: bootIdOf(node), ...(marks.length > 0 ? { marks } : {}) };
}

/** Reads the machines of nodes that Casement launched or assists and that no operation holds, in the order of the nodes. */
async function readWatched(steps: Steps, wanted: (node: Node) => boolean): Promise<readonly WatchedMachine[]> {
  const { configuration } = await steps.runtime.read(null);
  const nodes = await steps.nodes.all();
  const [machines, agents] = await Promise.all([machinesActedFor(steps, configuration, nodes), steps.machine.agents()]);
  const given = await steps.machines.given.all();
  const watched: WatchedMachine[] = [];
  for (const node of nodes.filter((one) => isWindows(one) && wanted(one))) {
    const machine = machines.get(instanceIdOf(node) ?? "");
    if (!isRunning(machine)) continue;
    const { instanceId, launchedAt } = machine;
    if ((await steps.leases.holder(instanceId)) !== undefined) continue;
    const isOnline = agents.get(instanceId)?.online === true;
    const renews = isRenewing(given.get(instanceId)?.mirrors);
    watched.push({
      ...{ instanceId, launchedAt, ...nodeOf(node), isOnline },
      ...(watched.length === 0 ? { profile: configuration.cluster.profile } : {}),
      ...(isBootIgnored(machine, configuration) ? ({ isBootIgnored: true } as const) : {}),
      ...(renews ? ({ renews: true } as const) : {}),
    });
  }
  return watched;
}

/** Machines to find. */
interface WatchedSearch {
  /** Name of the steps. */
  readonly name: string;
  /** Reads which Windows nodes are wanted; all of them by default. */
  readonly wanted?: () => Promise<(node: Node) => boolean>;
}

/**
 * Finds the machines to observe: those of nodes that Casement launched or assists and that no operation holds. A step
 * returns 50 of them, because a thousand do not fit into the result of one. They are read once, and again only if an
 * interruption lost the list.
 */
export async function findWatched(
  { ctx, steps }: DurableSteps,
  { name, wanted = async () => isWindows }: WatchedSearch,
): Promise<readonly WatchedMachine[]> {
  const listed = readOnce(async () => readWatched(steps, await wanted()));
  return everyChunk<WatchedMachine>(async (at, before) => {
    const page = await step(
      ctx,
      numbered(name, at),
      async (): Promise<Page<WatchedMachine> | WatchedMachine[]> => pageAfter(await listed(), before, ({ uid }) => uid),
    );
    // The last release returned all machines at once.
    return Array.isArray(page) ? { items: page } : page;
  });
}
