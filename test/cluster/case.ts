import type { TestContext } from "vitest";

let current: TestContext | undefined;

/** Remembers the case that is about to run. */
export function enterCase(context: TestContext): void {
  current = context;
}

/** Ends the running case, which is then reported as skipped with its reason. */
export function skipCase(reason: string): never {
  if (!current) throw new Error(`no case is running that could be skipped: ${reason}`);
  return current.skip(reason);
}
