import type { App } from "@slack/bolt";
import { commands } from "../../lambdas/commands/list.ts";
import { helpMessage } from "../../lambdas/messages/command/help.ts";
import { nodesMessage } from "../../lambdas/messages/node/nodes-table.ts";
import { operationMessage } from "../../lambdas/messages/operation/operation.ts";
import { threadLines } from "../../lambdas/messages/operation/thread.ts";
import { removalDialog } from "../../lambdas/messages/remove/dialog.ts";
import { filled } from "../../lambdas/messages/slack/command-word.ts";
import type { Message } from "../../lambdas/records/records.ts";
import { demo } from "../../lib/sandbox/demo.ts";
import { addition, NOW } from "./samples.ts";

const WORD = "/win";
const SETTINGS = { region: demo.region, runbook: null };

/** A message as the SDK's types want it. */
const sendable = (message: Message) => {
  const { text, blocks } = filled(message, WORD);
  return { text, blocks: [...blocks] as never[] };
};

const answers: Readonly<Record<string, () => Message>> = {
  help: () =>
    helpMessage(
      commands,
      { usable: ["help", "nodes", "add"], unreadablePools: [], unknownGroups: false },
      demo.cluster.name,
    ),
  nodes: () =>
    nodesMessage(
      ["ip-10-0-0-21", "ip-10-0-0-22"].map((name) => ({
        name,
        status: "Ready",
        roles: ["worker"],
        createdAt: "2026-11-20T05:00:00Z",
        version: "v1.34.2",
        pool: "web",
        build: "10.0.20348",
        instanceId: "i-0a1b2c3d4e5f60710",
      })),
      [],
      NOW,
    ),
};

const REMOVAL = removalDialog("remove-1a2b3c4d", {
  node: "ip-10-0-0-21",
  instanceId: "i-0a1b2c3d4e5f60710",
  pool: "web",
  pods: [
    { namespace: "shop", name: "web-7d4b9-x2x9l", owner: "ReplicaSet web-7d4b9", localData: ["emptyDir cache"] },
    { namespace: "shop", name: "debug", owner: null, localData: [] },
  ],
});

/**
 * A bot with the product's own words and nothing behind them: a real Bolt app that answers commands, posts an operation
 * with a thread and opens a dialog. It lets the page be driven without the rest of the sandbox.
 */
export function bot(app: App): void {
  const channel = demo.slack.channelId;
  app.command(WORD, async ({ command, ack, client, respond }) => {
    const [word = "help"] = command.text.split(" ");
    const answer = answers[word];
    if (answer) return ack({ response_type: "ephemeral", ...sendable(answer()) });
    await ack();
    if (word === "add") {
      const view = addition();
      const posted = await client.chat.postMessage({ channel, ...sendable(operationMessage(view, SETTINGS)) });
      const lines = view.nodes.flatMap((node) => threadLines(view, null, node, SETTINGS));
      for (const { message } of lines) {
        await client.chat.postMessage({ channel, thread_ts: String(posted.ts), ...sendable(message) });
      }
      return;
    }
    if (word === "remove") await client.views.open({ trigger_id: command.trigger_id, view: REMOVAL as never });
    else await respond({ text: `I do not know ${word}.`, response_type: "ephemeral" });
  });
}
