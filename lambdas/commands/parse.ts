import type { Argument, ArgumentKind, Command, Request } from "./command.ts";
import { commands } from "./list.ts";
import { nearest } from "./nearest.ts";
import { isOperationId } from "./operation-id.ts";
import { plainWords } from "./plain-words.ts";

/** Reason why a text is no command; the typed words are raw and must be escaped before anybody reads them. */
export type Problem =
  | { readonly kind: "too-long"; readonly length: number; readonly command: string }
  | { readonly kind: "unknown-command"; readonly typed: string; readonly nearest: string | null }
  | { readonly kind: "missing"; readonly command: string; readonly argument: Argument }
  | { readonly kind: "too-much"; readonly command: string; readonly typed: string }
  | { readonly kind: "unknown-option"; readonly command: string; readonly typed: string }
  | {
      readonly kind: "unknown-pool";
      readonly command: string;
      readonly typed: string;
      readonly pools: readonly string[];
      readonly nearest: string | null;
    }
  | { readonly kind: "bad-count" | "bad-node" | "bad-operation"; readonly command: string; readonly typed: string };

/** A request, or what is wrong with the text. */
export type Parsed = { readonly request: Request } | { readonly problem: Problem };

/** Names that the words of a command may refer to. */
export interface Vocabulary {
  readonly pools: readonly string[];
  /** "/win": typed twice by mistake it is not taken for a word of the command. */
  readonly commandWord: string;
}

/** Nodes that one operation may add. */
export const MOST_NODES = 100;

/** Characters; the longest sensible command is a node's name (253, RFC 1123) and a few words. */
const LONGEST_TEXT = 400;

type Reading = { readonly value: unknown } | { readonly problem: Problem };

interface Phrase {
  readonly words: readonly string[];
  readonly command: Command;
}

const phrases: readonly Phrase[] = commands
  .flatMap((command) => [command.name, ...command.also].map((phrase) => ({ words: phrase.split(" "), command })))
  .sort((one, other) => other.words.length - one.words.length);

const beginningOf = (words: readonly string[]): Phrase[] =>
  phrases.filter((phrase) => phrase.words.every((word, at) => words[at] === word));

const readers: Readonly<Record<ArgumentKind, (word: string, command: string, vocabulary: Vocabulary) => Reading>> = {
  command: (word) => {
    const [meant] = beginningOf(word.split(" "));
    return meant ? { value: meant.command.name } : { problem: unknownCommand(word) };
  },
  pool: (typed, command, { pools }) =>
    pools.includes(typed)
      ? { value: typed }
      : { problem: { kind: "unknown-pool", command, typed, pools, nearest: nearest(typed, pools) } },
  count: (typed, command) =>
    /^\d{1,3}$/.test(typed) && Number(typed) >= 1 && Number(typed) <= MOST_NODES
      ? { value: Number(typed) }
      : { problem: { kind: "bad-count", command, typed } },
  node: (typed, command) =>
    /^[a-z0-9][a-z0-9.:-]{0,252}$/.test(typed) ? { value: typed } : { problem: { kind: "bad-node", command, typed } },
  operation: (typed, command) =>
    isOperationId(typed) ? { value: typed } : { problem: { kind: "bad-operation", command, typed } },
};

/** Value of an optional argument that was not typed. */
const unlessTold: Readonly<Partial<Record<ArgumentKind, unknown>>> = { count: 1, command: null };

/** kubectl's spellings too; "none" and "false" are not offered: a command without the option is just that. */
const DRY_RUN = new Set(["--dry-run", "--dry-run=client", "--dry-run=server"]);
const ASKS_FOR_HELP = new Set(["--help", "-h"]);

/** A negative number is a wrong count, not an option. */
const isOption = (word: string): boolean => /^-+[^\d\s]/.test(word);

/**
 * Reads what was typed behind the command word. Never throws; says nothing itself: the words of a problem are in messages/.
 * @param text as Slack sends it, escaped by Slack
 * @returns the request; or the problem, as data
 */
export function parse(text: string, vocabulary: Vocabulary): Parsed {
  if (text.length > LONGEST_TEXT) return { problem: tooLong(text, vocabulary) };
  const spoken = withoutEcho(plainWords(text), vocabulary.commandWord);
  const options = spoken.filter(isOption);
  const words = spoken.filter((word) => !isOption(word));
  const asksForHelp = words.length === 0 || options.some((option) => ASKS_FOR_HELP.has(option));
  if (asksForHelp) return helpOn(words, options);
  const readings = beginningOf(words).map(({ command, words: said }) =>
    read(command, words.slice(said.length), options, vocabulary),
  );
  return (
    readings.find((reading) => "request" in reading) ?? readings[0] ?? { problem: unknownCommand(words.join(" ")) }
  );
}

/** The beginning is read all the same: whoever meant a command is shown its form. */
function tooLong(text: string, { commandWord }: Vocabulary): Problem {
  const words = withoutEcho(plainWords(text.slice(0, LONGEST_TEXT)), commandWord);
  return { kind: "too-long", length: text.length, command: beginningOf(words)[0]?.command.name ?? "help" };
}

/** Drops the command word typed again, and kubectl's own name. */
const withoutEcho = (words: string[], commandWord: string): string[] =>
  words[0] === commandWord || words[0] === "kubectl" ? words.slice(1) : words;

function helpOn(words: readonly string[], options: readonly string[]): Parsed {
  const stray = options.find((option) => !ASKS_FOR_HELP.has(option) && !DRY_RUN.has(option));
  if (stray !== undefined) return { problem: { kind: "unknown-option", command: "help", typed: stray } };
  return { request: { command: "help", topic: beginningOf(words)[0]?.command.name ?? null } };
}

function read(command: Command, words: readonly string[], options: readonly string[], vocabulary: Vocabulary): Parsed {
  const stray = options.find((option) => !(command.dryRun && DRY_RUN.has(option)));
  if (stray !== undefined) return { problem: { kind: "unknown-option", command: command.name, typed: stray } };
  const values = assign(command, words, vocabulary);
  if ("problem" in values) return values;
  const dryRun = command.dryRun ? { dryRun: options.length > 0 } : {};
  return { request: { command: command.name, ...values.value, ...dryRun } as Request };
}

type Assigned = { readonly value: Readonly<Record<string, unknown>> } | { readonly problem: Problem };

function assign(command: Command, typed: readonly string[], vocabulary: Vocabulary): Assigned {
  const words = command.arguments[0]?.kind === "command" && typed.length > 0 ? [typed.join(" ")] : typed;
  const value: Record<string, unknown> = {};
  for (const [at, argument] of command.arguments.entries()) {
    const reading = readArgument(command, argument, words[at], vocabulary);
    if ("problem" in reading) return reading;
    value[argument.field ?? argument.name] = reading.value;
  }
  const extra = words[command.arguments.length];
  return extra === undefined ? { value } : { problem: { kind: "too-much", command: command.name, typed: extra } };
}

function readArgument(command: Command, argument: Argument, word: string | undefined, vocabulary: Vocabulary): Reading {
  if (word !== undefined) return readers[argument.kind](word, command.name, vocabulary);
  return argument.required
    ? { problem: { kind: "missing", command: command.name, argument } }
    : { value: unlessTold[argument.kind] };
}

function unknownCommand(typed: string): Problem {
  const [first = ""] = typed.split(" ");
  return {
    kind: "unknown-command",
    typed,
    nearest: nearest(
      first,
      commands.map(({ name }) => name),
    ),
  };
}
