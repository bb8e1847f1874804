import type { Problem } from "../../commands/parse.ts";
import { MOST_NODES } from "../../commands/parse.ts";
import type { Message } from "../../records.ts";
import { say } from "../slack/blocks.ts";
import { code, echo, some } from "../slack/text.ts";
import { shownForm, typeThis } from "./forms.ts";

type Saying = {
  readonly [K in Problem["kind"]]: (problem: Extract<Problem, { kind: K }>, commandWord: string) => string;
};

const meant = (nearest: string | null, ...words: string[]): string =>
  nearest ? `: did you mean ${code([...words, nearest].join(" "))}?` : ".";

const sayings: Saying = {
  "too-long": ({ length, command }, word) =>
    `That is ${length.toLocaleString("en-US")} characters, and a command is a few words: ${shownForm(command, word)}. ${typeThis(word, "help")} lists them all.`,
  "unknown-command": ({ typed, nearest }, word) =>
    `I know no command ${echo(typed)}${meant(nearest, word)} ${typeThis(word, "help")} lists them all.`,
  missing: ({ command, argument }, word) =>
    `${code(command)} needs the ${argument.name} (${argument.means}): ${shownForm(command, word)}.`,
  "too-much": ({ command, typed }, word) =>
    `I do not know what to do with ${echo(typed)} here: ${shownForm(command, word)}.`,
  "unknown-option": ({ command, typed }, word) =>
    `${code(command)} has no option ${echo(typed)}: ${shownForm(command, word)}.`,
  "unknown-pool": ({ command, typed, pools, nearest }, word) =>
    `There is no pool ${echo(typed)}${meant(nearest, word, command)} Pools: ${some(pools.map(code), 5) || "none yet"}. The form is ${shownForm(command, word)}.`,
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
