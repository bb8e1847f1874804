import { readFileSync } from "node:fs";
import { keyOf, type Mutant } from "./draw.ts";

/** The file with the keys of the drawn mutants, which Stryker's processes read. */
export const DRAWN = ".ci-output/mutants-drawn.json";

const check = async (mutants: readonly (Mutant & { readonly id: string })[]) => {
  const drawn = new Set<string>(JSON.parse(readFileSync(DRAWN, "utf8")));
  const status = (mutant: Mutant) =>
    drawn.has(keyOf(mutant)) ? { status: "passed" } : { status: "compileError", reason: "It was not drawn." };
  return Object.fromEntries(mutants.map((mutant) => [mutant.id, status(mutant)]));
};

/**
 * A plugin of Stryker that leaves out what was not drawn: Stryker takes a range of code, and a drawn block contains
 * other mutants.
 */
export const strykerPlugins = [{ kind: "Checker", name: "drawn", value: { init: async () => {}, check } }];
