/** A repeatable source of randomness: the same seed gives the same run. */
export interface Random {
  /** A number from 0 (inclusive) to 1 (exclusive). */
  next(): number;
  /** A whole number from `low` to `high`, both inclusive. */
  between(low: number, high: number): number;
  /** `length` lower-case hexadecimal digits. */
  hex(length: number): string;
  /** A version 4 UUID. */
  uuid(): string;
}

/**
 * Mulberry32: small, fast, good enough for delays and ids; never used for anything secret.
 * @param seed any whole number
 * @returns a source that repeats itself for the same seed
 */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const between = (low: number, high: number): number => low + Math.floor(next() * (high - low + 1));
  const hex = (length: number): string => Array.from({ length }, () => between(0, 15).toString(16)).join("");
  const uuid = (): string => `${hex(8)}-${hex(4)}-4${hex(3)}-${between(8, 11).toString(16)}${hex(3)}-${hex(12)}`;
  return { next, between, hex, uuid };
}
