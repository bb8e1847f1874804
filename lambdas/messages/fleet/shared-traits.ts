import type { SharedTraits, TraitName } from "../../health/node-traits.ts";
import { localDate } from "../slack/age.ts";
import { code } from "../slack/text.ts";

const traitWords: Readonly<Record<TraitName, string>> = {
  pool: "pool",
  zone: "zone",
  subnet: "subnet",
  image: "image",
  update: "Windows build",
  type: "instance type",
};

/**
 * Names what failing nodes share and working nodes do not have: "They share zone `us-west-2b`; no Ready node has it."
 * @param working the nodes that do not have it: "no Ready node"
 * @returns null if they share nothing of their own
 */
export function sharedWords({ values, startedSince }: SharedTraits, working: string): string | null {
  const shared = values.map(({ trait, value }) => `${traitWords[trait]} ${code(value)}`);
  const started =
    startedSince === null ? [] : [`They were launched or rebooted since ${localDate(startedSince)}, ${working} was.`];
  const traits =
    shared.length === 0
      ? []
      : [`They share ${shared.join(", ")}; ${working} has ${shared.length === 1 ? "it" : "them"}.`];
  const words = [...traits, ...started];
  return words.length > 0 ? words.join(" ") : null;
}
