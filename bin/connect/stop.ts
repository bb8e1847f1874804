import { clients } from "../../lambdas/clients/clients.ts";
import { withWord } from "../../lambdas/messages/slack/command-word.ts";
import { endOfStop } from "../../lambdas/messages/stops/end.ts";
import { endedSummary, stopSummary } from "../../lambdas/messages/stops/stop.ts";
import { stopRecords } from "../../lambdas/steps/ledger/stop-records.ts";
import type { StopTarget } from "../../lambdas/time/stops.ts";
import { StartError } from "../start-error.ts";
import type { Place } from "./place.ts";

/** Options of a freeze or a thaw that was typed on a terminal. */
export interface StopOptions {
  /** Null for the whole cluster. */
  readonly pool: string | null;
  readonly reason: string | undefined;
  /** Duration, as typed. */
  readonly time: string | undefined;
  /** Moment, as typed. */
  readonly until: string | undefined;
  /** Name of the terminal's user. */
  readonly user: string;
}

/** Returns the target of a freeze. @throws StartError for a pool that is not configured: freezing it has no effect */
function targetOf({ pools }: Place, { pool }: StopOptions): StopTarget {
  if (pool === null) return { kind: "cluster" };
  if (!pools.includes(pool)) throw new StartError(`there is no pool "${pool}": ${pools.join(", ")}`);
  return { kind: "pool", pool };
}

/** Removes the marks of code, which a terminal does not render, and fills in the command word. */
const plainly = ({ commandWord }: Place, words: string): string =>
  `${withWord(words.replaceAll("`", ""), commandWord)}\n`;

async function recordsAt(place: Place) {
  const settings = await place.settings("look");
  const now = await place.clock();
  return { now, records: stopRecords({ clients: clients(settings), settings, now }) };
}

/**
 * Freezes the cluster or a pool with the AWS credentials of this terminal, without the cluster's API or Slack.
 * @returns a summary for the terminal
 * @throws StartError without a reason, for an invalid time, and for a pool that is not configured
 */
export async function freeze(place: Place, options: StopOptions): Promise<string> {
  const { pool, reason, time, until: moment, user } = options;
  if (!reason) throw new StartError('freeze needs --reason "…": it is shown to everyone whom the freeze stops');
  const target = targetOf(place, options);
  const { now, records } = await recordsAt(place);
  const end = endOfStop({ for: time, until: moment }, now(), place.zoneOf(pool));
  if ("wrong" in end) throw new StartError(end.wrong.replaceAll("`", ""));
  const until = end.until === null ? null : new Date(end.until).toISOString();
  const at = new Date(now()).toISOString();
  const stop = { kind: "freeze", reason, by: `${user} at a terminal`, at, until } as const;
  await records.put({ ...stop, target });
  return plainly(place, stopSummary(stop, [target]));
}

/** Lifts a freeze in the same way. @returns a summary for the terminal */
export async function thaw(place: Place, options: StopOptions): Promise<string> {
  const target = targetOf(place, options);
  const { records } = await recordsAt(place);
  const ended = await records.end("freeze", target);
  return plainly(
    place,
    endedSummary("freeze", { targets: [target], ended: ended ? [target] : [], left: await records.all() }),
  );
}
