/**
 * Memoizes a pure function of a text: programs read the same files every few seconds.
 * @param make returns a value that must not be changed; errors are not memoized
 * @param most entries to keep; the oldest is dropped first
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
