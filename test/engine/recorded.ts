import type { Steps } from "../../lambdas/steps/steps.ts";
import { verbs } from "./durable-engine.ts";

type Verb = (...args: never[]) => unknown;
interface Nouns {
  readonly [noun: string]: Verb | Nouns;
}

/** A call of a verb: "noun.verb" and its arguments. */
export type Call = readonly [verb: string, ...args: unknown[]];

/** Lays nouns over others, verb by verb. */
const laidOver = (base: Nouns, over: Nouns): Nouns => ({
  ...base,
  ...Object.fromEntries(
    Object.entries(over).map(([name, value]) => {
      const below = base[name];
      return [name, typeof below === "object" && typeof value === "object" ? laidOver(below, value) : value];
    }),
  ),
});

/** Verbs that record each call before they answer. */
const recording = (nouns: Nouns, calls: Call[], path = ""): Nouns =>
  Object.fromEntries(
    Object.entries(nouns).map(([name, value]) => {
      if (typeof value === "object") return [name, recording(value, calls, `${path}${name}.`)];
      const verb = async (...args: never[]) => {
        calls.push([`${path}${name}`, ...args]);
        return value(...args);
      };
      return [name, verb];
    }),
  );

/**
 * Makes verbs of which those that write are recorded in order with their arguments.
 * @param reads verbs that a piece only asks, by noun
 * @param writes verbs to record, each with what it answers
 */
export function recorded(reads: Nouns, writes: Nouns, now = Date.now()) {
  const calls: Call[] = [];
  const time = { now: () => now, timestamp: () => new Date(now).toISOString() };
  const steps: Steps = verbs({ ...laidOver(reads, recording(writes, calls)), ...time });
  return { steps, calls };
}

/** A verb that answers this. */
export const answers = (value?: unknown) => async () => value;
