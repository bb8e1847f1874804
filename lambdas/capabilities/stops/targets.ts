import { findNode } from "../../change/node/find-node.ts";
import type { Op } from "../../change/operation/op.ts";
import { checkOrigin } from "../../change/operation/requester.ts";
import { hasPoolPolicies } from "../../commands/approvals.ts";
import type { Request } from "../../commands/request.ts";
import { UserError } from "../../errors.ts";
import { linuxNode } from "../../messages/operation/dry-runs.ts";
import { instanceIdOf, isLinux } from "../../steps/cluster/node-facts.ts";
import { poolOf } from "../../tags.ts";
import type { StopTarget } from "../../time/stops.ts";

/** A request that sets or lifts a stop. */
export type StopRequest = Extract<Request, { command: "freeze" | "thaw" | "hold" | "unhold" }>;

/** Finds a node, and judges the requester by the policy of the node's pool. */
async function nodeTarget(op: Op<StopRequest>, named: string): Promise<StopTarget> {
  const { steps } = op;
  const node = findNode(named, await steps.nodes.all());
  const { name = "", uid = "" } = node.metadata ?? {};
  if (op.request.command === "hold" && isLinux(node))
    throw new UserError(linuxNode(name, "It disturbs nothing there, so there is nothing to hold."));
  const rules = await steps.runtime.rules();
  if (hasPoolPolicies(rules)) {
    const instanceId = instanceIdOf(node);
    const machine = instanceId ? await steps.instances.describe(instanceId) : undefined;
    await checkOrigin(op, rules, poolOf(machine));
  }
  return { kind: "node", uid, name };
}

const poolTarget = (pool: string | null): StopTarget => (pool === null ? { kind: "cluster" } : { kind: "pool", pool });

/** Pool of a request; null for the whole cluster, undefined for nodes. */
function poolIn(request: StopRequest): string | null | undefined {
  if ("pool" in request) return request.pool;
  return request.targets.kind === "pool" ? request.targets.pool : undefined;
}

/**
 * Finds the requested nodes or pool. For a freeze, or a hold of a pool, it does not ask the cluster, so those work
 * while the API server is down.
 * @throws UserError for a name that matches no node, or several; Forbidden when the requester may not do it there
 */
export async function stopTargets(op: Op<StopRequest>): Promise<StopTarget[]> {
  const { request } = op;
  const pool = poolIn(request);
  if (pool !== undefined) {
    // A cluster-wide freeze has no pool, so the rules of every pool apply.
    await checkOrigin(op, await op.steps.runtime.rules(), pool);
    return [poolTarget(pool)];
  }
  const nodes = "targets" in request && request.targets.kind === "nodes" ? request.targets.nodes : [];
  return Promise.all(nodes.map((named) => nodeTarget(op, named)));
}
