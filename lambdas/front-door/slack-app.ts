import type {
  App,
  BlockAction,
  SlashCommand as BoltCommand,
  ButtonAction,
  ViewClosedAction,
  ViewSubmitAction,
} from "@slack/bolt";
import { DENY_REASON, denyNotice } from "../messages/approval/deny-dialog.ts";
import { troubleAnswer } from "../messages/command/acknowledgements.ts";
import { removalNotice } from "../messages/remove/modal.ts";
import { DENY_DIALOG, REMOVE_DIALOG } from "../messages/slack/buttons.ts";
import { filled } from "../messages/slack/command-word.ts";
import type { Message } from "../records/records.ts";
import { buttons, type Click, pressed } from "./clicks.ts";
import { closed, type DialogResponse, submitted } from "./dialogs.ts";
import type { FrontDoor } from "./front-door.ts";
import { answerTo, type SlashCommand } from "./slash-command.ts";
import { denySubmitted } from "./vote.ts";

const slashCommandOf = (command: BoltCommand): SlashCommand => ({
  teamId: command.team_id,
  userId: command.user_id,
  userName: command.user_name,
  channel: command.channel_id,
  text: command.text ?? "",
  triggerId: command.trigger_id,
  responseUrl: command.response_url,
});

/** Slack's limit on a button's value (docs: "Button element"); what is longer is not Casement's. */
const LONGEST_VALUE = 2_000;

/** Slack's ids of dialogs are shorter; a longer one is none of a dialog that was opened. */
const LONGEST_VIEW_ID = 100;

/** A value of Casement's own that Slack sends back; empty if it is no text, or longer than Slack keeps. */
const textOf = (value: unknown): string => (typeof value === "string" && value.length <= LONGEST_VALUE ? value : "");

/** The click that Slack reports. In a shared channel, its workspace is the person's own. */
const clickOf = (body: BlockAction, { action_id, block_id, value }: ButtonAction): Click => ({
  triggerId: body.trigger_id,
  teamId: body.user.team_id ?? body.team?.id ?? "",
  userId: body.user.id,
  userName: body.user.name ?? body.user.username ?? "",
  channel: body.channel?.id ?? "",
  actionId: action_id,
  blockId: textOf(block_id),
  value: textOf(value),
  messageTs: textOf(body.container.message_ts),
  threadTs: textOf(body.container.thread_ts),
  isPrivate: body.container.is_ephemeral === true,
  responseUrl: body.container.is_ephemeral === true ? body.response_url : undefined,
  domain: textOf(body.team?.domain),
});

const responseOf = (body: ViewSubmitAction | ViewClosedAction): DialogResponse => ({
  teamId: body.user.team_id ?? body.team?.id ?? "",
  userId: body.user.id,
  userName: body.user.name ?? "",
  operation: textOf(body.view.private_metadata),
  viewId: textOf(body.view.id).slice(0, LONGEST_VIEW_ID),
  triggerId: "trigger_id" in body ? body.trigger_id : "",
});

/**
 * Runs an action. If it fails, the error is logged, and the person reads `trouble` instead of Slack's
 * "operation_timeout".
 */
async function orTrouble<T>(what: string, action: () => Promise<T>, trouble: T): Promise<T> {
  try {
    return await action();
  } catch (error) {
    console.error(`${what} failed`, error);
    return trouble;
  }
}

const ephemeral = ({ text, blocks }: Message) => ({
  response_type: "ephemeral" as const,
  text,
  blocks: [...blocks] as never[],
});

/**
 * Matches the ids of all buttons, which are letters, digits and dashes. One listener is enough: Bolt runs the matchers
 * of every listener for each request.
 */
const anyButton = new RegExp(`^(?:${buttons.join("|")})$`);

/**
 * Registers the front door's listeners with Bolt. Every listener acknowledges exactly once, after its work: Lambda
 * freezes work that is not awaited.
 */
export function listen(app: App, door: FrontDoor): void {
  const { command: word } = door.configuration;
  const trouble = troubleAnswer();

  app.command(word, async ({ command, ack }) => {
    const answer = await orTrouble("the command", () => answerTo(door, slashCommandOf(command)), trouble);
    await ack(ephemeral(filled(answer, word)));
  });

  app.action<BlockAction<ButtonAction>>(
    { type: "block_actions", action_id: anyButton },
    async ({ body, action, ack }) => {
      const click = clickOf(body, action);
      const message = await orTrouble("the click", () => pressed(door, click), trouble);
      // What a button of a private answer starts stands in its place: its buttons are used up.
      const url = message && "isStarted" in message ? click.responseUrl : undefined;
      if (message) await orTrouble("the answer", () => door.steps.thread.answer(click, message, url), undefined);
      await ack();
    },
  );

  app.view<ViewSubmitAction>({ callback_id: REMOVE_DIALOG, type: "view_submission" }, async ({ body, ack }) => {
    const response = responseOf(body);
    const notice = await orTrouble(
      "the dialog",
      () => submitted(door, response),
      removalNotice(response.operation, trouble),
    );
    await (notice ? ack({ response_action: "update", view: filled(notice, word) as never }) : ack());
  });

  app.view<ViewSubmitAction>({ callback_id: DENY_DIALOG, type: "view_submission" }, async ({ body, ack }) => {
    const { operation: asking, ...response } = responseOf(body);
    const reason = body.view.state.values[DENY_REASON]?.[DENY_REASON]?.value;
    const notice = await orTrouble("the denial", () => denySubmitted(door, response, asking, textOf(reason)), trouble);
    await (notice
      ? ack({ response_action: "update", view: filled(denyNotice(asking, notice), word) as never })
      : ack());
  });

  app.view<ViewClosedAction>({ callback_id: REMOVE_DIALOG, type: "view_closed" }, async ({ body, ack }) => {
    await orTrouble("closing the dialog", () => closed(door, responseOf(body)), undefined);
    await ack();
  });
}
