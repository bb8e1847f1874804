import { isObject, type Json } from "../block-kit/check.ts";
import type { Deliveries, Delivery } from "../delivery.ts";
import type { Channel, Person } from "../directory.ts";
import { type SeenMessage, SLACKBOT, type StoredMessage, seen } from "../message-log.ts";
import { SlackError } from "../slack-error.ts";
import type { View } from "../view.ts";
import type { Workspace } from "../workspace.ts";

/** Error of an action that Slack's own window does not offer: a button that is not there, a foreign channel. */
export class UiError extends Error {
  override readonly name = "UiError";
}

/** Messages, complaints and dialogs that a person sees right after an act. */
export interface Shown {
  /** Slack's error code when the app did not answer as it must; null when it did. */
  readonly error: string | null;
  /** Slack's own sentence to the person, such as `/win failed with the error "operation_timeout"`. */
  readonly notice: string | null;
  /** Messages that the act itself put there, such as the answer to a command. */
  readonly messages: readonly SeenMessage[];
  /** Complaints under the fields of a dialog, by block id. */
  readonly complaints: Readonly<Record<string, string>>;
  /** The dialogs in front of the person now, the topmost last. */
  readonly views: readonly View[];
}

/** Messages and complaints that came from applying the app's answer. */
export interface Applied {
  readonly messages?: readonly StoredMessage[];
  readonly complaints?: Readonly<Record<string, string>>;
}

/** One request to the app and what its answer means. */
export interface Exchange {
  readonly person: Person;
  readonly form: Readonly<Record<string, string>>;
  /** Does what the app answered; throws SlackError when Slack cannot make sense of it. */
  apply(body: string): Applied;
  /** Slack's code for an answer that makes no sense. */
  readonly senseless: string;
  /** Slack's sentence for a code, and where it is shown. */
  notice(error: string): { readonly text: string; readonly message?: StoredMessage };
}

/** Runs exchanges, and the last one again. */
export interface Exchanges {
  run(exchange: Exchange): Promise<Shown>;
  again(): Promise<Shown>;
}

/** Nothing but the dialogs that are open: what most acts show at least. */
export const shownTo = ({ views }: Workspace, person: Person, change: Partial<Shown> = {}): Shown => ({
  error: null,
  notice: null,
  messages: [],
  complaints: {},
  views: views.of(person.id),
  ...change,
});

/** An answer's JSON object; an empty body is an empty object, anything else is `text`. */
export function answerIn(body: string): Json {
  if (body === "") return {};
  try {
    const value: unknown = JSON.parse(body);
    return isObject(value) ? value : { text: body };
  } catch {
    return { text: body };
  }
}

/** A line from Slackbot that only this person sees. */
export const slackbotSays = (
  { messages }: Workspace,
  person: Person,
  channel: Channel,
  text: string,
  threadTs?: string,
): StoredMessage =>
  messages.post({
    channel: channel.id,
    user: SLACKBOT,
    onlyTo: person.id,
    text,
    blocks: [],
    ...(threadTs !== undefined && { threadTs }),
  });

/** Builds the runner of exchanges over one way to the app. */
export function exchanges(workspace: Workspace, sender: Deliveries): Exchanges {
  let last: Exchange | undefined;
  const failed = (exchange: Exchange, error: string): Shown => {
    const { text, message } = exchange.notice(error);
    const messages = message ? [seen(message)] : [];
    return shownTo(workspace, exchange.person, { error, notice: text, messages });
  };
  const settled = (exchange: Exchange, delivery: Delivery): Shown => {
    if (delivery.error !== null) return failed(exchange, delivery.error);
    try {
      const { messages = [], complaints = {} } = exchange.apply(delivery.body);
      return shownTo(workspace, exchange.person, { messages: messages.map(seen), complaints });
    } catch (error) {
      if (error instanceof SlackError) return failed(exchange, exchange.senseless);
      throw error;
    }
  };
  return {
    run: async (exchange) => {
      last = exchange;
      return settled(exchange, await sender.send(exchange.form));
    },
    again: async () => {
      const [exchange, delivery] = [last, sender.sendAgain()];
      if (!exchange || !delivery) throw new UiError("Nothing was sent to the app yet.");
      return settled(exchange, await delivery);
    },
  };
}
