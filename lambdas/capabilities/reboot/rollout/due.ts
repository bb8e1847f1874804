import { isDeepStrictEqual } from "node:util";
import { observeBoots } from "../../../change/fleet/observe-boots.ts";
import { findWatched } from "../../../change/fleet/watched-machines.ts";
import { machinesActedFor } from "../../../change/node/acted-for.ts";
import type { Op } from "../../../change/operation/op.ts";
import { approvalRule, rulesIn } from "../../../commands/approvals.ts";
import { poolNamed, type RolloutCommand, type RolloutRequest } from "../../../commands/request.ts";
import { MINUTE, step } from "../../../engine/durable.ts";
import { UserError } from "../../../errors.ts";
import { nodesDeniedByProxy } from "../../../health/proxy-denials.ts";
import { isCuredByRestart, type RebootReason } from "../../../machine/questions.ts";
import { type RebootDue, rebootDue } from "../../../machine/reboot-due.ts";
import { reasonWords } from "../../../messages/node/reboot-due.ts";
import { instanceIdOf } from "../../../steps/cluster/node-facts.ts";
import type { Node } from "../../../steps/cluster/nodes.ts";
import type { Steps } from "../../../steps/steps.ts";
import { poolOf } from "../../../tags.ts";
import { calendarOf } from "../../../time/calendar.ts";
import { noneDue, poolsWithOwnRules } from "./refusals.ts";

/** Names of nodes that wait for a reboot or a restart, with the reasons in words. */
type Waiting = Readonly<Record<string, string>>;

/** Answer about a node of a pool that switches the watch of reboots off. */
const NOT_WATCHED: RebootDue = { state: "unknown", seenAt: null };

/** Nodes by what the command can do for them. */
interface KnownDue {
  readonly waiting: Waiting;
  /** Nodes of which it is not known. */
  readonly unseen: readonly string[];
  /** Nodes that the last reboot did not help; missing in the stored steps of an earlier release. */
  readonly chronic?: readonly string[];
}

/** Age after which an observation is repeated: the reboot watch must have missed its last tick. */
const OLD_MS = 40 * MINUTE;

/** Selects those of these nodes that the reboot watch has not observed lately. Call inside a step. */
async function unseenOf(steps: Steps, names: readonly string[]): Promise<(node: Node) => boolean> {
  const seen = await steps.machines.seen.all();
  return (node) => {
    const last = seen.get(instanceIdOf(node) ?? "");
    const isOld = last?.uid !== node.metadata?.uid || steps.now() - Date.parse(last?.seenAt ?? "") > OLD_MS;
    return names.includes(node.metadata?.name ?? "") && isOld;
  };
}

/** Puts nodes first whose pulls the proxy refuses: a start of their services brings the right password in force. */
async function deniedFirst(steps: Steps, waiting: Waiting): Promise<Waiting> {
  const denied = nodesDeniedByProxy(await steps.nodes.pods());
  const entries = Object.entries(waiting);
  const isDenied = ([name]: readonly [string, string]): boolean => denied.has(name);
  return Object.fromEntries([...entries.filter(isDenied), ...entries.filter((one) => !isDenied(one))]);
}

/**
 * Reads from the ledger which of these nodes wait for the command. Nodes that Casement does not act for are left out.
 * Call inside a step.
 */
async function knownOf(steps: Steps, command: RolloutCommand, names: readonly string[]): Promise<KnownDue> {
  const seen = await steps.machines.seen.all();
  const { configuration } = await steps.runtime.read(null);
  const nodes = await steps.nodes.all();
  const machines = await machinesActedFor(steps, configuration, nodes);
  const byName = new Map(nodes.map((node) => [node.metadata?.name ?? "", node]));
  const judged = names.flatMap((name) => {
    const node = byName.get(name);
    const instanceId = (node && instanceIdOf(node)) ?? "";
    const machine = machines.get(instanceId);
    if (!machine) return [];
    if (configuration.pools[poolOf(machine) ?? ""]?.rebootDue === false) return { name, due: NOT_WATCHED };
    return { name, due: rebootDue(seen.get(instanceId), node?.metadata?.uid ?? "", steps.now()) };
  });
  const known = knownDue(command, judged);
  const isProxyDue = [...seen.values()].some(({ reasons }) => reasons.includes("proxy"));
  return isProxyDue ? { ...known, waiting: await deniedFirst(steps, known.waiting) } : known;
}

/** Divides nodes by what the command can do for them. */
function knownDue(
  command: RolloutCommand,
  judged: readonly { readonly name: string; readonly due: RebootDue }[],
): KnownDue {
  const waiting = judged.flatMap(({ name, due }) => {
    const reasons = reasonsFor(command, due);
    return reasons.length > 0 ? [[name, reasonWords(reasons)] as const] : [];
  });
  const isChronic = ({ due }: { readonly due: RebootDue }): boolean =>
    command === "reboot" && due.state === "due" && reasonsFor(command, due).length === 0;
  return {
    waiting: Object.fromEntries(waiting),
    unseen: judged.filter(({ due }) => due.state === "unknown").map(({ name }) => name),
    chronic: judged.filter(isChronic).map(({ name }) => name),
  };
}

/** Reasons that the command cures: a restart only those of services, and a reboot none that the last one did not end. */
function reasonsFor(command: RolloutCommand, due: RebootDue): readonly RebootReason[] {
  if (due.state !== "due") return [];
  return due.reasons.filter((one) =>
    command === "restart" ? isCuredByRestart(one) : !due.chronic?.reasons.includes(one),
  );
}

/**
 * Chooses the nodes that wait for the command, in the order in which they are begun. Machines whose last observation is old are observed again first.
 * @param names of the candidates
 * @throws UserError when none of them waits for it
 */
export async function chooseDue(
  { ctx, steps, start: { operation }, request }: Op<RolloutRequest>,
  names: readonly string[],
): Promise<Waiting> {
  const old = await findWatched(
    { ctx, steps },
    { name: "find machines that were not seen lately", wanted: () => unseenOf(steps, names) },
  );
  if (old.length > 0) await observeBoots(ctx, steps, operation, old);
  const { waiting, ...others } = await step(ctx, "which nodes wait for a reboot", () =>
    knownOf(steps, request.command, names),
  );
  if (Object.keys(waiting).length > 0) return waiting;
  throw new UserError(noneDue(request.command, poolNamed(request) ?? null, others));
}

/**
 * Checks that one approval can cover nodes of several pools: the same people may act and approve there, at the same
 * times.
 * @throws UserError when the pools have rules or maintenance of their own
 */
export async function checkShared(
  steps: Steps,
  command: RolloutCommand,
  pools: readonly (string | null)[],
): Promise<void> {
  const rules = await steps.runtime.rules();
  const { configuration } = await steps.runtime.read(null);
  const judged = pools.map((pool) => [
    approvalRule(rules, command, pool),
    rulesIn(rules, pool).policy,
    calendarOf(configuration, pool),
  ]);
  if (judged.some((one) => !isDeepStrictEqual(one, judged[0]))) throw new UserError(poolsWithOwnRules(command, pools));
}
