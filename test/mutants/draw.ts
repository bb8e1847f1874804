import type { Random } from "../../lib/sandbox/core/random.ts";

/** A change of one expression or block in the code, which a test should notice. */
export interface Mutant {
  readonly fileName: string;
  readonly location: { readonly start: Position; readonly end: Position };
  readonly mutatorName: string;
  readonly replacement: string;
}

interface Position {
  readonly line: number;
  readonly column: number;
}

/** Draws a sample in which each element is as likely as any other. */
export function draw<T>(all: readonly T[], size: number, random: Random): T[] {
  const rest = [...all];
  const count = Math.min(size, rest.length);
  return Array.from({ length: count }, () => rest.splice(random.between(0, rest.length - 1), 1)).flat();
}

/** Identifies a mutant in each of Stryker's processes, whose own numbers depend on what is mutated beside it. */
export const keyOf = ({ fileName, location: { start, end }, mutatorName, replacement }: Mutant): string =>
  [fileName, start.line, start.column, end.line, end.column, mutatorName, replacement].join(" ");
