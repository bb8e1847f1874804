/** Text in place of a value that a person must fill in. */
export const FILL_IN = "FILL-IN";

/** Lists the paths of all values of a parsed file that are still to be filled in. */
export function unfilled(value: unknown, path: readonly string[] = []): string[] {
  if (value === FILL_IN) return [path.join(".")];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, one]) => unfilled(one, [...path, key]));
}
