/**
 * Remembers what a pure function made of a text: programs look at the same files every few seconds.
 * @param make from a text to a value that nobody changes; what it throws is not remembered
 * @param most texts that are remembered; the oldest goes first
 */
export function memoize<T>(make: (text: string) => T, most = 500): (text: string) => T {
  const known = new Map<string, T>();
  return (text) => {
    const value = known.get(text);
    if (value !== undefined) return value;
    const made = make(text);
    known.set(text, made);
    const [oldest] = known.keys();
    if (known.size > most && oldest !== undefined) known.delete(oldest);
    return made;
  };
}
