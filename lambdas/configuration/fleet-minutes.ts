import { MOST_PULLS } from "../health/pull.ts";
import { roundsOf } from "../machine/fleet-size.ts";
import type { Deadlines } from "./deadlines.ts";

/** Minutes for machines to answer the observation before an input is given. */
export const COMPARE_MINUTES = 5;

/** Inputs that one execution gives in turn where a person asks for them. */
export const inputsInTurn = ["mirrors", "trust", "proxy"] as const;

/** Each command may run twice: a lost result has it sent again, and a guard is verified as long as it was installed. */
const TWICE = 2;

/** Most minutes of each workflow that changes many machines with one command. */
const minutesOf: {
  readonly [W in keyof Deadlines]?: (own: Deadlines[W], rounds: number) => number;
} = {
  guarding: ({ guard }, rounds) => TWICE * guard * rounds,
  authority: ({ file, proof }, rounds) => inputMinutes(file, proof, rounds),
  mirrors: ({ files, proof }, rounds) => inputMinutes(files, proof * MOST_PULLS, rounds),
  trust: ({ certificates }, rounds) => inputMinutes(certificates, 0, rounds),
  proxy: ({ variables }, rounds) => inputMinutes(variables, 0, rounds),
};

/** The observation, one machine and its proof first, then the rest. */
const inputMinutes = (change: number, proof: number, rounds: number): number =>
  COMPARE_MINUTES * rounds + TWICE * change * (1 + rounds) + proof;

/**
 * Most minutes of a workflow that changes many machines: their number decides in how many rounds they get its commands.
 * @returns null for a workflow on one machine
 */
export function fleetMinutes<W extends keyof Deadlines>(
  deadlines: Deadlines,
  workflow: W,
  machines: number,
): number | null {
  const minutes = minutesOf[workflow] as ((own: Deadlines[W], rounds: number) => number) | undefined;
  const own: Deadlines[W] | undefined = deadlines[workflow];
  return minutes && own ? minutes(own, roundsOf(machines)) : null;
}
