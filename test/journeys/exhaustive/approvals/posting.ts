import { clients } from "../../../../lambdas/clients/clients.ts";
import { activity } from "../../../../lib/sandbox/core/activity.ts";
import { demo } from "../../../../lib/sandbox/demo.ts";
import { inProcess } from "../../../../lib/sandbox/in-process.ts";
import { settingsOf } from "../../../steps/test-simulator.ts";
import type { Journey } from "../../journey.ts";
import { people } from "../../slack-users.ts";

/** A button behind words that hide what it does. */
interface Bait {
  readonly actionId: string;
  readonly value: string;
  /** Message in whose thread it is posted. */
  readonly threadTs?: string | undefined;
  /** Shown to the approver alone. */
  readonly isPrivate?: boolean;
}

/**
 * Posts a message with a button by the bot's token, as whoever took it from a function that only probes nodes.
 * @returns its timestamp
 */
export async function postBait(here: Journey, { actionId, value, threadTs, isPrivate }: Bait): Promise<string> {
  const { slack } = clients(settingsOf(here.simulator, "probe-nodes"), inProcess(here.simulator, activity()));
  const button = {
    type: "button",
    action_id: actionId,
    value,
    text: { type: "plain_text", text: "Acknowledge" },
  } as const;
  const message = {
    channel: demo.slack.channelId,
    text: "Lunch is served",
    blocks: [{ type: "actions", elements: [button] }] as const,
    ...(threadTs ? { thread_ts: threadTs } : {}),
  };
  const post = async (): Promise<string> => {
    const { chat } = await slack();
    if (!isPrivate) return (await chat.postMessage(message as never)).ts ?? "";
    return (await chat.postEphemeral({ ...message, user: people.approver } as never)).message_ts ?? "";
  };
  return here.drive(post());
}
