/** Largest number of edits that is still a typing error (assumed; git and npm suggest within a similar distance). */
const SLIPS = 2;

/** Longest word that is compared; known words are much shorter. */
const LONGEST = 40;

/** Distances of the beginnings of a word from the empty text: row of a table by Wagner and Fischer (1974). */
const firstRow = (word: string): readonly number[] => Array.from({ length: word.length + 1 }, (_, at) => at);

/** Counts the letters to insert, delete or replace to get from one word to the other. */
export const editsBetween = (one: string, other: string): number =>
  [...one]
    .reduce<readonly number[]>((above, letter) => {
      const row = [(above[0] ?? 0) + 1];
      for (let at = 0; at < other.length; at += 1)
        row.push(
          Math.min((row[at] ?? 0) + 1, (above[at + 1] ?? 0) + 1, (above[at] ?? 0) + (other[at] === letter ? 0 : 1)),
        );
      return row;
    }, firstRow(other))
    .at(-1) ?? 0;

/**
 * Finds the known word that was probably meant.
 * @returns null if no word is similar
 */
export function suggest(typed: string, known: readonly string[]): string | null {
  if (typed.length > LONGEST) return null;
  const [first] = known
    .map((word) => ({ word, edits: editsBetween(typed, word) }))
    .sort((one, other) => one.edits - other.edits);
  return first && first.edits <= Math.min(SLIPS, first.word.length - 1) ? first.word : null;
}
