import { textOf, textOfAnswer, type WireRequest, type WireResponse } from "../core/wire.ts";
import { isObject, type Json } from "./block-kit/check.ts";
import { signature } from "./delivery.ts";
import type { Person } from "./directory.ts";
import { SlackError } from "./slack-error.ts";
import { left, submitted } from "./ui/dialogs.ts";
import type { View } from "./view.ts";
import type { Workspace } from "./workspace.ts";

/** "Verifying requests from Slack": a request that is older than five minutes is no longer to be trusted. */
const FRESH_MS = 5 * 60_000;

/** Content of a request signed in Slack's place: a command's fields, or the payload of a click or a dialog. */
interface Word {
  readonly trigger: unknown;
  readonly person: Person | undefined;
  readonly type: unknown;
  readonly viewId: unknown;
}

const objectIn = (value: unknown): Json => (isObject(value) ? value : {});

function payloadIn(text: string): Json {
  try {
    return objectIn(JSON.parse(text));
  } catch {
    return {};
  }
}

function wordIn(body: string, { directory }: Workspace): Word {
  const form = new URLSearchParams(body);
  const payload = payloadIn(form.get("payload") ?? "{}");
  const userId = form.get("user_id") ?? objectIn(payload.user).id;
  return {
    trigger: form.get("trigger_id") ?? payload.trigger_id,
    person: typeof userId === "string" ? directory.person(userId) : undefined,
    type: payload.type,
    viewId: objectIn(payload.view).id,
  };
}

/** A request that Slack's secret did not sign, lately, says nothing. */
function isVouchedFor(request: WireRequest, { options }: Workspace): boolean {
  const timestamp = request.headers["x-slack-request-timestamp"] ?? "";
  const own = signature(options.signingSecret, timestamp, textOf(request));
  const fresh = Math.abs(options.host.now() - Number(timestamp) * 1000) <= FRESH_MS;
  return fresh && request.headers["x-slack-signature"] === own;
}

/** Settles a dialog that was submitted: as in Slack's own window, an answer without sense leaves it open. */
async function settle(workspace: Workspace, person: Person, view: View, answer: WireResponse): Promise<void> {
  if (answer.status !== 200) return;
  try {
    submitted(workspace, person, view, await textOfAnswer(answer));
  } catch (error) {
    if (!(error instanceof SlackError)) throw error;
  }
}

/**
 * Passes a request from outside on to the app, and applies its effects if it was signed as Slack would sign it, as the
 * sandbox's documentation shows: the trigger id of a command or click opens a dialog as Slack's own do; a submitted dialog
 * shows what the app answers, and a closed one is closed.
 * @returns the app's answer, untouched
 */
export async function fromOutside(workspace: Workspace, request: WireRequest): Promise<WireResponse> {
  const { options, triggers, views } = workspace;
  if (!isVouchedFor(request, workspace)) return options.requestUrl(request);
  const { trigger, person, type, viewId } = wordIn(textOf(request), workspace);
  if (typeof trigger === "string" && trigger && person) triggers.adopt(trigger, person.id);
  const view = typeof viewId === "string" && person && views.ownerOf(viewId) === person.id && views.get(viewId);
  if (view && type === "view_closed") left(workspace, person, view);
  const answer = await options.requestUrl(request);
  if (view && type === "view_submission") await settle(workspace, person, view, answer);
  return answer;
}
