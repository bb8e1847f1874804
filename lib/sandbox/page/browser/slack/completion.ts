import type { Command } from "../../../../../lambdas/commands/command.ts";
import type { Vocabulary } from "../../vocabulary.ts";

/** One thing that can be put where the last word stands. */
export interface Suggestion {
  readonly word: string;
  readonly means: string;
}

/** Names that exist right now. */
export interface Names {
  readonly nodes: readonly Suggestion[];
  readonly operations: readonly Suggestion[];
}

/** Offers of the composer for the text typed so far. */
export interface Completion {
  readonly suggestions: readonly Suggestion[];
  /** The form of the command that is being typed: "add <pool> [count] [--dry-run]". */
  readonly form: string | null;
}

const MOST = 8;
const nothing: Completion = { suggestions: [], form: null };

/** Writes the form in which a command is typed. */
export function formOf(command: Command, commandWord: string): string {
  const places = command.arguments.map(({ name, required }) => (required ? `<${name}>` : `[${name}]`));
  return [commandWord, command.name, ...places, ...(command.dryRun ? ["[--dry-run]"] : [])].join(" ");
}

const beginning = (suggestions: readonly Suggestion[], start: string): Suggestion[] =>
  suggestions.filter(({ word }) => word.startsWith(start) && word !== start).slice(0, MOST);

/** Suggestions for an argument, by its kind; a count and anything unknown have no list. */
const candidates: Readonly<Record<string, (vocabulary: Vocabulary, names: Names) => Suggestion[]>> = {
  command: ({ commands }) => commands.map(({ name, summary }) => ({ word: name, means: summary })),
  pool: ({ pools }) => pools.map((word) => ({ word, means: "pool" })),
  node: (_vocabulary, { nodes }) => [...nodes],
  operation: (_vocabulary, { operations }) => [...operations],
};

/**
 * Completes the last word of a command.
 * @param typed the composer's text up to the cursor
 * @returns at most eight suggestions; none when the text is no command
 */
export function completion(typed: string, vocabulary: Vocabulary, names: Names): Completion {
  const words = typed.replace(/^\s+/, "").split(/\s+/);
  const last = words.at(-1) ?? "";
  const { commandWord, commands } = vocabulary;
  if (words.length === 1) {
    const offer = { word: commandWord, means: "Casement: the Windows nodes of this cluster" };
    return last.startsWith("/") ? { suggestions: beginning([offer], last), form: null } : nothing;
  }
  if (words[0] !== commandWord) return nothing;
  const offer = (kind: string): Suggestion[] => candidates[kind]?.(vocabulary, names) ?? [];
  if (words.length === 2) return { suggestions: beginning(offer("command"), last), form: null };
  const command = commands.find(({ name }) => name === words[1]);
  if (!command) return nothing;
  const argument = command.arguments[words.length - 3];
  const dryRun =
    command.dryRun && !words.includes("--dry-run") ? [{ word: "--dry-run", means: "only show what would happen" }] : [];
  const suggestions = beginning([...(argument ? offer(argument.kind) : []), ...dryRun], last);
  return { suggestions, form: formOf(command, commandWord) };
}

/** The text with its last word replaced by a suggestion, ready for the next word. */
export const completed = (typed: string, word: string): string => `${typed.replace(/\S*$/, "")}${word} `;
