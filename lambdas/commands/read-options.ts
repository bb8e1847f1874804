import type { Command, Option } from "../capabilities/command.ts";
import { plainForm, type Word } from "./normalize.ts";
import type { Problem, ReadResult } from "./problem.ts";
import { suggest } from "./suggest.ts";

/** An option as it was typed. */
export interface TypedOption {
  /** With its hyphens, in lower case, without its value. */
  readonly typed: string;
  readonly value: Word | null;
  /** The plain word after its unquoted value: the quotes of a text may be missing. */
  readonly follower: Word | null;
}

/** Is a word an option? A negative number is not: it is a wrong count. */
const isOption = ({ text, quoted }: Word): boolean => /^-+[^\d\s"']/.test(text) && (!quoted || text.includes("="));

const named = (typed: string): string | null => (/^--[^-]/.test(typed) ? typed.slice(2) : null);

/** Splits "--max=2" into the option and its value. */
function attached(word: Word): { readonly typed: string; readonly value: Word | null } {
  const at = word.text.indexOf("=");
  if (at < 0) return { typed: word.text, value: null };
  const content = word.quoted ? word.content : word.content.slice(at + 1);
  return { typed: word.text.slice(0, at), value: { ...word, text: word.text.slice(at + 1), content } };
}

/** Finds the plain word after an unquoted value. */
const followerOf = (value: Word | null, after: Word | undefined): Word | null =>
  value?.quoted === false && after !== undefined && !isOption(after) ? after : null;

/**
 * Splits typed text into options with their values and plain words; options may be at any position.
 * @param known the options of all commands: an option that has a value takes the next word
 */
export function splitOptions(
  words: readonly Word[],
  known: readonly Option[],
): { options: TypedOption[]; plain: Word[] } {
  const options: TypedOption[] = [];
  const plain: Word[] = [];
  const takesValue = (typed: string): boolean =>
    known.some(({ option, kind }) => option === named(typed) && kind !== "flag");
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] as Word;
    const next = words[at + 1];
    if (!isOption(word)) plain.push(word);
    else {
      const { typed, value } = attached(word);
      const takesNext = value === null && takesValue(typed) && next !== undefined && !isOption(next);
      if (takesNext) at += 1;
      const own = takesNext ? next : value;
      options.push({ typed, value: own, follower: followerOf(own, words[at + 1]) });
    }
  }
  return { options, plain };
}

/** Finds the command's option of this name. */
export const optionOf = ({ options }: Command, { typed }: TypedOption): Option | undefined =>
  options.find(({ option }) => option === named(typed));

/** The problem of an option that a command does not have, with options that may have been meant. */
export function unknownOption(command: Command, typed: string, commands: readonly Command[]): Problem {
  const own = command.options.map(({ option }) => `--${option}`);
  const elsewhere = commands
    .filter(({ options }) => options.some(({ option }) => option === named(typed)))
    .map(({ name }) => name);
  return { kind: "unknown-option", command, typed, nearest: suggest(typed, own), elsewhere };
}

type Read = (option: never, value: Word | null, command: Command) => ReadResult;

const readFlag = (option: Extract<Option, { kind: "flag" }>, value: Word | null, command: Command): ReadResult =>
  value === null || option.values?.includes(value.text)
    ? { value: true }
    : { problem: { kind: "needless-value", command, option, typed: value.content } };

function readCount(option: Extract<Option, { kind: "count" }>, value: Word | null, command: Command): ReadResult {
  if (value === null || value.content === "") return { problem: { kind: "missing-value", command, option } };
  const digits = plainForm(value.content);
  const number = /^\d{1,6}$/.test(digits) ? Number(digits) : 0;
  return number >= 1 && number <= option.most
    ? { value: number }
    : { problem: { kind: "bad-number", command, option, typed: value.content } };
}

function readText(option: Extract<Option, { kind: "text" }>, value: Word | null, command: Command): ReadResult {
  const text = value?.content.trim() ?? "";
  if (value?.quoted === false && /^["']/.test(text)) return { problem: { kind: "unclosed-quote", command, option } };
  if (text === "") return { problem: { kind: "missing-value", command, option } };
  return text.length <= option.most
    ? { value: text }
    : { problem: { kind: "long-text", command, option, length: text.length } };
}

const readers: Readonly<Record<Option["kind"], Read>> = { flag: readFlag, count: readCount, text: readText };

/**
 * Parses the options of a command.
 * @param commands all commands, to distinguish another command's option from an unknown one
 * @returns the request's fields: a flag is true or false; any other option has no field if it was not typed
 */
export function readOptions(
  command: Command,
  typed: readonly TypedOption[],
  commands: readonly Command[],
): ReadResult<Readonly<Record<string, unknown>>> {
  const value: Record<string, unknown> = {};
  const seen = new Set<Option>();
  for (const one of typed) {
    const option = optionOf(command, one);
    if (!option) return { problem: unknownOption(command, one.typed, commands) };
    if (seen.has(option)) return { problem: { kind: "option-twice", command, option } };
    seen.add(option);
    const reading = readers[option.kind](option as never, one.value, command);
    if ("problem" in reading) return reading;
    value[option.field ?? option.option] = reading.value;
  }
  const flags = command.options.filter((option) => option.kind === "flag" && !option.sparse);
  return { value: { ...Object.fromEntries(flags.map(({ field, option }) => [field ?? option, false])), ...value } };
}
