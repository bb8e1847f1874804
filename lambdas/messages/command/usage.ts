import { optionForm } from "../../commands/form.ts";
import type { Problem } from "../../commands/problem.ts";
import { MOST_NODES } from "../../commands/read-arguments.ts";
import type { Message } from "../../records/records.ts";
import { say } from "../slack/blocks.ts";
import { code, echo, some } from "../slack/text.ts";
import { shownForm, typeThis } from "./syntax.ts";

/** The problem of a kind; some kinds share a shape. */
type ProblemOf<K, P = Problem> = P extends { readonly kind: infer Kinds } ? (K extends Kinds ? P : never) : never;

type Saying = {
  readonly [K in Problem["kind"]]: (problem: ProblemOf<K>) => string;
};

/** @param suggestion null or empty if there is none */
const meant = (suggestion: string | null): string => (suggestion ? `: did you mean ${suggestion}?` : ".");

const sayings: Saying = {
  "too-long": ({ length, command }) =>
    `Command too long (${length.toLocaleString("en-US")} characters). Usage: ${shownForm(command)}. ${typeThis("help")} lists all commands.`,
  "unknown-command": ({ typed, nearest }) =>
    `Unknown command ${echo(typed)}${meant(nearest.map((name) => typeThis(name)).join(" or "))} ${typeThis("help")} lists all commands.`,
  missing: ({ command, argument }) =>
    `${code(command.name)} requires ${code(`<${argument.name}>`)} (${argument.means}). Usage: ${shownForm(command)}.`,
  "too-much": ({ command, typed }) => `Unexpected argument ${echo(typed)}. Usage: ${shownForm(command)}.`,
  "unknown-option": ({ command, typed, nearest, elsewhere }) => {
    const others = elsewhere.length > 0 ? ` It is an option of ${some(elsewhere.map(code), 5)}.` : "";
    return `Unknown option ${echo(typed)}${meant(nearest && code(nearest))} Usage: ${shownForm(command)}.${others}`;
  },
  "option-twice": ({ command, option }) =>
    `Duplicate option ${code(`--${option.option}`)}. Usage: ${shownForm(command)}.`,
  "missing-value": ({ command, option }) =>
    `${code(`--${option.option}`)} requires a value: ${code(optionForm(option))}. Usage: ${shownForm(command)}.`,
  "needless-value": ({ command, option, typed }) =>
    `${code(`--${option.option}`)} takes no value, but got ${echo(typed)}. Usage: ${shownForm(command)}.`,
  "bad-number": ({ command, option, typed }) =>
    `${echo(typed)} is not a valid value of ${code(`--${option.option}`)}: use a whole number${"most" in option ? ` from 1 to ${option.most}` : ""}. Usage: ${shownForm(command)}.`,
  "long-text": ({ command, option, length }) =>
    `The text of ${code(`--${option.option}`)} is too long (${length} characters${"most" in option ? `, at most ${option.most}` : ""}). Usage: ${shownForm(command)}.`,
  "only-of-one": ({ command, option }) =>
    `${code(`--${option.option}`)} is for one node alone: give that node's name. Usage: ${shownForm(command)}.`,
  "unclosed-quote": ({ command, option }) =>
    `The text of ${code(`--${option.option}`)} has no closing quote. Usage: ${shownForm(command)}.`,
  unquoted: ({ command, option, typed }) =>
    `Put the text of ${code(`--${option.option}`)} in quotes: only ${echo(typed)} was read. Usage: ${shownForm(command)}.`,
  "pool-among-nodes": ({ command, typed }) =>
    `${echo(typed)} is a pool: give either one pool or nodes. Usage: ${shownForm(command)}.`,
  "pool-for-node": ({ command, typed }) =>
    `${echo(typed)} is a pool, and ${code(command.name)} takes one node: ${typeThis("nodes", typed)} lists its nodes. Usage: ${shownForm(command)}.`,
  "unknown-pool": ({ command, typed, pools, nearest }) =>
    `Pool ${echo(typed)} not found${meant(nearest && typeThis(command.name, nearest))} Pools: ${some(pools.map(code), 5) || "none"}. Usage: ${shownForm(command)}.`,
  "bad-count": ({ command, typed }) =>
    `${echo(typed)} is not a valid count: use a whole number from 1 to ${MOST_NODES}. Usage: ${shownForm(command)}.`,
  "bad-node": ({ command, typed }) =>
    `${echo(typed)} is not a valid node: use its name, instance id, IP address or a unique prefix. Usage: ${shownForm(command)}.`,
  "bad-audited": ({ command, typed }) =>
    `${echo(typed)} is not the id of an operation, a node or a person. Usage: ${shownForm(command)}. ${typeThis("operations")} lists recent operations, ${typeThis("nodes")} the nodes.`,
  "bad-registry": ({ command, typed }) =>
    `${echo(typed)} is not a registry, such as ${code("quay.io")}. Usage: ${shownForm(command)}.`,
  "bad-operation": ({ command, typed }) =>
    `${echo(typed)} is not a valid operation id (example: ${code("add-3f9c2a71")}). Usage: ${shownForm(command)}. ${typeThis("operations")} lists recent operations.`,
};

/**
 * Explains a typing mistake and shows the usage: at most 500 characters; typed text in it cannot ping anyone.
 */
export const usageMessage = (problem: Problem): Message =>
  say((sayings[problem.kind] as (problem: Problem) => string)(problem));
