import type { Simulation } from "../core/simulation.ts";
import { isObject, type Json } from "./block-kit/check.ts";
import { viewFaults, viewTooLarge, withIds } from "./block-kit/validate.ts";
import type { Directory } from "./directory.ts";
import { refuseFaults, SlackError } from "./slack-error.ts";

/** An open modal, as Slack's API writes views. */
export interface View {
  readonly id: string;
  readonly team_id: string;
  readonly type: "modal";
  readonly blocks: readonly Json[];
  readonly title: Json;
  readonly submit: Json | null;
  readonly close: Json | null;
  readonly callback_id: string;
  readonly external_id: string;
  readonly private_metadata: string;
  /** Changes with each update; views.update may name it to lose no other update. */
  readonly hash: string;
  readonly state: { readonly values: Readonly<Record<string, Json>> };
  readonly clear_on_close: boolean;
  readonly notify_on_close: boolean;
  readonly root_view_id: string;
  readonly previous_view_id: string | null;
  readonly app_id: string;
  readonly bot_id: string;
}

/** Position of a view in a person's stack. */
export type Place = Pick<View, "id" | "root_view_id" | "previous_view_id">;

/**
 * A view argument that Slack takes.
 * @param view as the app sent it
 * @returns the same, known to be right
 * @throws SlackError invalid_arguments with reasons, view_too_large
 */
export function checkedView(view: unknown): Json {
  refuseFaults("invalid_arguments", viewFaults(view));
  if (viewTooLarge(view)) throw new SlackError("view_too_large");
  return isObject(view) ? view : {};
}

/** The view as Slack keeps and returns it: ids filled in, what was left out set to Slack's defaults. */
export function writtenView(given: Json, place: Place, simulator: Simulation, { team, app }: Directory): View {
  const newId = (): string => simulator.random.hex(5);
  return {
    id: place.id,
    team_id: team.id,
    type: "modal",
    blocks: withIds(given.blocks as Json[], newId),
    title: given.title as Json,
    submit: (given.submit as Json | undefined) ?? null,
    close: (given.close as Json | undefined) ?? null,
    callback_id: String(given.callback_id ?? ""),
    external_id: String(given.external_id ?? ""),
    private_metadata: String(given.private_metadata ?? ""),
    hash: `${Math.floor(simulator.clock.now() / 1000)}.${simulator.random.hex(8)}`,
    state: { values: {} },
    clear_on_close: given.clear_on_close === true,
    notify_on_close: given.notify_on_close === true,
    root_view_id: place.root_view_id,
    previous_view_id: place.previous_view_id,
    app_id: app.id,
    bot_id: app.botId,
  };
}
