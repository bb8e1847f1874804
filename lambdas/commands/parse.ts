import type { Command, Option, Targets } from "../capabilities/command.ts";
import { commandOf, commands } from "./list.ts";
import { LONGEST_COMMAND, normalize, typedLength, type Word } from "./normalize.ts";
import type { Problem, ReadResult, Vocabulary } from "./problem.ts";
import { readArguments } from "./read-arguments.ts";
import { optionOf, readOptions, splitOptions, type TypedOption, unknownOption } from "./read-options.ts";
import type { Request } from "./request.ts";
import { suggest } from "./suggest.ts";
import { fieldOf } from "./typed-again.ts";

/** A request, or the problem of the text. */
export type ParseResult = { readonly request: Request } | { readonly problem: Problem };

interface Phrase {
  readonly words: readonly string[];
  readonly command: Command;
}

const help = commandOf("help");

const ASKS_FOR_HELP: ReadonlySet<string> = new Set(["--help", "-h"]);

const asksForHelp = ({ typed }: TypedOption): boolean => ASKS_FOR_HELP.has(typed);

const textOf = (words: readonly Word[]): string[] => words.map(({ text }) => text);

/** Drops a repeated command word, with its slash or without, and kubectl's own name. */
const withoutEcho = (words: Word[], commandWord: string): Word[] =>
  [commandWord, commandWord.slice(1), "kubectl"].includes(words[0]?.text ?? "") ? words.slice(1) : words;

/** Every phrase for a command, the longest first. */
const phrasesOf = (known: readonly Command[]): readonly Phrase[] =>
  known
    .flatMap((command) => [command.name, ...command.also].map((phrase) => ({ words: phrase.split(" "), command })))
    .sort((one, other) => other.words.length - one.words.length);

/**
 * Makes the parser for a list of commands.
 * @returns a function that parses the text after the command word; it never throws, and messages/ has the texts of
 * problems
 */
export function parserOf(known: readonly Command[]): (text: string, vocabulary: Vocabulary) => ParseResult {
  const phrases = phrasesOf(known);
  const everyOption = known.flatMap(({ options }) => options);

  const beginningOf = (words: readonly string[]): Phrase[] =>
    phrases.filter((phrase) => phrase.words.every((word, at) => words[at] === word));

  const unknownCommand = (typed: string): Problem => {
    const [first = ""] = typed.split(" ");
    const similar = suggest(
      first,
      known.map(({ name }) => name),
    );
    const meant = known.filter(({ name, meantBy }) => name === similar || meantBy?.includes(first));
    return { kind: "unknown-command", typed, nearest: meant.map(({ name }) => name) };
  };

  const findTopic = (words: readonly string[]): ReadResult<string> => {
    const [meant] = beginningOf(words);
    return meant ? { value: meant.command.name } : { problem: unknownCommand(words.join(" ")) };
  };

  const helpOn = (words: readonly string[], options: readonly TypedOption[]): ParseResult => {
    const stray = options.find((option) => !asksForHelp(option) && !known.some((command) => optionOf(command, option)));
    if (stray) return { problem: unknownOption(help, stray.typed, known) };
    return { request: { command: "help", topic: beginningOf(words)[0]?.command.name ?? null } };
  };

  const read = (
    command: Command,
    words: readonly Word[],
    options: readonly TypedOption[],
    vocabulary: Vocabulary & { readonly namesPool: boolean },
  ): ParseResult => {
    const chosen = readOptions(command, options, known);
    if ("problem" in chosen) return chosen;
    const values = readArguments(words, { ...vocabulary, command, findTopic, chosen: chosen.value });
    if ("problem" in values) return { problem: unquoted(command, options) ?? values.problem };
    const problem = unquoted(command, options, targetsAfterText(command, words, chosen.value));
    if (problem) return { problem };
    return shaped(command, { command: command.name, ...values.value, ...chosen.value });
  };

  return (text, vocabulary) => {
    const length = typedLength(text);
    const legible = length > LONGEST_COMMAND ? text.slice(0, LONGEST_COMMAND) : text;
    const words = withoutEcho(normalize(legible), vocabulary.commandWord);
    if (length > LONGEST_COMMAND) {
      // The beginning is parsed, so that the answer can show the usage of the intended command.
      const command = beginningOf(textOf(words))[0]?.command ?? help;
      return { problem: { kind: "too-long", length, command } };
    }
    const { options, plain } = splitOptions(words, everyOption);
    const typed = textOf(plain);
    if (plain.length === 0 || options.some(asksForHelp)) return helpOn(typed, options);
    const readings = beginningOf(typed).map(({ command, words: phrase }) =>
      read(command, plain.slice(phrase.length), options, { ...vocabulary, namesPool: phrase.at(-1) === "pool" }),
    );
    return (
      readings.find((reading) => "request" in reading) ?? readings[0] ?? { problem: unknownCommand(typed.join(" ")) }
    );
  };
}

type TextOption = Extract<Option, { kind: "text" }>;

/**
 * Finds an option whose value has several words without quotes, which explains words that fit nowhere.
 * @param isPart can the word after the value belong to the text?
 */
function unquoted(
  command: Command,
  options: readonly TypedOption[],
  isPart: (follower: Word, option: TextOption) => boolean = () => true,
): Problem | null {
  for (const typed of options) {
    const option = optionOf(command, typed);
    if (option?.kind === "text" && typed.follower && isPart(typed.follower, option))
      return { kind: "unquoted", command, option, typed: typed.value?.content ?? "" };
  }
  return null;
}

/**
 * Any word can name a node. So a word after a text that people write in quotes may be one of several targets, or a part
 * of the text: it is a target where the command needs one and none stands before it.
 * @param words the words that were read as targets
 */
function targetsAfterText(
  { arguments: [argument] }: Command,
  words: readonly Word[],
  chosen: Readonly<Record<string, unknown>>,
): (follower: Word, option: TextOption) => boolean {
  const takesAnyWord = argument?.kind === "nodes" || argument?.kind === "nodes-or-pool";
  const isNeeded = argument?.required && !(argument.unless && chosen[argument.unless]);
  return (follower, { value }) =>
    takesAnyWord && value.startsWith('"') && words.indexOf(follower) >= (isNeeded ? 1 : 0);
}

/** Parsed fields of a request; the targets of a command for several nodes may be among them. */
interface Fields {
  readonly [field: string]: unknown;
  readonly targets?: Targets | { readonly kind: "all" };
}

/** Removes the fields of options that belong to the command's other form. */
const without = (fields: Fields, options: readonly Option[]): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => !options.some((option) => fieldOf(option) === name)));

/**
 * Shapes the request of a command. A single node gives the request for one node, without the options that only apply to
 * several.
 * @returns a problem if an option for one node was typed with several nodes
 */
function shaped(command: Command, fields: Fields): ParseResult {
  const { targets, ...rest } = fields;
  if (command.workflowOfMany === undefined || targets === undefined) return { request: fields as Request };
  const ofOne = command.options.filter((option) => option.of === "one");
  const ofSeveral = command.options.filter((option) => option.of === "several");
  if (targets.kind === "nodes" && targets.nodes.length === 1 && rest.due !== true)
    return { request: { ...without(rest, ofSeveral), node: targets.nodes[0] } as Request };
  const option = ofOne.find((option) => fieldOf(option) in rest);
  return option ? { problem: { kind: "only-of-one", command, option } } : { request: fields as Request };
}

/** Parses the text after the command word with the list of all commands. */
export const parse = parserOf(commands);
