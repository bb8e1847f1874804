import { optionForm } from "../../commands/form.ts";
import type { Problem } from "../../commands/problem.ts";
import { MOST_NODES } from "../../commands/read-arguments.ts";
import type { Message } from "../../records.ts";
import { say } from "../slack/blocks.ts";
import { code, echo, some } from "../slack/text.ts";
import { shownForm, typeThis } from "./syntax.ts";

/** The problem of a kind; some kinds share a shape. */
type ProblemOf<K, P = Problem> = P extends { readonly kind: infer Kinds } ? (K extends Kinds ? P : never) : never;

type Saying = {
  readonly [K in Problem["kind"]]: (problem: ProblemOf<K>, commandWord: string) => string;
};

const meant = (nearest: string | null, ...words: string[]): string =>
  nearest ? `: did you mean ${code([...words, nearest].join(" "))}?` : ".";

const sayings: Saying = {
  "too-long": ({ length, command }, word) =>
    `Command too long (${length.toLocaleString("en-US")} characters). Usage: ${shownForm(command, word)}. ${typeThis(word, "help")} lists all commands.`,
  "unknown-command": ({ typed, nearest }, word) =>
    `Unknown command ${echo(typed)}${meant(nearest, word)} ${typeThis(word, "help")} lists all commands.`,
  missing: ({ command, argument }, word) =>
    `${code(command.name)} requires ${code(`<${argument.name}>`)} (${argument.means}). Usage: ${shownForm(command, word)}.`,
  "too-much": ({ command, typed }, word) => `Unexpected argument ${echo(typed)}. Usage: ${shownForm(command, word)}.`,
  "unknown-option": ({ command, typed, nearest, elsewhere }, word) => {
    const others = elsewhere.length > 0 ? ` It is an option of ${some(elsewhere.map(code), 5)}.` : "";
    return `Unknown option ${echo(typed)}${meant(nearest)} Usage: ${shownForm(command, word)}.${others}`;
  },
  "option-twice": ({ command, option }, word) =>
    `Duplicate option ${code(`--${option.option}`)}. Usage: ${shownForm(command, word)}.`,
  "missing-value": ({ command, option }, word) =>
    `${code(`--${option.option}`)} requires a value: ${code(optionForm(option))}. Usage: ${shownForm(command, word)}.`,
  "needless-value": ({ command, option, typed }, word) =>
    `${code(`--${option.option}`)} takes no value, but got ${echo(typed)}. Usage: ${shownForm(command, word)}.`,
  "bad-number": ({ command, option, typed }, word) =>
    `${echo(typed)} is not a valid value of ${code(`--${option.option}`)}: use a whole number${"most" in option ? ` from 1 to ${option.most}` : ""}. Usage: ${shownForm(command, word)}.`,
  "long-text": ({ command, option, length }, word) =>
    `The text of ${code(`--${option.option}`)} is too long (${length} characters${"most" in option ? `, at most ${option.most}` : ""}). Usage: ${shownForm(command, word)}.`,
  "only-of-one": ({ command, option }, word) =>
    `${code(`--${option.option}`)} is for one node alone: give that node's name. Usage: ${shownForm(command, word)}.`,
  "unclosed-quote": ({ command, option }, word) =>
    `The text of ${code(`--${option.option}`)} has no closing quote. Usage: ${shownForm(command, word)}.`,
  unquoted: ({ command, option, typed }, word) =>
    `Put the text of ${code(`--${option.option}`)} in quotes: only ${echo(typed)} was read. Usage: ${shownForm(command, word)}.`,
  "pool-among-nodes": ({ command, typed }, word) =>
    `${echo(typed)} is a pool: give either one pool or nodes. Usage: ${shownForm(command, word)}.`,
  "unknown-pool": ({ command, typed, pools, nearest }, word) =>
    `Pool ${echo(typed)} not found${meant(nearest, word, command.name)} Pools: ${some(pools.map(code), 5) || "none"}. Usage: ${shownForm(command, word)}.`,
  "bad-count": ({ command, typed }, word) =>
    `${echo(typed)} is not a valid count: use a whole number from 1 to ${MOST_NODES}. Usage: ${shownForm(command, word)}.`,
  "bad-node": ({ command, typed }, word) =>
    `${echo(typed)} is not a valid node: use its name, instance id, IP address or a unique prefix. Usage: ${shownForm(command, word)}.`,
  "bad-audited": ({ command, typed }, word) =>
    `${echo(typed)} is not the id of an operation, a node or a person. Usage: ${shownForm(command, word)}.`,
  "bad-operation": ({ command, typed }, word) =>
    `${echo(typed)} is not a valid operation id (example: ${code("add-3f9c2a71")}). Usage: ${shownForm(command, word)}. ${typeThis(word, "operations")} lists recent operations.`,
};

/**
 * Explains a typing mistake and shows the usage: at most 500 characters; typed text in it cannot ping anyone.
 * @param commandWord "/win"
 */
export const usageMessage = (problem: Problem, commandWord: string): Message =>
  say((sayings[problem.kind] as (problem: Problem, commandWord: string) => string)(problem, commandWord));
