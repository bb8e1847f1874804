import type { Json } from "../block-kit/check.ts";
import { explained, SlackError } from "../slack-error.ts";
import type { Workspace } from "../workspace.ts";
import type { Method } from "./method.ts";

const given = (value: unknown): string | undefined => (value === undefined ? undefined : String(value));

function open({ views, triggers }: Workspace, args: Json): Json {
  const { userId } = triggers.exchange(String(args.trigger_id));
  return { view: views.open(userId, args.view) };
}

/** Only a click inside a modal gives a trigger with which another view may be laid on it. */
function push({ views, triggers }: Workspace, args: Json): Json {
  const { userId, viewId } = triggers.exchange(String(args.trigger_id));
  if (viewId === undefined) throw new SlackError("not_found");
  return { view: views.open(userId, args.view, viewId) };
}

function update({ views }: Workspace, args: Json): Json {
  const [id, externalId, hash] = [given(args.view_id), given(args.external_id), given(args.hash)];
  if (id === undefined && externalId === undefined) {
    throw explained("invalid_arguments", ["one of `view_id` or `external_id` is required"]);
  }
  const which = { ...(id !== undefined && { id }), ...(externalId !== undefined && { externalId }) };
  return { view: views.update({ ...which, ...(hash !== undefined && { hash }) }, args.view) };
}

/** views.publish reference: a home view of an app without a Home tab. */
function publish(): Json {
  throw new SlackError("not_enabled");
}

/** The methods of `views.`; a dialog needs no scope. */
export const viewMethods = (workspace: Workspace): Record<string, Method> => ({
  "views.open": {
    tier: "tier4",
    scope: null,
    needs: ["trigger_id", "view"],
    run: (args) => open(workspace, args),
  },
  "views.push": {
    tier: "tier4",
    scope: null,
    needs: ["trigger_id", "view"],
    run: (args) => push(workspace, args),
  },
  "views.update": { tier: "tier4", scope: null, needs: ["view"], run: (args) => update(workspace, args) },
  "views.publish": { tier: "tier4", scope: null, needs: ["user_id", "view"], run: publish },
});
