import { isDeepStrictEqual } from "node:util";
import { observeBoots } from "../../../change/fleet/observe-boots.ts";
import { findWatched, type WatchedMachine } from "../../../change/fleet/watched-machines.ts";
import { machinesActedFor } from "../../../change/node/acted-for.ts";
import type { Op } from "../../../change/operation/op.ts";
import { approvalRule, rulesIn } from "../../../commands/approvals.ts";
import { poolNamed, type RolloutCommand, type RolloutRequest } from "../../../commands/request.ts";
import { MINUTE, step } from "../../../engine/durable.ts";
import { UserError } from "../../../errors.ts";
import { isCuredByRestart, type RebootReason } from "../../../machine/questions.ts";
import { rebootDue } from "../../../machine/seen-machine.ts";
import { reasonWords } from "../../../messages/node/reboot-due.ts";
import { instanceIdOf } from "../../../steps/cluster/node-facts.ts";
import type { Steps } from "../../../steps/steps.ts";
import { calendarOf } from "../../../time/calendar.ts";
import { noneDue, poolsWithOwnRules } from "./refusals.ts";

/** Names of nodes that wait for a reboot or a restart, with the reasons in words. */
type Waiting = Readonly<Record<string, string>>;

/** Age after which an observation is repeated: the reboot watch must have missed its last tick. */
const OLD_MS = 40 * MINUTE;

/** Finds machines of these nodes that the reboot watch has not observed lately. Call inside a step. */
async function unseenOf(steps: Steps, names: readonly string[]): Promise<readonly WatchedMachine[]> {
  const seen = await steps.machines.seen.all();
  const watched = await findWatched(steps, ({ metadata }) => names.includes(metadata?.name ?? ""));
  return watched.filter(({ instanceId, uid }) => {
    const last = seen.get(instanceId);
    return last?.uid !== uid || steps.now() - Date.parse(last.seenAt) > OLD_MS;
  });
}

/**
 * Reads from the ledger which of these nodes wait for the command. Nodes that Casement does not act for are left out.
 * Call inside a step.
 */
async function knownOf(
  steps: Steps,
  command: RolloutCommand,
  names: readonly string[],
): Promise<{ waiting: Waiting; unseen: string[] }> {
  const seen = await steps.machines.seen.all();
  const { configuration } = await steps.runtime.read(null);
  const nodes = await steps.nodes.all();
  const looked = await machinesActedFor(steps, configuration, nodes);
  const waiting: Record<string, string> = {};
  const unseen: string[] = [];
  for (const node of nodes) {
    const { name = "", uid = "" } = node.metadata ?? {};
    const instanceId = instanceIdOf(node) ?? "";
    if (!names.includes(name) || !looked.has(instanceId)) continue;
    const due = rebootDue(seen.get(instanceId), uid, steps.now());
    const reasons = due.state === "due" ? reasonsFor(command, due.reasons) : [];
    if (reasons.length > 0) waiting[name] = reasonWords(reasons);
    if (due.state === "unknown") unseen.push(name);
  }
  return { waiting, unseen };
}

/** Reasons that the command cures: a restart only those of services. */
const reasonsFor = (command: RolloutCommand, reasons: readonly RebootReason[]): readonly RebootReason[] =>
  command === "restart" ? reasons.filter(isCuredByRestart) : reasons;

/**
 * Chooses the nodes that wait for the command. Machines whose last observation is old are observed again first.
 * @param names of the candidates
 * @throws UserError when none of them waits for it
 */
export async function chooseDue(
  { ctx, steps, start: { operation }, request }: Op<RolloutRequest>,
  names: readonly string[],
): Promise<Waiting> {
  const old = await step(ctx, "find machines that were not seen lately", () => unseenOf(steps, names));
  if (old.length > 0) await observeBoots(ctx, steps, operation, old);
  const { waiting, unseen } = await step(ctx, "which nodes wait for a reboot", () =>
    knownOf(steps, request.command, names),
  );
  if (Object.keys(waiting).length > 0) return waiting;
  throw new UserError(noneDue(request.command, poolNamed(request) ?? null, unseen));
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
