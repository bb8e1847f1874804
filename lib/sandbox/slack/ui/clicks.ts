import type { Json } from "../block-kit/check.ts";
import type { Person } from "../directory.ts";
import { chosenIn, type Element, elementNamed, type Input } from "../elements-in.ts";
import type { StoredMessage } from "../message-log.ts";
import { messageAction, viewAction } from "../payloads.ts";
import type { View } from "../view.ts";
import type { Workspace } from "../workspace.ts";
import { TROUBLE } from "./dialogs.ts";
import { type Exchange, slackbotSays, UiError } from "./exchange.ts";

/** A click on an element, with the choice where it offers one. */
export interface Click {
  readonly actionId: string;
  readonly blockId?: string;
  readonly value?: Input;
}

function used(blocks: readonly Json[], click: Click): { element: Element; chosen: Json } {
  const element = elementNamed(blocks, click);
  if (!element) throw new UiError(`There is nothing to press that is called ${click.actionId}.`);
  const chosen = chosenIn(element, click.value);
  if (!chosen) throw new UiError(`${click.actionId} does not offer ${JSON.stringify(click.value)}.`);
  return { element, chosen };
}

/** A click in a message. Slack marks the element with a warning sign when it fails; here Slackbot says it. */
export function messageClick(workspace: Workspace, person: Person, message: StoredMessage, click: Click): Exchange {
  const channel = workspace.directory.channel(message.channel);
  if (!channel) throw new UiError(`There is no channel ${message.channel}.`);
  const { element, chosen } = used(message.blocks, click);
  const responseUrl = workspace.responseUrls.issue("actions", person.id, channel.id, message.ts);
  const triggerId = workspace.triggers.issue(person.id);
  const pressed = { message, channel, element, chosen };
  return {
    person,
    form: { payload: JSON.stringify(messageAction(workspace, person, pressed, { triggerId, responseUrl })) },
    // Interactivity guide: the body of the answer to a click is not read.
    apply: () => ({}),
    senseless: "http_client_error",
    notice: (error) => {
      const sentence = `This action failed with the error "${error}"`;
      return { text: sentence, message: slackbotSays(workspace, person, channel, sentence, message.threadTs) };
    },
  };
}

/** A click inside a dialog. */
export function viewClick(workspace: Workspace, person: Person, view: View, click: Click): Exchange {
  const triggerId = workspace.triggers.issue(person.id, view.id);
  const payload = viewAction(workspace, person, { view, ...used(view.blocks, click) }, triggerId);
  return {
    person,
    form: { payload: JSON.stringify(payload) },
    apply: () => ({}),
    senseless: "http_client_error",
    notice: () => ({ text: TROUBLE }),
  };
}
