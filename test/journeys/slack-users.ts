import { demo } from "../../lib/sandbox/demo.ts";
import type { Simulator } from "../../lib/sandbox/simulator.ts";
import type { SlackUi } from "../../lib/sandbox/slack/ui/slack-ui.ts";

export const people = { operator: "U0OPERATOR", approver: "U0APPROVER", visitor: "U0VISITOR0" } as const;

/** A person of the demo workspace. */
export type Name = keyof typeof people;

type Shown = ReturnType<SlackUi["type"]>;
type Input = Parameters<SlackUi["submit"]>[2];

/** Acts of people with keyboard and mouse; each takes as long as it takes in Slack, and returns what is seen right after. */
export interface SlackUsers {
  /** Types in the channel. */
  type(user: Name, text: string): Shown;
  /** Presses the newest button with this action id, of this message when told. */
  press(user: Name, actionId: string, messageTs?: string): Shown;
  /** Submits the topmost dialog. */
  submit(user: Name, values?: Input): Shown;
  /** Closes the topmost dialog. */
  dismiss(user: Name): Shown;
  /** Slack delivers the last request once more, byte for byte. */
  again(): Shown;
}

interface Buttons {
  readonly elements?: readonly { readonly action_id?: string }[];
  readonly accessory?: { readonly action_id?: string };
}

/** Does a message show a button of this action? */
export const shows = ({ blocks }: { readonly blocks: readonly object[] }, actionId: string): boolean =>
  blocks.some((block) => {
    const { elements = [], accessory } = block as Buttons;
    return [...elements, accessory].some((element) => element?.action_id === actionId);
  });

/** @param drive lets time move until an act is over */
export function slackUsers({ slack: { ui } }: Simulator, drive: <T>(work: Promise<T>) => Promise<T>): SlackUsers {
  const topmost = (user: Name): string => ui.viewsOf(people[user]).at(-1)?.id ?? "no dialog is open";
  const newest = (user: Name, actionId: string): string =>
    ui.messagesFor(people[user]).findLast((message) => shows(message, actionId))?.ts ?? `no ${actionId} is in sight`;
  return {
    type: (user, text) => drive(ui.type(people[user], demo.slack.channelId, text)),
    press: (user, actionId, messageTs = newest(user, actionId)) =>
      drive(ui.press(people[user], { channel: demo.slack.channelId, messageTs, actionId })),
    submit: (user, values) => drive(ui.submit(people[user], topmost(user), values)),
    dismiss: (user) => drive(ui.close(people[user], topmost(user))),
    again: () => drive(ui.repeatLast()),
  };
}
