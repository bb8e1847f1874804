import type { SeenMachine } from "../../machine/seen-machine.ts";
import { type SeenTrouble, troubleName } from "../../machine/seen-troubles.ts";
import { machineTroubleMessage, troubleEndMessage } from "../../messages/node/machine-troubles.ts";
import type { Steps } from "../../steps/steps.ts";

/** A trouble of one machine whose beginning or end is to be posted. */
interface Unposted {
  readonly machine: SeenMachine;
  readonly trouble: SeenTrouble;
}

/** Names the message of a trouble; an execution that dies after posting finds it by that name. */
const messageOf = ({ trouble }: Unposted): string =>
  trouble.endedBy === undefined
    ? `${trouble.mark} ${troubleName(trouble)}`
    : `${trouble.endedBy} ${troubleName(trouble)} ended`;

/**
 * Posts the troubles of machines that observations have found, and those that have ended: once each, and the same trouble of
 * several machines in one message. Call inside a step.
 */
export async function postTroubles(steps: Steps): Promise<void> {
  const unposted = [...(await steps.machines.seen.all()).values()].flatMap((machine) =>
    (machine.troubles ?? [])
      .filter(({ isPosted, endedBy }) => !isPosted || endedBy !== undefined)
      .map((trouble): Unposted => ({ machine, trouble })),
  );
  if (unposted.length === 0) return;
  const { slack } = await steps.runtime.rules();
  for (const [mark, together] of Map.groupBy(unposted, messageOf)) {
    const [{ trouble } = { trouble: null }] = together;
    if (trouble === null) continue;
    const nodes = together.map(({ machine }) => machine.node).toSorted();
    const message = trouble.endedBy === undefined ? machineTroubleMessage : troubleEndMessage;
    await steps.thread.post(slack.channel, message(trouble, nodes), mark);
    for (const { machine } of together) await steps.machines.seen.notePosted(machine.instanceId, troubleName(trouble));
  }
}
