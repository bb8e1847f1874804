import { createHmac } from "node:crypto";
import type { HttpEvent } from "../../lambdas/front-door/verify.ts";
import { NOW, SECRET } from "./fake-front-door.ts";

const FORM = "application/x-www-form-urlencoded";

/** A request with Slack's signature over its bytes, as the Function URL hands it on. */
export function signed(body: string, contentType = FORM, at: number = NOW / 1000, secret = SECRET): HttpEvent {
  const signature = createHmac("sha256", secret).update(`v0:${at}:${body}`).digest("hex");
  return {
    headers: {
      "content-type": contentType,
      "x-slack-request-timestamp": String(at),
      "x-slack-signature": `v0=${signature}`,
    },
    body,
    isBase64Encoded: false,
  };
}

/** `/win …` typed by a person. */
export const slashCommand = (text: string, fields: Readonly<Record<string, string>> = {}): HttpEvent =>
  signed(
    new URLSearchParams({
      token: "old",
      team_id: "T0CASEMENT",
      team_domain: "casement",
      channel_id: "C0WINDOWS",
      channel_name: "windows-nodes",
      user_id: "U0OPERATOR",
      user_name: "olivia",
      command: "/win",
      text,
      api_app_id: "A0CASEMENT",
      response_url: "https://hooks.slack.example/commands/1",
      trigger_id: "1.2.3",
      ...fields,
    }).toString(),
  );

const interaction = (payload: object): HttpEvent =>
  signed(new URLSearchParams({ payload: JSON.stringify(payload) }).toString());

const person = (id: string, teamId: string) => ({ id, username: "somebody", name: "somebody", team_id: teamId });

/** A button pressed by a person. */
export const buttonPress = (actionId: string, value: string, userId = "U0OPERATOR", fields: object = {}): HttpEvent =>
  interaction({
    type: "block_actions",
    team: { id: "T0CASEMENT", domain: "casement" },
    user: person(userId, "T0CASEMENT"),
    api_app_id: "A0CASEMENT",
    channel: { id: "C0WINDOWS", name: "windows-nodes" },
    message: { ts: "1.0" },
    container: { type: "message", message_ts: "1.0" },
    response_url: "https://hooks.slack.example/actions/1",
    trigger_id: "4.5.6",
    actions: [{ type: "button", action_id: actionId, block_id: "b", value, action_ts: "1.0" }],
    ...fields,
  });

/** The removal's dialog, submitted or closed by a person. */
export const dialogEvent = (
  type: "view_submission" | "view_closed",
  operation: string,
  userId = "U0OPERATOR",
  triggerId = "7.8.9",
  fields: object = {},
): HttpEvent =>
  interaction({
    type,
    ...(type === "view_submission" ? { trigger_id: triggerId } : {}),
    team: { id: "T0CASEMENT", domain: "casement" },
    user: person(userId, "T0CASEMENT"),
    api_app_id: "A0CASEMENT",
    view: {
      id: "V1",
      type: "modal",
      callback_id: "remove-node",
      private_metadata: operation,
      external_id: `dialog-${operation}`,
      state: { values: {} },
    },
    ...fields,
  });
