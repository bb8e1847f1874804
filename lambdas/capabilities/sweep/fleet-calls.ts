import { createHash } from "node:crypto";
import type { DurableContext } from "@aws/durable-execution-sdk-js";
import { readFleet } from "../../change/fleet/fleet-nodes.ts";
import { isDispensable } from "../../commands/approvals.ts";
import { audienceOnCall } from "../../commands/policy.ts";
import type { Configuration } from "../../configuration/configuration.ts";
import { step } from "../../engine/durable.ts";
import { escalate } from "../../engine/escalate.ts";
import { orLater } from "../../engine/or-later.ts";
import {
  type FleetNode,
  type FleetTrouble,
  firstFailure,
  fleetTroubleKinds,
  fleetTroubleOf,
  isTooMany,
} from "../../health/fleet-trouble.ts";
import type { Notice } from "../../messages/operation/escalations.ts";
import { type FleetCall, fleetCallName } from "../../records/fleet-call.ts";
import type { Message } from "../../records/records.ts";
import { holderAt, isWaitDue } from "../../records/reminders.ts";
import type { Steps } from "../../steps/steps.ts";
import { fleetRecoveredMessage, fleetReminder, fleetTroubleMessage, fleetTroubleNotice } from "./fleet-call-message.ts";

/** News of a tick about one kind of trouble. */
interface FleetNews {
  readonly call: FleetCall;
  readonly message: Message;
  /** Calls people past Slack; null unless a call is due. */
  readonly notice: Notice | null;
  /** Mentions people in the message's thread; null where the message itself does, or nobody is called. */
  readonly reminder: Message | null;
  readonly isOver: boolean;
}

/** The next tick asks an unavailable service again. */
const ATTEMPTS = 1;

const hashOf = (message: Message): string => createHash("sha256").update(JSON.stringify(message)).digest("hex");

/** Records the trouble. @returns what is to be said; null if the message shows it already */
async function noteTrouble(
  steps: Steps,
  configuration: Configuration,
  trouble: FleetTrouble,
  open: FleetCall | undefined,
): Promise<FleetNews | null> {
  const nodes = trouble.failing.map(({ node }) => node);
  const fresh = { kind: trouble.kind, since: trouble.since, nodes, pagedAt: null, ts: null, shown: "" };
  const known = open ?? (await steps.announcements.fleet.begin(fresh));
  const again = callAgain(trouble, known, configuration);
  const call = { ...known, ...again, nodes };
  const shown = { ...trouble, since: call.since };
  const held = (await steps.reminders.all()).get(fleetCallName(call));
  const called = audienceOnCall(configuration, "reboot");
  const message = fleetTroubleMessage(shown, {
    called,
    holder: holderAt(held, steps.now()),
    isDispensable: trouble.pools.some(({ pool }) => isDispensable(configuration, pool)),
  });
  const isFirst = call.pagedAt === null || again !== null;
  const isDue =
    isFirst ||
    isWaitDue({ since: call.since, isUrgent: true }, { ...held, at: call.pagedAt ?? call.since }, steps.now());
  if (call.ts !== null && call.shown === hashOf(message) && !isDue) return null;
  const notice = isDue ? fleetTroubleNotice(shown) : null;
  const reminder = isDue && !isFirst ? fleetReminder(shown, called, steps.timestamp()) : null;
  return { call, message, notice, reminder, isOver: false };
}

/**
 * Begins the call anew if the nodes that failed since people were called are too many by themselves: nobody is notified of a
 * message that is only updated.
 * @returns the call's new beginning; null if nothing changes
 */
export function callAgain(
  { kind, failing, all }: Pick<FleetTrouble, "kind" | "failing" | "all">,
  { pagedAt, paged, nodes }: Pick<FleetCall, "pagedAt" | "paged" | "nodes">,
  { mostNotReady }: Pick<Configuration, "mostNotReady">,
): Pick<FleetCall, "since" | "ts" | "shown"> | null {
  if (pagedAt === null) return null;
  const known = new Set(paged ?? nodes);
  const fresh = failing.filter(({ node }) => !known.has(node));
  const since = firstFailure(kind, fresh);
  return since !== undefined && isTooMany(fresh.length, all, mostNotReady) ? { since, ts: null, shown: "" } : null;
}

/** Ends a call whose nodes are back. A call that Slack never showed ends without a word. */
async function noteEnd(steps: Steps, call: FleetCall, nodes: readonly FleetNode[]): Promise<FleetNews | null> {
  if (call.ts === null) {
    await steps.announcements.fleet.end(call.kind);
    return null;
  }
  const message = fleetRecoveredMessage(call, nodes, steps.timestamp());
  return { call, message, notice: null, reminder: null, isOver: true };
}

/** Looks at all Windows nodes. Call inside a step. */
async function findNews(steps: Steps): Promise<FleetNews[]> {
  const { configuration } = await steps.runtime.read(null);
  const [nodes, open] = await Promise.all([readFleet(steps, configuration), steps.announcements.fleet.open()]);
  const at = { most: configuration.mostNotReady, now: steps.now() };
  const news = await Promise.all(
    fleetTroubleKinds.map(async (kind) => {
      const call = open.find((one) => one.kind === kind);
      const trouble = fleetTroubleOf(kind, nodes, call?.nodes ?? [], at);
      if (trouble) return noteTrouble(steps, configuration, trouble, call);
      return call ? noteEnd(steps, call, nodes) : null;
    }),
  );
  return news.filter((one) => one !== null);
}

/** Shows the news in the one message of its trouble. Call inside a step. */
async function tell(steps: Steps, { call, message, reminder, isOver }: FleetNews): Promise<void> {
  const { kind, since, nodes, pagedAt } = call;
  const { slack } = await steps.runtime.rules();
  const ts =
    call.ts === null
      ? await steps.thread.post(slack.channel, message, `fleet ${kind} ${since}`)
      : await steps.thread.update(slack.channel, call.ts, message);
  // Named by the call before it: one whose page was refused is made again, and mentions nobody twice.
  if (reminder) await steps.thread.post(slack.channel, reminder, `${fleetCallName(call)} after ${pagedAt}`, ts);
  await (isOver
    ? steps.announcements.fleet.end(kind)
    : steps.announcements.fleet.change(kind, { since, ts, nodes, shown: hashOf(message) }));
}

/**
 * Calls people to trouble of many nodes: one call for all of them, past Slack and in one message, which follows the number
 * of nodes and ends when they are back. While nobody has it, people are called again after 30 and 90 minutes, then daily.
 * If Slack is down, the next tick posts the message.
 */
export async function callForFleet(ctx: DurableContext, steps: Steps): Promise<void> {
  const news = await step(ctx, "look at the whole fleet", () => findNews(steps), ATTEMPTS).catch(orLater([]));
  for (const one of news) {
    const { kind, since, ts, shown, nodes } = one.call;
    if (one.notice) {
      const isSent = await escalate(ctx, steps, `fleet ${kind}`, one.notice);
      const paged = { since, ts, shown, paged: nodes };
      const keep = () => steps.announcements.fleet.change(kind, { ...paged, pagedAt: steps.timestamp() });
      if (isSent) await step(ctx, `keep the page: fleet ${kind}`, keep).catch(orLater(undefined));
    }
    await step(ctx, `tell of the fleet: ${kind}`, () => tell(steps, one), ATTEMPTS).catch(orLater(undefined));
  }
}
