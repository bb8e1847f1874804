import { closest, distance } from "fastest-levenshtein";

/** More edits than this are another word, not a slip (assumed; git and npm suggest within a similar distance). */
const SLIPS = 2;

/** Longer words are not a slip of anything we know. */
const LONGEST = 40;

/**
 * The known word that was probably meant.
 * @returns null when nothing is near
 */
export function suggest(typed: string, known: readonly string[]): string | null {
  if (known.length === 0 || typed.length > LONGEST) return null;
  const word = closest(typed, known);
  return distance(typed, word) <= Math.min(SLIPS, word.length - 1) ? word : null;
}
