import type { Configuration } from "../../configuration/configuration.ts";
import type { HeldUp, ShownStops } from "../../messages/stops/stop.ts";
import type { OperationRecord } from "../../records/records.ts";
import type { Node } from "../../steps/cluster/nodes.ts";
import { patiently } from "../../steps/patience.ts";
import type { Steps } from "../../steps/steps.ts";
import { holdOn } from "../../steps/stops.ts";
import { stopsOfDates } from "../../time/calendar.ts";
import { covers, type Stop } from "../../time/stops.ts";

/** Seconds within which a service must answer a look; a whole look takes at most 20. */
export const SECONDS = 8;

/**
 * Reads the freezes and holds in force. If a source does not answer, the result is marked as incomplete.
 * @param nodes null if the API server did not answer; it is then not asked a second time
 */
export async function stopsShown(
  steps: Steps,
  configuration: Configuration,
  nodes: readonly Node[] | null,
): Promise<ShownStops> {
  const read = (ask: () => Promise<Stop[]>): Promise<Stop[] | null> =>
    patiently(SECONDS * 1_000, ask).catch(() => null);
  const [recorded, frozen] = await Promise.all([read(steps.stops.all), nodes ? read(steps.stops.ofNamespace) : null]);
  return {
    stops: [
      ...(nodes ?? []).flatMap(holdOn),
      ...(recorded ?? []),
      ...(frozen ?? []),
      ...stopsOfDates(configuration, steps.now()),
    ],
    isWhole: recorded !== null && frozen !== null,
  };
}

/** Reads the freezes and holds over one node. */
export async function stopsOver(
  steps: Steps,
  configuration: Configuration,
  node: Node,
  pool: string | null,
): Promise<ShownStops> {
  const { stops, isWhole } = await stopsShown(steps, configuration, [node]);
  const place = { uid: node.metadata?.uid ?? null, pool };
  return { stops: stops.filter((stop) => covers(stop, place)), isWhole };
}

/** Commands that a freeze or a hold stops. */
const DISTURBING: ReadonlySet<string> = new Set(["drain", "reboot", "restart", "remove"]);

/** Lists the operations that a freeze or a hold may delay: they have not ended and disturb nodes. */
export async function heldUp(steps: Steps, operations: readonly OperationRecord[]): Promise<HeldUp[]> {
  const open = operations.filter(({ endedAt, request }) => endedAt === null && DISTURBING.has(request.command));
  return Promise.all(
    open.map(async ({ id, inPool = null }) => {
      const nodes = await steps.ledger.nodes(id);
      return { operation: id, pool: inPool, nodes: nodes.flatMap(({ nodeName }) => nodeName ?? []) };
    }),
  );
}
