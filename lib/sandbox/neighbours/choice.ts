import type { Store } from "../core/store.ts";
import { controllerNames } from "../kubernetes/controllers/control-plane.ts";
import type { Neighbour } from "./neighbour.ts";
import { neighbours } from "./table.ts";

/** Names to switch on and off: neighbours, which are off at first, and the simulator's own controllers, which are on. */
export interface Wish {
  readonly with?: readonly string[];
  readonly without?: readonly string[];
}

/** Neighbours at work, and the simulator's controllers that are not. */
export interface Choice {
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
 * Judges a wish before anything is changed.
 * @returns what is wrong with it, in words; undefined when nothing is
 */
export function mistakeIn({ with: on = [], without: off = [] }: Wish): string | undefined {
  const known = [...neighbourNames, ...controllerNames];
  const strange = [...on, ...off].find((name) => !known.includes(name));
  if (strange !== undefined) return `there is no neighbour or controller "${strange}" (${namesInOneLine})`;
  const both = on.find((name) => off.includes(name));
  return both === undefined ? undefined : `"${both}" cannot be switched on and off at once`;
}

/**
 * The choice that holds from now on: what this sandbox's state holds, changed by the wish. It is kept with the
 * demo, so that a restart without flags finds the same neighbours.
 * @throws Error that lists the known names
 */
export function chosen(store: Store, wish: Wish): Choice {
  const mistake = mistakeIn(wish);
  if (mistake) throw new Error(mistake);
  const kept = store.collection<boolean>("neighbours");
  for (const name of wish.with ?? []) kept.set(name, true);
  for (const name of wish.without ?? []) kept.set(name, false);
  return {
    neighbours: neighbours.filter(({ name }) => kept.get(name) === true),
    without: new Set(controllerNames.filter((name) => kept.get(name) === false)),
  };
}
