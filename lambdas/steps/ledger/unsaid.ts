import { keys } from "../../records/ledger-table.ts";
import { type StepContext, timestamp } from "../context.ts";
import { tableClient } from "./table.ts";

/** An operation whose message does not show its state, because Slack refused it. */
export interface UnsaidMessage {
  readonly operation: string;
  /** ISO 8601: the first refusal. */
  readonly since: string;
  /** ISO 8601: the call past Slack; missing before it. */
  readonly calledAt?: string;
}

/** All messages that Slack refuses, in one item: people are called once for all that wait. */
interface UnsaidItem {
  /** In the order in which they are to be tried. */
  readonly messages: readonly UnsaidMessage[];
  readonly version?: number;
}

const none: UnsaidItem = { messages: [] };

/** Operations whose messages Slack refused. */
export const unsaid = (context: StepContext) => {
  const items = tableClient(context);
  return {
    /** Reads which messages are out of date, and for which of them people were called. */
    read: async (): Promise<readonly UnsaidMessage[]> => (await items.read<UnsaidItem>(keys.unsaid))?.messages ?? [],

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
        return { ...before, messages };
      });
    },

    /** Records that the message of an operation was tried in vain: the others are tried before it. */
    tried: async (operation: string): Promise<void> => {
      await items.revise<UnsaidItem>(keys.unsaid, (before = none) => {
        const isLast = (one: UnsaidMessage) => Number(one.operation === operation);
        return { ...before, messages: before.messages.toSorted((one, other) => isLast(one) - isLast(other)) };
      });
    },

    /** Records that people were called past Slack because of these operations. */
    called: async (operations: readonly string[]): Promise<void> => {
      const calledAt = timestamp(context);
      await items.revise<UnsaidItem>(keys.unsaid, (before = none) => {
        const messages = before.messages.map((one) =>
          operations.includes(one.operation) ? { ...one, calledAt } : one,
        );
        return { ...before, messages };
      });
    },
  };
};
