import type { Store } from "../core/store.ts";
import { controllerNames } from "../kubernetes/controllers/control-plane.ts";
import type { Neighbour } from "./neighbour.ts";
import { neighbours } from "./table.ts";

/** Names to switch on and off: neighbours, which are off at first, and the simulator's own controllers, which are on. */
export interface NeighbourSelection {
  readonly with?: readonly string[];
  readonly without?: readonly string[];
}

/** Neighbours that run, and the simulator's controllers that do not. */
export interface ActiveNeighbours {
  readonly neighbours: readonly Neighbour[];
  readonly without: ReadonlySet<string>;
}

const neighbourNames = neighbours.map(({ name }) => name);

const namesInOneLine = `neighbours: ${neighbourNames.join(", ")}; controllers: ${controllerNames.join(", ")}`;

/** The names that --with and --without take, in lines for a terminal. */
export const knownNames: readonly string[] = [
  "Neighbours, off unless switched on:",
  ...neighbours.map(({ name, sentence }) => `  ${name}: ${sentence}`),
  `Controllers of the simulated cluster, on unless switched off: ${controllerNames.join(", ")}`,
];

/**
 * Checks a selection before anything is changed.
 * @returns the error in one sentence; undefined when the selection is valid
 */
export function selectionError({ with: on = [], without: off = [] }: NeighbourSelection): string | undefined {
  const known = [...neighbourNames, ...controllerNames];
  const unknown = [...on, ...off].find((name) => !known.includes(name));
  if (unknown !== undefined) return `there is no neighbour or controller "${unknown}" (${namesInOneLine})`;
  const both = on.find((name) => off.includes(name));
  return both === undefined ? undefined : `"${both}" cannot be switched on and off at once`;
}

/**
 * Applies a selection to the one that the state holds. The result is kept, so that a restart without flags runs the same
 * neighbours.
 * @throws Error that lists the known names
 */
export function selectNeighbours(store: Store, selection: NeighbourSelection): ActiveNeighbours {
  const error = selectionError(selection);
  if (error) throw new Error(error);
  const kept = store.collection<boolean>("neighbours");
  for (const name of selection.with ?? []) kept.set(name, true);
  for (const name of selection.without ?? []) kept.set(name, false);
  return {
    neighbours: neighbours.filter(({ name }) => kept.get(name) === true),
    without: new Set(controllerNames.filter((name) => kept.get(name) === false)),
  };
}
