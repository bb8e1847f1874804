import { keys } from "../../records/ledger-table.ts";
import { type StepContext, timestamp } from "../context.ts";
import { tableClient } from "./table.ts";

/** An operation whose message does not show its state, because Slack refused it. */
interface UnsaidMessage {
  readonly operation: string;
  /** ISO 8601: the first refusal. */
  readonly since: string;
}

/** All messages that Slack refuses, in one item: people are called once for all of them. */
interface UnsaidItem {
  readonly messages: readonly UnsaidMessage[];
  /** ISO 8601: the call past Slack; null before it, and once Slack has taken every message. */
  readonly calledAt: string | null;
  readonly version?: number;
}

const none: UnsaidItem = { messages: [], calledAt: null };

/** Operations whose messages Slack refused. */
export const unsaid = (context: StepContext) => {
  const items = tableClient(context);
  return {
    /** Reads which messages are out of date, and whether people were called. */
    read: async (): Promise<UnsaidItem> => (await items.read<UnsaidItem>(keys.unsaid)) ?? none,

    /** Records that Slack refuses the message of an operation; the first refusal stays. */
    note: async (operation: string): Promise<void> => {
      await items.revise<UnsaidItem>(keys.unsaid, (before = none) => {
        if (before.messages.some((one) => one.operation === operation)) return null;
        return { ...before, messages: [...before.messages, { operation, since: timestamp(context) }] };
      });
    },

    /** Records that the message of an operation shows its state again. */
    said: async (operation: string): Promise<void> => {
      await items.revise<UnsaidItem>(keys.unsaid, (before = none) => {
        const messages = before.messages.filter((one) => one.operation !== operation);
        if (messages.length === before.messages.length) return null;
        return { ...before, messages, calledAt: messages.length === 0 ? null : before.calledAt };
      });
    },

    /** Records that people were called past Slack. */
    called: async (): Promise<void> => {
      await items.revise<UnsaidItem>(keys.unsaid, (before = none) => ({ ...before, calledAt: timestamp(context) }));
    },
  };
};
