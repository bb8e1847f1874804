import type { Configuration } from "../../configuration/configuration.ts";
import type { HeldUp, ShownStops } from "../../messages/stops/stop.ts";
import type { OperationRecord } from "../../records/records.ts";
import type { Node } from "../../steps/cluster/nodes.ts";
import { patiently } from "../../steps/patience.ts";
import type { Steps } from "../../steps/steps.ts";
import { holdOn } from "../../steps/stops.ts";
import { stopsOfDates } from "../../time/calendar.ts";
import { covers, type Stop } from "../../time/stops.ts";

/** Seconds in which a service must have answered a look; all of it takes at most 20. */
export const SECONDS = 8;

/**
 * Reads freezes and holds in force, as far as that is possible: a list says so when one may be missing.
 * @param nodes null while the API server is away: it is not waited for a second time
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

/** Commands that a stop keeps from their work. */
const DISTURBING: ReadonlySet<string> = new Set(["drain", "reboot", "remove"]);

/** Operations that a stop may hold up: those that have not ended and disturb nodes. */
export async function heldUp(steps: Steps, operations: readonly OperationRecord[]): Promise<HeldUp[]> {
  const open = operations.filter(({ endedAt, request }) => endedAt === null && DISTURBING.has(request.command));
  return Promise.all(
    open.map(async ({ id, inPool = null }) => {
      const nodes = await steps.ledger.nodes(id);
      return { operation: id, pool: inPool, nodes: nodes.flatMap(({ nodeName }) => nodeName ?? []) };
    }),
  );
}
