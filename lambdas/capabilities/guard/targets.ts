import { checkPools } from "../../change/fleet/requested.ts";
import { namedNodes, nodesOfPool } from "../../change/node/find-node.ts";
import type { Op } from "../../change/operation/op.ts";
import type { Request } from "../../commands/request.ts";
import { everyChunk, numbered, type Page, pageAfter, readOnce } from "../../engine/chunks.ts";
import { step } from "../../engine/durable.ts";
import { Refused } from "../../errors.ts";
import { changeRefused } from "../../messages/node/change-refusal.ts";
import { agentSilentForGuard } from "../../messages/node/guard.ts";
import { type ChangeFacts, changeRefusalOf } from "../../steps/cluster/change-rules.ts";
import { instanceIdOf } from "../../steps/cluster/node-facts.ts";
import type { Node } from "../../steps/cluster/nodes.ts";
import { type Owners, ownersOf } from "../../steps/cluster/ownership.ts";
import type { Machine } from "../../steps/ec2/instances.ts";
import type { Agent } from "../../steps/machine/machine.ts";
import type { Steps } from "../../steps/steps.ts";
import { poolOf } from "../../tags.ts";

/** An operation that installs the guard. */
type GuardOperation = Op<Extract<Request, { command: "guard" }>>;

/** A node of the request. */
export interface Target {
  readonly name: string;
  /** Of its Node: a namesake with another uid is another node. */
  readonly uid: string;
  readonly instanceId: string | null;
  readonly pool: string | null;
  /** Reason not to change its machine, in words; null if it may be changed. */
  readonly refusal: string | null;
}

/** Facts by which a node's machine is judged. */
interface Seen {
  readonly steps: Steps;
  readonly operation: string;
  readonly owners: Owners & Pick<ChangeFacts, "assisted">;
  readonly machines: ReadonlyMap<string, Machine>;
  readonly agents: ReadonlyMap<string, Agent>;
}

/** Judges one machine. Other controllers that work on the node are no obstacle, because the guard disturbs no pod. */
async function judge(seen: Seen, node: Node): Promise<Target> {
  const { steps, owners, machines } = seen;
  const { name = "", uid = "" } = node.metadata ?? {};
  const instanceId = instanceIdOf(node);
  const holder = instanceId === null ? undefined : await steps.leases.holder(instanceId);
  const heldBy = holder && holder !== seen.operation ? holder : null;
  const machine = machines.get(instanceId ?? "");
  const why = changeRefusalOf({ ...owners, node, machine, others: [], heldBy }, "drain");
  const isSilent = seen.agents.get(instanceId ?? "")?.online !== true;
  const unreached = isSilent ? agentSilentForGuard(name) : null;
  const refusal = why ? changeRefused(why, "guard", name) : unreached;
  return { name, uid, instanceId, pool: poolOf(machine), refusal };
}

const uidOf = ({ metadata }: Node): string => metadata?.uid ?? "";

/** Reads the requested nodes, and the facts by which their machines are judged. */
async function readRequested({
  steps,
  start,
  settings,
  request: { targets },
}: GuardOperation): Promise<{ readonly seen: Seen; readonly nodes: readonly Node[] }> {
  const { configuration } = await steps.runtime.read(settings.runtimeVersion);
  const { id } = configuration.cluster;
  const [nodes, claimed] = [await steps.nodes.all(), await steps.claims.all()];
  const assisted = await steps.machines.assistance.all();
  const machines = new Map((await steps.instances.ofCluster(id)).map((machine) => [machine.instanceId, machine]));
  const agents = await steps.machine.agents();
  const owners = { ...ownersOf(configuration, { nodes, claimed }), assisted };
  return {
    seen: { steps, operation: start.operation, owners, machines, agents },
    nodes: targets.kind === "nodes" ? namedNodes(targets.nodes, nodes) : nodesOfPool(targets.pool, nodes, machines),
  };
}

/** @throws Refused when none of the machines may be changed; Forbidden when the requester may not change nodes of a pool */
async function checkTargets(op: GuardOperation, targets: readonly Target[]): Promise<void> {
  const [first] = targets;
  if (first && targets.every(({ refusal }) => refusal !== null)) throw new Refused(first.refusal ?? "");
  await checkPools(op, targets);
}

/**
 * Finds the requested nodes, and judges whether their machines may be changed, 50 in one step. The nodes are listed
 * once, and again only if an interruption lost the list.
 * @throws UserError when a name matches no node or several; Refused when none of the machines may be changed; Forbidden
 * when the requester may not change nodes of a pool
 */
export async function targetsOf(op: GuardOperation): Promise<readonly Target[]> {
  const listed = readOnce(() => readRequested(op));
  return everyChunk<Target>(async (at, before) => {
    const page = await step(op.ctx, numbered("judge", at), async (): Promise<Page<Target> | Target[]> => {
      const { seen, nodes } = await listed();
      const { items, ...more } = pageAfter(nodes, before, uidOf);
      const targets: Target[] = [];
      for (const node of items) targets.push(await judge(seen, node));
      if (!more.more) await checkTargets(op, [...before, ...targets]);
      return { items: targets, ...more };
    });
    // The last release returned all targets at once.
    return Array.isArray(page) ? { items: page } : page;
  });
}
