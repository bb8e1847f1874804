import { HUMAN_ACTION_REQUIRED, type Notice, sourceOf } from "../messages/operation/escalations.ts";
import { fillText } from "../messages/slack/command-word.ts";
import { commandWord } from "./command-word.ts";
import type { StepContext } from "./context.ts";

/** Notifies people without Slack, because a Slack message does not page. */
export const notices = (context: StepContext) => ({
  /**
   * Sends the event that a rule of the stack turns into a notification of its topic. Repeated steps may send a notice
   * twice.
   */
  send: async (notice: Notice): Promise<void> => {
    const { clients, settings } = context;
    const message = await fillText(`${settings.cluster}: ${notice.message}`, commandWord(context));
    await clients.events.put({
      source: sourceOf(settings.cluster),
      detailType: HUMAN_ACTION_REQUIRED,
      detail: { cluster: settings.cluster, ...notice, message },
    });
  },
});
