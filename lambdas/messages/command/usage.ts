import { optionForm } from "../../commands/form.ts";
import type { Problem } from "../../commands/problem.ts";
import { MOST_NODES } from "../../commands/read-arguments.ts";
import type { Message } from "../../records.ts";
import { say } from "../slack/blocks.ts";
import { code, echo, some } from "../slack/text.ts";
import { shownForm, typeThis } from "./forms.ts";

/** The problem of a kind; some kinds share a shape. */
type ProblemOf<K, P = Problem> = P extends { readonly kind: infer Kinds } ? (K extends Kinds ? P : never) : never;

type Saying = {
  readonly [K in Problem["kind"]]: (problem: ProblemOf<K>, commandWord: string) => string;
};

const meant = (nearest: string | null, ...words: string[]): string =>
  nearest ? `: did you mean ${code([...words, nearest].join(" "))}?` : ".";

const sayings: Saying = {
  "too-long": ({ length, command }, word) =>
    `That is ${length.toLocaleString("en-US")} characters, and a command is a few words: ${shownForm(command, word)}. ${typeThis(word, "help")} lists them all.`,
  "unknown-command": ({ typed, nearest }, word) =>
    `I know no command ${echo(typed)}${meant(nearest, word)} ${typeThis(word, "help")} lists them all.`,
  missing: ({ command, argument }, word) =>
    `${code(command.name)} needs the ${argument.name} (${argument.means}): ${shownForm(command, word)}.`,
  "too-much": ({ command, typed }, word) =>
    `I do not know what to do with ${echo(typed)} here: ${shownForm(command, word)}.`,
  "unknown-option": ({ command, typed, nearest, elsewhere }, word) => {
    const others = elsewhere.length > 0 ? ` It belongs to ${some(elsewhere.map(code), 5)}.` : "";
    const near = nearest ? `; did you mean ${code(nearest)}` : "";
    return `${code(command.name)} has no option ${echo(typed)}${near}: ${shownForm(command, word)}.${others}`;
  },
  "option-twice": ({ command, option }, word) =>
    `${code(`--${option.option}`)} can be given once: ${shownForm(command, word)}.`,
  "missing-value": ({ command, option }, word) =>
    `${code(`--${option.option}`)} needs a value, as in ${code(optionForm(option))}: ${shownForm(command, word)}.`,
  "needless-value": ({ command, option, typed }, word) =>
    `${code(`--${option.option}`)} takes no value ${echo(typed)}: ${shownForm(command, word)}.`,
  "bad-number": ({ command, option, typed }, word) =>
    `${code(`--${option.option}`)} cannot be ${echo(typed)}: it takes a whole number${"most" in option ? ` from 1 to ${option.most}` : ""}, as in ${shownForm(command, word)}.`,
  "long-text": ({ command, option, length }, word) =>
    `The text of ${code(`--${option.option}`)} has ${length} characters${"most" in option ? `, and ${option.most} are the most` : ""}: ${shownForm(command, word)}.`,
  "unclosed-quote": ({ command, option }, word) =>
    `The text of ${code(`--${option.option}`)} has no closing quote: ${shownForm(command, word)}.`,
  unquoted: ({ command, option, typed }, word) =>
    `Put the text of ${code(`--${option.option}`)} in quotes: only ${echo(typed)} was read as its text. The form is ${shownForm(command, word)}.`,
  "pool-among-nodes": ({ command, typed }, word) =>
    `${echo(typed)} is a pool: give one pool, or nodes, but not both, as in ${shownForm(command, word)}.`,
  "unknown-pool": ({ command, typed, pools, nearest }, word) =>
    `There is no pool ${echo(typed)}${meant(nearest, word, command.name)} Pools: ${some(pools.map(code), 5) || "none yet"}. The form is ${shownForm(command, word)}.`,
  "bad-count": ({ command, typed }, word) =>
    `${echo(typed)} is no count I can use: a whole number from 1 to ${MOST_NODES}, as in ${shownForm(command, word)}.`,
  "bad-node": ({ command, typed }, word) =>
    `${echo(typed)} cannot be a node: give its name, instance id, IP address or a unique beginning, as in ${shownForm(command, word)}.`,
  "bad-operation": ({ command, typed }, word) =>
    `${echo(typed)} is no operation's id (they look like ${code("add-3f9c2a71")}): ${shownForm(command, word)}, and ${typeThis(word, "operations")} lists them.`,
};

/**
 * Explains a typing mistake kindly and with the right form: at most 500 characters, nothing in it can ping.
 * @param commandWord "/win"
 */
export const usageMessage = (problem: Problem, commandWord: string): Message =>
  say((sayings[problem.kind] as (problem: Problem, commandWord: string) => string)(problem, commandWord));
