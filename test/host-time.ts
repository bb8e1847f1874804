/**
 * Options of a test in which real seconds pass until a service is given up. A host that stops for as long fails the test
 * though the product is right, so it has a second try; `SecondTries` names each test that needed it.
 */
export const inHostTime = { retry: 1 } as const;

/** Milliseconds that the work of `hostSlowness` takes on a core of a common cloud machine that does nothing else. */
const WORK_MS = 150;

/**
 * Measures how many times slower than a quiet machine this host is now, by a fixed piece of work; at least 1. A promise in
 * seconds about a quiet machine is held by what it is worth here.
 */
export function hostSlowness(): number {
  const began = performance.now();
  let sum = 0;
  for (let at = 0; at < 50_000_000; at += 1) sum = (sum * 31 + at) | 0;
  // The sum is used, so that the loop is not left out.
  return Math.max(1, (performance.now() - began + (sum & 0)) / WORK_MS);
}
