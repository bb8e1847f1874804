import type { Simulation } from "../core/simulation.ts";
import type { Json } from "./block-kit/check.ts";

/** A message as it is kept. Times are Slack's: seconds since the epoch with six decimals, also the message's name. */
export interface StoredMessage {
  readonly channel: string;
  readonly ts: string;
  readonly threadTs?: string;
  /** Ephemeral: only this person sees it, and chat.update cannot find it. */
  readonly onlyTo?: string;
  /** Author of the message: a person, the app's bot user or Slackbot. */
  readonly user: string;
  readonly text: string;
  readonly blocks: readonly Json[];
  readonly metadata?: Json;
  /** Shown in the channel too, though it is a reply. */
  readonly broadcast?: boolean;
  readonly reactions?: readonly { readonly name: string; readonly users: readonly string[] }[];
  /** The time of the last change, when it was changed. */
  readonly editedTs?: string;
}

/** A message as people see it: the shape of the control API's GET /messages. */
export interface SeenMessage
  extends Pick<StoredMessage, "channel" | "ts" | "threadTs" | "onlyTo" | "user" | "text" | "blocks" | "broadcast"> {
  readonly edited: boolean;
}

/** The messages of the workspace, oldest first, kept in the store. */
export interface MessageLog {
  post(message: Omit<StoredMessage, "ts">): StoredMessage;
  /** Changes a message and marks it as edited. */
  edit(message: StoredMessage, change: Partial<StoredMessage>): StoredMessage;
  react(message: StoredMessage, name: string, user: string): void;
  remove(message: StoredMessage): void;
  find(channel: string, ts: string): StoredMessage | undefined;
  all(): StoredMessage[];
  /** The message that began a thread and its replies. */
  thread(channel: string, ts: string): StoredMessage[];
  /** The next time stamp: from the sandbox's clock, unique and rising, also across restarts. */
  nextTs(): string;
}

/** Slackbot's user id, the same in each workspace. */
export const SLACKBOT = "USLACKBOT";

const inOrder = (one: StoredMessage, other: StoredMessage): number => (one.ts < other.ts ? -1 : 1);

/**
 * Builds the log on the simulator's store.
 * @param changed called after each change
 */
export function messageLog({ clock, store }: Simulation, changed: () => void): MessageLog {
  const messages = store.collection<StoredMessage>("slack-messages");
  const lastMicros = store.collection<number>("slack-last-ts");
  const nextTs = (): string => {
    const micros = Math.max(Math.floor(clock.now() * 1000), (lastMicros.get("last") ?? 0) + 1);
    lastMicros.set("last", micros);
    return `${Math.floor(micros / 1e6)}.${String(micros % 1e6).padStart(6, "0")}`;
  };
  const keep = (message: StoredMessage): StoredMessage => {
    messages.set(`${message.channel}/${message.ts}`, message);
    changed();
    return message;
  };
  const all = (): StoredMessage[] => messages.values().sort(inOrder);
  return {
    post: (message) => keep({ ...message, ts: nextTs() }),
    edit: (message, change) => keep({ ...message, ...change, editedTs: nextTs() }),
    react: (message, name, user) => {
      const others = (message.reactions ?? []).filter((reaction) => reaction.name !== name);
      const users = message.reactions?.find((reaction) => reaction.name === name)?.users ?? [];
      keep({ ...message, reactions: [...others, { name, users: [...users, user] }] });
    },
    remove: (message) => {
      messages.delete(`${message.channel}/${message.ts}`);
      changed();
    },
    find: (channel, ts) => messages.get(`${channel}/${ts}`),
    all,
    thread: (channel, ts) =>
      all().filter((one) => one.channel === channel && !one.onlyTo && (one.ts === ts || one.threadTs === ts)),
    nextTs,
  };
}

/** The message in the shape that people and the control API see. */
export const seen = (message: StoredMessage): SeenMessage => ({
  channel: message.channel,
  ts: message.ts,
  ...(message.threadTs !== undefined && { threadTs: message.threadTs }),
  ...(message.onlyTo !== undefined && { onlyTo: message.onlyTo }),
  user: message.user,
  text: message.text,
  blocks: message.blocks,
  ...(message.broadcast && { broadcast: true }),
  edited: message.editedTs !== undefined,
});
