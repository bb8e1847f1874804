import type { Roster } from "../commands/membership.ts";
import { type FrontDoorContext, timestamp } from "../steps/context.ts";
import { executions } from "../steps/executions.ts";
import { ledger } from "../steps/ledger/ledger.ts";
import { cards } from "../steps/slack/cards.ts";
import { privately } from "../steps/slack/privately.ts";
import { responseUrls } from "../steps/slack/response-urls.ts";
import { roster } from "../steps/slack/roster.ts";
import type { Steps } from "../steps/steps.ts";
import type { FrontDoorConfiguration } from "./configuration.ts";

/**
 * The steps that a request may need. Slack waits three seconds, so a request may cost three reads, one conditional write,
 * one start or callback, the opening of a dialog, and for a look one more write in parallel with the first. Everything
 * else is cached between requests or happens rarely.
 */
export interface FrontDoorSteps
  extends Pick<Steps, "now" | "timestamp" | "executions" | "ledger" | "responseUrls" | "roster"> {
  readonly thread: Pick<Steps["thread"], "answer" | "openDialog" | "note">;
  readonly cards: Pick<ReturnType<typeof cards>, "of">;
}

/** Dependencies of the front door. Each of its steps throws if a service is unavailable. */
export interface FrontDoor {
  readonly configuration: FrontDoorConfiguration;
  readonly steps: FrontDoorSteps;
  /** Milliseconds since the epoch: the clock that Slack's signed timestamps are compared with. */
  slackNow(): number;
  /** Reads the secret, which is cached for minutes. @param doubted true after a wrong signature: reads it again */
  signingSecret(doubted: boolean): Promise<string>;
}

/**
 * The schedule `people` writes the roster every five minutes; every instance reads a change within a minute after that.
 */
const KEEP_ROSTER_MS = 60_000;

/**
 * Assembles the steps one by one: `steps` would import every SDK client, and the first answer would wait for them
 * (docs/decisions/0003).
 * @param command the command as people type it
 */
export const frontDoorSteps = (context: FrontDoorContext, command: string): FrontDoorSteps => {
  const known = roster(context);
  return {
    now: context.now,
    timestamp: () => timestamp(context),
    cards: cards(context),
    executions: executions(context),
    ledger: ledger(context),
    responseUrls: responseUrls(context),
    roster: { ...known, read: kept(known.read, context.now) },
    thread: privately(context, async () => command),
  };
};

type ReadRoster = () => Promise<Roster | undefined>;

/**
 * Reads the roster at most once a minute; requests in that minute share the reading. A failed reading, or a missing
 * roster (before the schedule's first run), is not cached.
 */
function kept(read: ReadRoster, now: () => number): ReadRoster {
  let last: { readonly at: number; readonly reading: Promise<Roster | undefined> } | undefined;
  return async () => {
    if (!last || now() - last.at >= KEEP_ROSTER_MS) last = { at: now(), reading: read() };
    const mine = last;
    const forget = (): void => {
      if (last === mine) last = undefined;
    };
    const found = await mine.reading.catch((error: unknown) => {
      forget();
      throw error;
    });
    if (!found) forget();
    return found;
  };
}
