import type { Command } from "../../../../../lambdas/capabilities/command.ts";
import { formOf, optionForm } from "../../../../../lambdas/commands/form.ts";
import type { Vocabulary } from "../../vocabulary.ts";

/** One replacement for the last word. */
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

const beginning = (suggestions: readonly Suggestion[], start: string, most = MOST): Suggestion[] =>
  suggestions.filter(({ word }) => word.startsWith(start) && word !== start).slice(0, most);

/** Suggestions for an argument, by its kind; a count and anything unknown have no list. */
const candidates: Readonly<Record<string, (vocabulary: Vocabulary, names: Names) => Suggestion[]>> = {
  command: ({ commands }) => commands.map(({ name, summary }) => ({ word: name, means: summary })),
  pool: ({ pools }) => pools.map((word) => ({ word, means: "pool" })),
  node: (_vocabulary, { nodes }) => [...nodes],
  nodes: (_vocabulary, { nodes }) => [...nodes],
  "nodes-or-pool": ({ pools }, { nodes }) => [...pools.map((word) => ({ word, means: "pool" })), ...nodes],
  operation: (_vocabulary, { operations }) => [...operations],
  audited: (_vocabulary, { operations, nodes }) => [...operations, ...nodes],
};

/** Options that were not typed yet. */
const optionsLeft = ({ options }: Command, before: readonly string[]): Suggestion[] =>
  options
    .filter(({ option }) => !before.some((word) => word === `--${option}` || word.startsWith(`--${option}=`)))
    .map((option) => ({ word: `--${option.option}`, means: `${optionForm(option)}: ${option.means}` }));

/** Suggestions for the word behind these; none for an option's value. */
function next(command: Command, before: readonly string[], offer: (kind: string) => Suggestion[]): Suggestion[] {
  const valued = new Set(command.options.flatMap(({ option, kind }) => (kind === "flag" ? [] : [`--${option}`])));
  if (valued.has(before.at(-1) ?? "")) return [];
  const plain = before.filter((word, at) => !word.startsWith("--") && !valued.has(before[at - 1] ?? ""));
  const last = command.arguments.at(-1);
  const argument = command.arguments[plain.length] ?? (last?.kind.startsWith("nodes") ? last : undefined);
  return [...(argument ? offer(argument.kind) : []), ...optionsLeft(command, before)];
}

/** A quoted text is one word, and its content is no business of the completion. */
const withoutQuotes = (typed: string): string => typed.replace(/["\u201c][^"\u201c\u201d]*(?:["\u201d]|$)/g, '""');

/**
 * Completes the last word of a command.
 * @param typed the composer's text up to the cursor
 * @returns every command that fits, else at most eight suggestions; none when the text is no command
 */
export function completion(typed: string, vocabulary: Vocabulary, names: Names): Completion {
  const words = withoutQuotes(typed).replace(/^\s+/, "").split(/\s+/);
  const last = words.at(-1) ?? "";
  const { commandWord, commands } = vocabulary;
  if (words.length === 1) {
    const offer = { word: commandWord, means: "Casement: the Windows nodes of this cluster" };
    return last.startsWith("/") ? { suggestions: beginning([offer], last), form: null } : nothing;
  }
  if (words[0] !== commandWord) return nothing;
  const offer = (kind: string): Suggestion[] => candidates[kind]?.(vocabulary, names) ?? [];
  if (words.length === 2) return { suggestions: beginning(offer("command"), last, commands.length), form: null };
  const command = commands.find(({ name }) => name === words[1]);
  if (!command) return nothing;
  const suggestions = beginning(next(command, words.slice(2, -1), offer), last);
  return { suggestions, form: `${commandWord} ${formOf(command)}` };
}

/** The text with its last word replaced by a suggestion, ready for the next word. */
export const completed = (typed: string, word: string): string => `${typed.replace(/\S*$/, "")}${word} `;
