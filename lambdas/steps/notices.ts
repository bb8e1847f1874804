import { HUMAN_ACTION_REQUIRED, type Notice, sourceOf } from "../messages/operation/escalations.ts";
import type { StepContext } from "./context.ts";

/** Notifies people without Slack, because a Slack message does not page. */
export const notices = ({ clients, settings }: StepContext) => ({
  /**
   * Sends the event that a rule of the stack turns into a notification of its topic. Repeated steps may send a notice
   * twice.
   */
  send: (notice: Notice): Promise<void> =>
    clients.events.put({
      source: sourceOf(settings.cluster),
      detailType: HUMAN_ACTION_REQUIRED,
      detail: { cluster: settings.cluster, ...notice, message: `${settings.cluster}: ${notice.message}` },
    }),
});
