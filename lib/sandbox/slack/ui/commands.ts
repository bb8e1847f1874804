import { commandText } from "../command-text.ts";
import type { Channel, Person } from "../directory.ts";
import { checkedContent } from "../message-content.ts";
import { type StoredMessage, seen } from "../message-log.ts";
import { commandForm } from "../payloads.ts";
import type { Workspace } from "../workspace.ts";
import { answerIn, type Exchange, type Exchanges, type Shown, shownTo, slackbotSays } from "./exchange.ts";

/** A line that a user typed. */
export interface Typed {
  readonly person: Person;
  readonly channel: Channel;
  readonly text: string;
  /** The thread it was typed in. */
  readonly threadTs?: string;
}

/** Shows what the app answered to a command: to the person alone unless it says "in_channel". */
function showAnswer(workspace: Workspace, { person, channel }: Typed, body: string): StoredMessage[] {
  const answer = answerIn(body);
  if (answer.text === undefined && answer.blocks === undefined) return [];
  const message = workspace.messages.post({
    channel: channel.id,
    user: workspace.directory.app.userId,
    ...checkedContent(answer, () => workspace.simulation.random.hex(5)),
    ...(answer.response_type !== "in_channel" && { onlyTo: person.id }),
  });
  return [message];
}

function exchangeOf(workspace: Workspace, typed: Typed, command: string): Exchange {
  const { person, channel } = typed;
  const text = commandText(typed.text.slice(command.length), workspace.directory);
  const responseUrl = workspace.responseUrls.issue("commands", person.id, channel.id);
  const triggerId = workspace.triggers.issue(person.id);
  return {
    person,
    form: commandForm(workspace, { person, channel, command, text }, { triggerId, responseUrl }),
    apply: (body) => {
      const messages = showAnswer(workspace, typed, body);
      for (const message of messages) workspace.responseUrls.answered(responseUrl, message);
      return { messages };
    },
    senseless: "invalid_command_response",
    notice: (error) => {
      const sentence = `${command} failed with the error "${error}"`;
      return { text: sentence, message: slackbotSays(workspace, person, channel, sentence) };
    },
  };
}

function refused(workspace: Workspace, { person, channel, threadTs }: Typed, sentence: string): Shown {
  const message = slackbotSays(workspace, person, channel, sentence, threadTs);
  return shownTo(workspace, person, { notice: sentence, messages: [seen(message)] });
}

function said(workspace: Workspace, { person, channel, text, threadTs }: Typed): Shown {
  const message = workspace.messages.post({
    channel: channel.id,
    user: person.id,
    text,
    blocks: [],
    ...(threadTs !== undefined && { threadTs }),
  });
  return shownTo(workspace, person, { messages: [seen(message)] });
}

/** Sends a typed line where Slack sends it: a command to the app, anything else into the channel. */
export async function type(workspace: Workspace, exchanges: Exchanges, typed: Typed): Promise<Shown> {
  const command = /^\/\S+/.exec(typed.text)?.[0];
  if (command === undefined) return said(workspace, typed);
  const known = workspace.options.commands ?? ["/win"];
  if (!known.includes(command)) return refused(workspace, typed, `${command} is not a valid command.`);
  // Slash commands guide: commands of apps cannot be invoked in message threads.
  if (typed.threadTs !== undefined) return refused(workspace, typed, `${command} is not supported in threads. Sorry!`);
  return exchanges.run(exchangeOf(workspace, typed, command));
}
