import { HUMAN_ACTION_REQUIRED, type Notice, sourceOf } from "../messages/operation/escalations.ts";
import type { StepContext } from "./context.ts";

/** Calling people without Slack: a message there does not page. */
export const notices = ({ clients, settings }: StepContext) => ({
  /** Sends the event that the stack's rule turns into a notification of its topic. The same notice may be sent twice. */
  send: (notice: Notice): Promise<void> =>
    clients.events.put({
      source: sourceOf(settings.cluster),
      detailType: HUMAN_ACTION_REQUIRED,
      detail: { cluster: settings.cluster, ...notice, message: `${settings.cluster}: ${notice.message}` },
    }),
});
