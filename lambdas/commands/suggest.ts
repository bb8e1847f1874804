import { closest, distance } from "fastest-levenshtein";

/** Largest number of edits that is still a typing error (assumed; git and npm suggest within a similar distance). */
const SLIPS = 2;

/** Longest word that is compared; known words are much shorter. */
const LONGEST = 40;

/**
 * Finds the known word that was probably meant.
 * @returns null if no word is similar
 */
export function suggest(typed: string, known: readonly string[]): string | null {
  if (known.length === 0 || typed.length > LONGEST) return null;
  const word = closest(typed, known);
  return distance(typed, word) <= Math.min(SLIPS, word.length - 1) ? word : null;
}
