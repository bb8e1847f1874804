import type { Argument, ArgumentKind, Command, Targets } from "../capabilities/command.ts";
import type { Word } from "./normalize.ts";
import { isOperationId } from "./operation-id.ts";
import type { Problem, ReadResult, Vocabulary } from "./problem.ts";
import { suggest } from "./suggest.ts";

/** Largest number of nodes that one operation may add. */
export const MOST_NODES = 100;

/** Finds the command that the topic of `help` names. */
export type FindTopic = (words: readonly string[]) => ReadResult<string>;

interface Context extends Vocabulary {
  readonly command: Command;
  /** The parsed fields of the options. */
  readonly chosen: Readonly<Record<string, unknown>>;
  readonly findTopic: FindTopic;
  /** Does the command's phrase end in "pool"? Then it needs one: "thaw pool" is no thaw of the whole cluster. */
  readonly namesPool: boolean;
}

type Reader = (words: readonly Word[], context: Context) => ReadResult;

const one =
  (read: (typed: string, context: Context) => ReadResult): Reader =>
  (words, context) =>
    read(words[0]?.text ?? "", context);

const isNodeName = (typed: string): boolean => /^[a-z0-9][a-z0-9.:-]{0,252}$/.test(typed);

/** Is it a host name, with a port or without? */
const isRegistry = (typed: string): boolean => /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?(:\d{1,5})?$/i.test(typed);

/** Is it a mention as Slack sends it, or a name after an @? */
const isPerson = (typed: string): boolean => /^(?:<@[uw][a-z0-9]+(?:\|[^>]*)?>|@[\w.-]{1,80})$/.test(typed);

const readNodes: Reader = (words, { command }) => {
  const names = words.filter(({ isType }) => !isType).map(({ text }) => text);
  const strange = names.find((name) => !isNodeName(name));
  return strange === undefined
    ? { value: [...new Set(names)] }
    : { problem: { kind: "bad-node", command, typed: strange } };
};

/**
 * Reads nodes or one pool. A pool must be the only argument, because its name could be the beginning of a node's name.
 */
const readTargets: Reader = (words, context) => {
  const [first] = words;
  const { pools, command } = context;
  if (words.length === 1 && pools.includes(first?.text ?? ""))
    return { value: { kind: "pool", pool: first?.text ?? "" } satisfies Targets };
  const pool = words.find(({ text }) => pools.includes(text));
  if (pool) return { problem: { kind: "pool-among-nodes", command, typed: pool.text } };
  const nodes = readNodes(words, context);
  return "problem" in nodes ? nodes : { value: { kind: "nodes", nodes: nodes.value as string[] } satisfies Targets };
};

const readers: Readonly<Record<ArgumentKind, Reader>> = {
  command: (words, { findTopic }) => findTopic(words.map(({ text }) => text)),
  pool: one((typed, { command, pools }) =>
    pools.includes(typed)
      ? { value: typed }
      : { problem: { kind: "unknown-pool", command, typed, pools, nearest: suggest(typed, pools) } },
  ),
  count: one((typed, { command }) =>
    /^\d{1,3}$/.test(typed) && Number(typed) >= 1 && Number(typed) <= MOST_NODES
      ? { value: Number(typed) }
      : { problem: { kind: "bad-count", command, typed } },
  ),
  node: one((typed, { command, pools }) => {
    if (pools.includes(typed)) return { problem: { kind: "pool-for-node", command, typed } };
    return isNodeName(typed) ? { value: typed } : { problem: { kind: "bad-node", command, typed } };
  }),
  nodes: readNodes,
  "nodes-or-pool": readTargets,
  audited: one((typed, { command }) =>
    isNodeName(typed) || isPerson(typed) ? { value: typed } : { problem: { kind: "bad-audited", command, typed } },
  ),
  registry: one((typed, { command }) =>
    isRegistry(typed) ? { value: typed.toLowerCase() } : { problem: { kind: "bad-registry", command, typed } },
  ),
  operation: one((typed, { command }) =>
    isOperationId(typed) ? { value: typed } : { problem: { kind: "bad-operation", command, typed } },
  ),
};

/** Kinds of arguments that take all remaining words. */
const takesRest: ReadonlySet<ArgumentKind> = new Set<ArgumentKind>(["command", "nodes", "nodes-or-pool"]);

/** Values of optional arguments that were not typed. */
const defaults: Readonly<Partial<Record<ArgumentKind, unknown>>> = {
  count: 1,
  command: null,
  audited: null,
  pool: null,
  registry: null,
  "nodes-or-pool": { kind: "all" },
};

const absent = ({ command, chosen, namesPool }: Context, argument: Argument): ReadResult => {
  if (!argument.required && !namesPool) return { value: defaults[argument.kind] };
  const isReplaced = argument.unless !== undefined && chosen[argument.unless] === true;
  return isReplaced ? { value: { kind: "all" } } : { problem: { kind: "missing", command, argument } };
};

/**
 * Parses the arguments of a command.
 * @param words the words after the command's own, without options
 * @returns the request's fields
 */
export function readArguments(words: readonly Word[], context: Context): ReadResult<Readonly<Record<string, unknown>>> {
  const value: Record<string, unknown> = {};
  let left = words;
  for (const argument of context.command.arguments) {
    const taken = takesRest.has(argument.kind) ? left : left.slice(0, 1);
    const reading = taken.length > 0 ? readers[argument.kind](taken, context) : absent(context, argument);
    if ("problem" in reading) return reading;
    value[argument.field ?? argument.name] = reading.value;
    left = left.slice(taken.length);
  }
  const [extra] = left;
  const tooMuch = (typed: string): Problem => ({ kind: "too-much", command: context.command, typed });
  return extra === undefined ? { value } : { problem: tooMuch(extra.text) };
}
