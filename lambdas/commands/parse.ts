import type { Command } from "../capabilities/command.ts";
import { commandOf, commands } from "./list.ts";
import { normalize, typedLength, type Word } from "./normalize.ts";
import type { Problem, ReadResult, Vocabulary } from "./problem.ts";
import { readArguments } from "./read-arguments.ts";
import { optionOf, readOptions, splitOptions, type TypedOption, unknownOption } from "./read-options.ts";
import type { Request } from "./request.ts";
import { suggest } from "./suggest.ts";
import { shaped } from "./targets.ts";

/** A request, or what is wrong with the text. */
export type ParseResult = { readonly request: Request } | { readonly problem: Problem };

/** Characters; the longest sensible command is a node's name (253, RFC 1123), a reason (200) and a few words. */
const LONGEST_TEXT = 600;

interface Phrase {
  readonly words: readonly string[];
  readonly command: Command;
}

const help = commandOf("help");

const ASKS_FOR_HELP: ReadonlySet<string> = new Set(["--help", "-h"]);

const asksForHelp = ({ typed }: TypedOption): boolean => ASKS_FOR_HELP.has(typed);

const textOf = (words: readonly Word[]): string[] => words.map(({ text }) => text);

/** Drops the command word typed again, and kubectl's own name. */
const withoutEcho = (words: Word[], commandWord: string): Word[] =>
  words[0]?.text === commandWord || words[0]?.text === "kubectl" ? words.slice(1) : words;

/** Every way to say a command, the longest first. */
const phrasesOf = (known: readonly Command[]): readonly Phrase[] =>
  known
    .flatMap((command) => [command.name, ...command.also].map((phrase) => ({ words: phrase.split(" "), command })))
    .sort((one, other) => other.words.length - one.words.length);

/**
 * Makes the parser of a list of commands.
 * @returns reads what was typed behind the command word; never throws, and says nothing itself: the words of a problem are in
 *   messages/
 */
export function parserOf(known: readonly Command[]): (text: string, vocabulary: Vocabulary) => ParseResult {
  const phrases = phrasesOf(known);
  const everyOption = known.flatMap(({ options }) => options);

  const beginningOf = (words: readonly string[]): Phrase[] =>
    phrases.filter((phrase) => phrase.words.every((word, at) => words[at] === word));

  const unknownCommand = (typed: string): Problem => {
    const [first = ""] = typed.split(" ");
    const names = known.map(({ name }) => name);
    return { kind: "unknown-command", typed, nearest: suggest(first, names) };
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
    vocabulary: Vocabulary,
  ): ParseResult => {
    const chosen = readOptions(command, options, known);
    if ("problem" in chosen) return chosen;
    const values = readArguments(words, { ...vocabulary, command, findTopic, chosen: chosen.value });
    if ("problem" in values) return { problem: unquoted(command, options) ?? values.problem };
    return shaped(command, { command: command.name, ...values.value, ...chosen.value });
  };

  return (text, vocabulary) => {
    const length = typedLength(text);
    const legible = length > LONGEST_TEXT ? text.slice(0, LONGEST_TEXT) : text;
    const words = withoutEcho(normalize(legible), vocabulary.commandWord);
    if (length > LONGEST_TEXT) {
      // The beginning is read all the same, so that the answer can show the usage of the command that was meant.
      const command = beginningOf(textOf(words))[0]?.command ?? help;
      return { problem: { kind: "too-long", length, command } };
    }
    const { options, plain } = splitOptions(words, everyOption);
    const typed = textOf(plain);
    if (plain.length === 0 || options.some(asksForHelp)) return helpOn(typed, options);
    const readings = beginningOf(typed).map(({ command, words: said }) =>
      read(command, plain.slice(said.length), options, vocabulary),
    );
    return (
      readings.find((reading) => "request" in reading) ?? readings[0] ?? { problem: unknownCommand(typed.join(" ")) }
    );
  };
}

/** A text of several words without quotes leaves words that fit nowhere. */
function unquoted(command: Command, options: readonly TypedOption[]): Problem | null {
  for (const given of options) {
    const option = optionOf(command, given);
    if (option?.kind === "text" && given.isFollowed)
      return { kind: "unquoted", command, option, typed: given.value?.content ?? "" };
  }
  return null;
}

/** Reads what was typed behind the command word, by the list of commands. */
export const parse = parserOf(commands);
