import type { Steps } from "../../lambdas/steps/steps.ts";
import { verbs } from "./durable-engine.ts";

type Verb = (...args: never[]) => unknown;
type Nouns = Readonly<Record<string, Readonly<Record<string, Verb>>>>;

/** A call of a verb: "noun.verb" and its arguments. */
export type Call = readonly [verb: string, ...args: unknown[]];

/**
 * Makes verbs of which those that write are recorded in order with their arguments.
 * @param reads verbs that a piece only asks, by noun
 * @param writes verbs to record, each with what it answers
 */
export function recorded(reads: Nouns, writes: Nouns, now = Date.now()) {
  const calls: Call[] = [];
  const nouns: Record<string, Record<string, Verb>> = {};
  for (const [noun, named] of Object.entries(reads)) nouns[noun] = { ...named };
  for (const [noun, named] of Object.entries(writes))
    for (const [verb, answer] of Object.entries(named))
      nouns[noun] = {
        ...nouns[noun],
        [verb]: async (...args: never[]) => {
          calls.push([`${noun}.${verb}`, ...args]);
          return answer(...args);
        },
      };
  const steps: Steps = verbs({ ...nouns, now: () => now, timestamp: () => new Date(now).toISOString() });
  return { steps, calls };
}

/** A verb that answers this. */
export const answers = (value?: unknown) => async () => value;
