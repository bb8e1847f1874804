import { atMost, chunksOf, numbered, RECORDS_AT_ONCE, readOnce } from "../../engine/chunks.ts";
import { failureReason, step } from "../../engine/durable.ts";
import { MOST_MACHINES } from "../../machine/fleet-size.ts";
import type { FleetResult } from "../../messages/operation/fleet.ts";
import type { FailureReason } from "../../records/failures.ts";
import { workOwner } from "../../records/node-work.ts";
import type { NodeRecord } from "../../records/records.ts";
import type { NodeChange } from "../../steps/ledger/ledger.ts";
import type { FleetMachine, FleetOperation, FleetRow, Member, Outcome } from "./row.ts";

/** A machine with the end of the work on it. */
export interface Settlement<M extends FleetMachine> {
  readonly member: Member<M>;
  readonly outcome: Outcome;
}

/** Records the end of one node's work. */
export const endNode = (
  { steps, operation }: Pick<FleetOperation, "steps" | "operation">,
  index: number,
  change: NodeChange,
): Promise<void> =>
  steps.ledger.changeNode(operation, index, { ...change, endedAt: steps.timestamp(), waitsFor: null });

const wordFor = <M extends FleetMachine>({ audit }: FleetRow<M>, { state }: Outcome): string =>
  state === "changed" ? audit.succeeded : state;

/** Appends machines' results to the operation's chain: each entry holds the hash of the one before. */
async function auditAll<M extends FleetMachine>(
  { steps, operation }: FleetOperation,
  row: FleetRow<M>,
  settlements: readonly Settlement<M>[],
): Promise<void> {
  const acts = settlements.map(({ member, outcome }) => {
    const { index, name, instanceId } = member;
    const word = wordFor(row, outcome);
    const detail = { ...row.audit.detail, outcome: word };
    return { mark: `node ${index} ${word}`, act: { what: "changed", node: { name, instanceId }, detail } as const };
  });
  await steps.audit.appendAll({ operation }, acts);
}

/** Ends the work on a machine. Its lease is released first: the sweep skips nodes that have ended. */
async function endOne<M extends FleetMachine>(
  op: FleetOperation,
  { endOf }: FleetRow<M>,
  { member, outcome }: Settlement<M>,
  isDeleted: boolean,
): Promise<void> {
  await op.steps.leases.release(member.lease);
  await endNode(op, member.index, endOf(outcome, isDeleted));
}

/**
 * Records the results of machines and releases their leases, 50 in one step.
 * @param before work of the first of these steps
 * @param ask question that the first of these steps answers at its end
 * @returns the answer; false without a question, and in executions of the last release
 */
export async function settle<M extends FleetMachine>(
  op: FleetOperation,
  row: FleetRow<M>,
  settlements: readonly Settlement<M>[],
  {
    name,
    before,
    ask,
  }: { readonly name: string; readonly before?: () => Promise<void>; readonly ask?: FleetRow<M>["isOutdated"] },
): Promise<boolean> {
  let answer: boolean | undefined;
  const deleted = readOnce(async () => row.deleted?.(settlements.map(({ member }) => member)));
  for (const [at, chunk] of chunksOf(settlements).entries()) {
    const heard = await step(op.ctx, numbered(name, at), async () => {
      if (at === 0) await before?.();
      const gone = await deleted();
      const changed = chunk.filter(({ outcome }) => outcome.state === "changed");
      await atMost(RECORDS_AT_ONCE, changed, async ({ member }) => row.onChanged?.(member));
      await auditAll(op, row, chunk);
      await atMost(RECORDS_AT_ONCE, chunk, (one) => endOne(op, row, one, gone?.has(one.member.uid) ?? false));
      return at === 0 ? ask?.() : undefined;
    });
    answer ??= heard;
  }
  return answer ?? false;
}

/** Results of some nodes. */
interface LeftPage extends Pick<FleetResult, "changed" | "failed"> {
  /** Missing on the last page. */
  readonly more?: true;
}

const nameOf = ({ nodeName, instanceId }: NodeRecord): string => nodeName ?? instanceId ?? "a node";

/** Belongs into a step. @returns null when the operation has ended already */
async function settlePage(
  op: FleetOperation,
  { endOf }: Pick<FleetRow<FleetMachine>, "endOf">,
  from: number,
  reason: FailureReason,
): Promise<LeftPage | null> {
  const { steps, operation } = op;
  if ((await steps.ledger.operation(operation))?.endedAt !== null) return null;
  const left = (await steps.ledger.nodes(operation)).slice(from, from + MOST_MACHINES);
  await atMost(RECORDS_AT_ONCE, left, async (node) => {
    if (node.instanceId) await steps.leases.releaseOwned(node.instanceId, workOwner(node));
    if (node.endedAt === null) await endNode(op, node.index, endOf({ state: "failed", ...reason }, false));
  });
  const settled = (await steps.ledger.nodes(operation)).slice(from);
  const nodes = settled.slice(0, MOST_MACHINES).filter(({ status }) => status !== "cancelled");
  const failed = nodes
    .filter(({ status }) => status !== "succeeded")
    .map((node) => ({ node: nameOf(node), why: node.outcome ?? node.failure?.why ?? reason.why }));
  const changed = nodes.filter(({ status }) => status === "succeeded").map(nameOf);
  return { changed, failed, ...(settled.length > MOST_MACHINES ? { more: true } : {}) };
}

/** Most characters of the error in each node's record. */
const MOST_WORDS = 1_000;

/**
 * Settles the machines that remain after an error, 50 in one step, so that their leases need not wait for the sweep.
 * @param error the error that ended the work, and the failure of each node that was not settled before
 * @returns the operation's result; null when it has no node, or has ended already
 */
export async function settleLeft(
  op: FleetOperation,
  row: Pick<FleetRow<FleetMachine>, "endOf">,
  error: unknown,
): Promise<FleetResult | null> {
  const { why, ...rest } = failureReason(error);
  const reason = { ...rest, why: why.slice(0, MOST_WORDS) };
  const all: LeftPage[] = [];
  for (let at = 0; at === 0 || all.at(-1)?.more; at += 1) {
    const page = await step(op.ctx, numbered("settle what is left", at), () =>
      settlePage(op, row, at * MOST_MACHINES, reason),
    );
    // The last release returned nothing for an operation of a person.
    if (!page) return null;
    all.push(page);
  }
  const [changed, failed] = [all.flatMap((page) => page.changed), all.flatMap((page) => page.failed)];
  return changed.length + failed.length > 0 ? { changed, failed, untouched: [], note: null } : null;
}
