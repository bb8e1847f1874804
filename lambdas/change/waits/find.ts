import { type LeftMachine, type PersonWait, type WaitsSeen, waitsIn } from "../../records/waits.ts";
import { isWindows } from "../../steps/cluster/node-facts.ts";
import type { Node } from "../../steps/cluster/nodes.ts";
import { patiently } from "../../steps/patience.ts";
import type { Steps } from "../../steps/steps.ts";
import { workRecord } from "../operation/work-record.ts";

/** Finds cordons that operations have left to a person, on Nodes that are still cordoned. */
async function cordonsOf(steps: Steps, nodes: readonly Node[]): Promise<WaitsSeen["cordons"]> {
  const cordoned = nodes.filter((node) => isWindows(node) && node.spec?.unschedulable === true);
  const found = await Promise.all(cordoned.map(({ metadata }) => steps.cordons.find(metadata?.uid ?? "")));
  const left = found.flatMap((one) => (one?.keptAt === undefined ? [] : [one]));
  return Promise.all(
    left.map(async (cordon) => {
      const by = await steps.ledger.operation(cordon.operation);
      const record = await workRecord(steps, cordon);
      return { cordon, by, record };
    }),
  );
}

async function unreviewedOf(steps: Steps): Promise<WaitsSeen["unreviewed"]> {
  const open = await Promise.all(
    (await steps.breakGlass.open()).map(({ operation }) => steps.ledger.operation(operation)),
  );
  return open.filter((operation) => operation !== undefined);
}

/**
 * Finds everything that waits for a person. Belongs into a step.
 * @param nodes nodes of the cluster; none if its API is unreachable
 * @param machines machines that are no nodes
 */
export async function findWaits(
  steps: Steps,
  nodes: readonly Node[],
  machines: readonly LeftMachine[],
): Promise<PersonWait[]> {
  const unfinished = await steps.ledger.unfinished();
  const [running, unreviewed, cordons] = await Promise.all([
    Promise.all(unfinished.map(async (operation) => ({ operation, nodes: await steps.ledger.nodes(operation.id) }))),
    unreviewedOf(steps),
    cordonsOf(steps, nodes),
  ]);
  return waitsIn({ running, unreviewed, cordons, machines });
}

/** Seconds within which the cluster must list its nodes. */
const LIST_SECONDS = 4;

/**
 * Finds what waits for a person, for a report of the doctor: kept machines are findings of their own. If the cluster does
 * not answer, nodes that wait are left out.
 */
export async function findReportedWaits(steps: Steps): Promise<PersonWait[]> {
  const nodes = await patiently(LIST_SECONDS * 1_000, steps.nodes.all).catch((): Node[] => []);
  return findWaits(steps, nodes, []);
}
