import { deliveries } from "../delivery.ts";
import type { Channel, Person } from "../directory.ts";
import type { Input } from "../elements-in.ts";
import { filledIn } from "../form-values.ts";
import { type SeenMessage, seen } from "../message-log.ts";
import type { View } from "../view.ts";
import type { Workspace } from "../workspace.ts";
import { type Click, messageClick, viewClick } from "./clicks.ts";
import { type } from "./commands.ts";
import { closing, left, submission } from "./dialogs.ts";
import { exchanges, type Shown, shownTo, UiError } from "./exchange.ts";

/** An element of a message (`channel` and `messageTs`) or of a dialog (`viewId`). */
export type Press = Click & ({ readonly channel: string; readonly messageTs: string } | { readonly viewId: string });

/** Slack's window as its users see and use it. Each act rejects with UiError when Slack's window does not offer it. */
export interface SlackUi {
  /** Types a line in a channel (id or name), or in a thread of it. */
  type(userId: string, channel: string, text: string, threadTs?: string): Promise<Shown>;
  /** Presses a button or chooses in a menu; a confirm dialog is taken as confirmed. */
  press(userId: string, press: Press): Promise<Shown>;
  /** Submits a dialog with what was entered, by block id. */
  submit(userId: string, viewId: string, values?: Readonly<Record<string, Input>>): Promise<Shown>;
  close(userId: string, viewId: string): Promise<Shown>;
  /** Delivers the last request once more, byte for byte. */
  repeatLast(): Promise<Shown>;
  /** The dialogs in front of a person, the topmost last. */
  viewsOf(userId: string): View[];
  /** Messages that a person sees, oldest first: those of their channels and those shown only to them. */
  messagesFor(userId: string): SeenMessage[];
  people(): readonly Person[];
  channels(): readonly Channel[];
  /** Calls the listener when a user may see something new; returns a function that removes it. */
  onChange(listener: () => void): () => void;
}

const personOf = ({ directory }: Workspace, userId: string): Person => {
  const person = directory.person(userId);
  if (!person) throw new UiError(`There is no person with the id ${userId}.`);
  return person;
};

const channelFor = ({ directory }: Workspace, person: Person, idOrName: string): Channel => {
  const channel = directory.channel(idOrName);
  if (!channel?.members.includes(person.id)) throw new UiError(`${person.name} is not in ${idOrName}.`);
  return channel;
};

function seenBy({ directory, messages }: Workspace, userId: string): SeenMessage[] {
  const mine = new Set(directory.channels.filter(({ members }) => members.includes(userId)).map(({ id }) => id));
  return messages
    .all()
    .filter((one) => mine.has(one.channel) && (one.onlyTo === undefined || one.onlyTo === userId))
    .map(seen);
}

const viewFor = ({ views }: Workspace, person: Person, viewId: string): View => {
  const view = views.get(viewId);
  if (!view || views.ownerOf(viewId) !== person.id) throw new UiError(`${person.name} has no dialog ${viewId} open.`);
  return view;
};

function exchangeFor(workspace: Workspace, person: Person, press: Press) {
  if ("viewId" in press) return viewClick(workspace, person, viewFor(workspace, person, press.viewId), press);
  const channel = channelFor(workspace, person, press.channel);
  const message = workspace.messages.find(channel.id, press.messageTs);
  if (!message || (message.onlyTo !== undefined && message.onlyTo !== person.id)) {
    throw new UiError(`${person.name} sees no message ${press.messageTs}.`);
  }
  return messageClick(workspace, person, message, press);
}

/** Builds the window over a workspace. */
export function slackUi(workspace: Workspace): SlackUi {
  const way = exchanges(workspace, deliveries(workspace.options));
  return {
    type: async (userId, channelId, text, threadTs) => {
      const person = personOf(workspace, userId);
      const channel = channelFor(workspace, person, channelId);
      return type(workspace, way, { person, channel, text, ...(threadTs !== undefined && { threadTs }) });
    },
    press: async (userId, press) => way.run(exchangeFor(workspace, personOf(workspace, userId), press)),
    submit: async (userId, viewId, inputs = {}) => {
      const person = personOf(workspace, userId);
      const view = viewFor(workspace, person, viewId);
      if (view.submit === null) throw new UiError("This dialog has no button to submit it.");
      const filled = filledIn(view, inputs);
      if ("complaints" in filled) return shownTo(workspace, person, filled);
      return way.run(submission(workspace, person, view, filled.values));
    },
    close: async (userId, viewId) => {
      const person = personOf(workspace, userId);
      const view = viewFor(workspace, person, viewId);
      left(workspace, person, view);
      return view.notify_on_close ? way.run(closing(workspace, person, view)) : shownTo(workspace, person);
    },
    repeatLast: () => way.again(),
    viewsOf: (userId) => workspace.views.of(userId),
    messagesFor: (userId) => seenBy(workspace, userId),
    people: () => workspace.directory.people,
    channels: () => workspace.directory.channels,
    onChange: (listener) => workspace.onChange(listener),
  };
}
