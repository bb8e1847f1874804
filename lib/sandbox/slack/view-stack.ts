import type { Simulation } from "../core/simulation.ts";
import type { Directory } from "./directory.ts";
import { SlackError } from "./slack-error.ts";
import { checkedView, type Place, type View, writtenView } from "./view.ts";

/** The views that are open, per person; a closed view is forgotten, its external id free again. */
export interface ViewStack {
  /**
   * Opens one on top of the person's stack; `above` is the view it is pushed on.
   * @throws SlackError push_limit_reached, not_found, duplicate_external_id and those of a wrong view
   */
  open(userId: string, view: unknown, above?: string): View;
  /** @throws SlackError not_found, hash_conflict, duplicate_external_id and those of a wrong view */
  update(which: { readonly id?: string; readonly externalId?: string; readonly hash?: string }, view: unknown): View;
  get(id: string): View | undefined;
  ownerOf(id: string): string | undefined;
  /** The person's views, the topmost last. */
  of(userId: string): View[];
  close(id: string): void;
}

interface Open {
  readonly userId: string;
  /** Position in the person's stack, from 1. */
  readonly order: number;
  readonly view: View;
}

/** views.push reference: "push_limit_reached … currently the limit is 3". */
const DEPTH = 3;

/** Builds the stack; `changed` is called after each change. */
export function viewStack(simulator: Simulation, people: Directory, changed: () => void): ViewStack {
  const open = simulator.store.collection<Open>("slack-views");
  const keep = (entry: Open): View => {
    open.set(entry.view.id, entry);
    changed();
    return entry.view;
  };
  const ofPerson = (userId: string): Open[] =>
    open
      .values()
      .filter((entry) => entry.userId === userId)
      .sort((one, other) => one.order - other.order);
  const named = (externalId: string): Open | undefined =>
    open.values().find((entry) => externalId !== "" && entry.view.external_id === externalId);
  const composed = (view: unknown, place: Place): View => {
    const given = checkedView(view);
    const other = named(String(given.external_id ?? ""));
    if (other && other.view.id !== place.id) throw new SlackError("duplicate_external_id");
    return writtenView(given, place, simulator, people);
  };
  return {
    open: (userId, view, above) => {
      const below = above === undefined ? undefined : open.get(above);
      if (above !== undefined && !below) throw new SlackError("not_found");
      const stack = ofPerson(userId);
      if (stack.length >= DEPTH) throw new SlackError("push_limit_reached");
      const id = `V${simulator.random.hex(10).toUpperCase()}`;
      const place = { id, root_view_id: below?.view.root_view_id ?? id, previous_view_id: below?.view.id ?? null };
      return keep({ userId, order: (stack.at(-1)?.order ?? 0) + 1, view: composed(view, place) });
    },
    update: ({ id, externalId, hash }, view) => {
      const entry = id === undefined ? named(externalId ?? "") : open.get(id);
      if (!entry) throw new SlackError("not_found");
      if (hash !== undefined && hash !== entry.view.hash) throw new SlackError("hash_conflict");
      return keep({ ...entry, view: composed(view, entry.view) });
    },
    get: (id) => open.get(id)?.view,
    ownerOf: (id) => open.get(id)?.userId,
    of: (userId) => ofPerson(userId).map((entry) => entry.view),
    close: (id) => {
      open.delete(id);
      changed();
    },
  };
}
