import { isObject, type Json } from "../block-kit/check.ts";
import type { Person } from "../directory.ts";
import { viewClosed, viewSubmission } from "../payloads.ts";
import { SlackError } from "../slack-error.ts";
import type { View } from "../view.ts";
import type { Workspace } from "../workspace.ts";
import { type Applied, answerIn, type Exchange } from "./exchange.ts";

/** Text that Slack writes into a dialog when the app did not answer, or not sensibly. */
export const TROUBLE = "We had some trouble connecting. Try again?";

type Act = (workspace: Workspace, person: Person, view: View, answer: Json) => Applied;

/** Closes the whole stack in front of a person. */
function closeAll({ views }: Workspace, person: Person): void {
  for (const view of views.of(person.id)) views.close(view.id);
}

/** Removes a dialog that its user closed. */
export function left(workspace: Workspace, person: Person, view: View): void {
  if (view.clear_on_close) closeAll(workspace, person);
  workspace.views.close(view.id);
}

function complain(view: View, errors: unknown): Applied {
  const asked = view.blocks.filter((block) => block.type === "input").map((block) => String(block.block_id));
  if (!isObject(errors)) throw new SlackError("invalid_arguments");
  const entries = Object.entries(errors);
  // Modals guide: each key is the block_id of an input block in the view.
  if (entries.length === 0 || entries.some(([id]) => !asked.includes(id))) throw new SlackError("invalid_arguments");
  return { complaints: Object.fromEntries(entries.map(([id, text]) => [id, String(text)])) };
}

/** Answers that an app may give to a submission. Source: guide "Modals", response actions. */
const responseActions: Readonly<Record<string, Act>> = {
  errors: (_workspace, _person, view, answer) => complain(view, answer.errors),
  clear: (workspace, person) => {
    closeAll(workspace, person);
    return {};
  },
  update: ({ views }, _person, view, answer) => {
    views.update({ id: view.id }, answer.view);
    return {};
  },
  push: ({ views }, person, view, answer) => {
    views.open(person.id, answer.view, view.id);
    return {};
  },
};

/**
 * Does with a submitted dialog what the app answered.
 * @throws SlackError invalid_arguments for an answer that makes no sense, and those of a wrong view
 */
export function submitted(workspace: Workspace, person: Person, view: View, body: string): Applied {
  const answer = answerIn(body);
  if (answer.response_action !== undefined) {
    const act = responseActions[String(answer.response_action)];
    if (!act) throw new SlackError("invalid_arguments");
    return act(workspace, person, view, answer);
  }
  // Modals guide: the answer to a submission is empty or a response action.
  if (body !== "" && body !== "{}") throw new SlackError("invalid_arguments");
  workspace.views.close(view.id);
  return {};
}

/** A dialog sent with its values. */
export function submission(
  workspace: Workspace,
  person: Person,
  view: View,
  values: Readonly<Record<string, Json>>,
): Exchange {
  const triggerId = workspace.triggers.issue(person.id);
  return {
    person,
    form: { payload: JSON.stringify(viewSubmission(workspace, person, { view, values }, triggerId)) },
    apply: (body) => submitted(workspace, person, view, body),
    senseless: "http_client_error",
    notice: () => ({ text: TROUBLE }),
  };
}

/** Tells the app that a dialog was closed. A failure is ignored: the dialog is gone. */
export const closing = (workspace: Workspace, person: Person, view: View): Exchange => ({
  person,
  form: { payload: JSON.stringify(viewClosed(workspace, person, view)) },
  apply: () => ({}),
  senseless: "http_client_error",
  notice: () => ({ text: "" }),
});
