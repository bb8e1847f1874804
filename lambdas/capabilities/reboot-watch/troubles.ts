import type { SeenMachine } from "../../machine/seen-machine.ts";
import { type SeenTrouble, troubleName } from "../../machine/seen-troubles.ts";
import { machineTroubleMessage, troubleEndMessage } from "../../messages/node/machine-troubles.ts";
import type { Steps } from "../../steps/steps.ts";

/** A trouble of one machine. */
interface Found {
  readonly machine: SeenMachine;
  readonly trouble: SeenTrouble;
}

/** Troubles that one observation found, or no longer found, on just these machines. */
interface TroubleCard {
  readonly troubles: readonly SeenTrouble[];
  readonly machines: readonly SeenMachine[];
  readonly isPosted: boolean;
}

/** The observation that found a trouble, or that found it ended. */
const observationOf = ({ trouble: { mark, endedBy } }: Found): string =>
  endedBy === undefined ? `${mark} began` : `${endedBy} ended`;

const isToPost = ({ trouble: { isPosted, endedBy } }: Found): boolean => !isPosted || endedBy !== undefined;

/**
 * Groups troubles for the channel: those of one observation that the same machines have are one card. What was posted counts too,
 * so that an execution that died after posting makes the same cards again.
 */
function cardsOf(found: readonly Found[]): TroubleCard[] {
  return [...Map.groupBy(found, observationOf).values()].flatMap((observed) => {
    const byName = [...Map.groupBy(observed, ({ trouble }) => troubleName(trouble)).values()];
    const machinesOf = (one: readonly Found[]): string =>
      one
        .map(({ machine }) => machine.instanceId)
        .toSorted()
        .join();
    return [...Map.groupBy(byName, machinesOf).values()].map((together) => ({
      troubles: together.flatMap(([first]) => (first ? [first.trouble] : [])),
      machines: (together[0] ?? []).map(({ machine }) => machine),
      isPosted: !together.flat().some(isToPost),
    }));
  });
}

/** Names the message of a card; an execution that dies after posting finds it by that name. */
function markOf({ troubles }: TroubleCard): string {
  const names = troubles.map(troubleName).join(", ");
  const [{ mark = "", endedBy } = {}] = troubles;
  return endedBy === undefined ? `${mark} ${names}` : `${endedBy} ${names} ended`;
}

/**
 * Posts the troubles of machines that observations have found, and those that have ended: once each, what one observation finds
 * on a machine in one message, and the same of several machines too. Call inside a step.
 */
export async function postTroubles(steps: Steps): Promise<void> {
  const found = [...(await steps.machines.seen.all()).values()].flatMap((machine) =>
    (machine.troubles ?? []).map((trouble): Found => ({ machine, trouble })),
  );
  const due = cardsOf(found).filter(({ isPosted }) => !isPosted);
  if (due.length === 0) return;
  const { slack } = await steps.runtime.rules();
  for (const card of due) {
    const { troubles, machines } = card;
    const message = troubles[0]?.endedBy === undefined ? machineTroubleMessage : troubleEndMessage;
    const nodes = machines.map(({ node }) => node).toSorted();
    const ts = await steps.thread.post(slack.channel, message(troubles, nodes), markOf(card));
    for (const { instanceId } of machines)
      for (const trouble of troubles) await steps.machines.seen.notePosted(instanceId, troubleName(trouble), ts);
  }
}
