import { textOf, type WireRequest } from "../core/wire.ts";
import { signature } from "./delivery.ts";
import type { Workspace } from "./workspace.ts";

/** "Verifying requests from Slack": a request that is older than five minutes is no longer to be trusted. */
const FRESH_MS = 5 * 60_000;

/**
 * Holds what a request promises that somebody signed in Slack's place, as the sandbox's documentation shows: a slash
 * command that is typed from outside brings a trigger id, and a dialog opens with it as with one of Slack's own.
 * A request that Slack's secret did not sign, lately, promises nothing.
 */
export function vouch({ options, triggers, directory }: Workspace, request: WireRequest): void {
  const timestamp = request.headers["x-slack-request-timestamp"] ?? "";
  const body = textOf(request);
  if (request.headers["x-slack-signature"] !== signature(options.signingSecret, timestamp, body)) return;
  if (Math.abs(options.host.now() - Number(timestamp) * 1000) > FRESH_MS) return;
  const form = new URLSearchParams(body);
  const [trigger, userId] = [form.get("trigger_id"), form.get("user_id")];
  if (trigger && userId && directory.person(userId)) triggers.adopt(trigger, userId);
}
