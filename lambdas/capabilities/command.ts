/** Meaning of a word of a command; decides how the word is parsed, completed and explained. */
export type ArgumentKind =
  | "command"
  | "pool"
  | "count"
  | "node"
  | "nodes"
  | "nodes-or-pool"
  | "operation"
  | "audited"
  | "registry";

/** One positional argument. */
export interface Argument {
  /** Name as people read it: "[count]". */
  readonly name: string;
  /** Field of the request, if it has another name. */
  readonly field?: string;
  readonly kind: ArgumentKind;
  readonly required: boolean;
  /** One phrase for help: "how many, 1 by default". */
  readonly means: string;
  /** Option without a value that makes the required argument optional. */
  readonly unless?: string;
}

interface OptionWords {
  /** Word after the two hyphens: "dry-run". */
  readonly option: string;
  /** Field of the request, if it has another name. */
  readonly field?: string;
  /** One phrase for help, such as "number of nodes drained at once". */
  readonly means: string;
  /** Form of the command that has the option: the one for one node, or the one for several. */
  readonly of?: "one" | "several";
}

interface Flag extends OptionWords {
  readonly kind: "flag";
  /** Values that mean the same as the bare flag, such as kubectl's `--dry-run=server`. */
  readonly values?: readonly string[];
  /** Omits its field from the request if it was not typed; other flags are then false. */
  readonly sparse?: true;
}

interface CountOption extends OptionWords {
  readonly kind: "count";
  /** Maximum; the minimum is 1. */
  readonly most: number;
}

interface TextOption extends OptionWords {
  readonly kind: "text";
  /** Its value in forms, as people type it: `"<reason>"`. */
  readonly value: string;
  /** Maximum number of characters; the text keeps its case. */
  readonly most: number;
}

/** One option, typed anywhere after the command: `--dry-run`, `--max 2`, `--reason "Patch Tuesday"`. */
export type Option = Flag | CountOption | TextOption;

/** Nodes of a command: named one by one, or all nodes of a pool. */
export type Targets =
  | { readonly kind: "nodes"; readonly nodes: readonly string[] }
  | { readonly kind: "pool"; readonly pool: string };

/** Effect of a command: "answer" is computed in the front door, "look" reads, "change" is an operation, "decide" answers one, "steer" pauses one or lets it go on. */
export type Effect = "answer" | "look" | "change" | "cancel" | "decide" | "steer";

/** One command as data: parser, help, completion, docs, functions and sandbox are derived from it. */
export interface Command<Name extends string = string, Workflow extends string = string> {
  /** The name itself, and the key of the policy: "add". */
  readonly name: Name;
  /** Aliases, such as kubectl's "get nodes". */
  readonly also: readonly string[];
  /** Words of other tools that may mean it: it is suggested after them. */
  readonly meantBy?: readonly string[];
  readonly arguments: readonly Argument[];
  readonly options: readonly Option[];
  readonly effect: Effect;
  /** The durable function that runs it; null if only the front door answers. */
  readonly workflow: Workflow | null;
  /** Durable function that runs it on several nodes or a pool; such a command has an argument `targets`. */
  readonly workflowOfMany?: Workflow | undefined;
  /** Opens a dialog immediately (Slack allows three seconds); the workflow fills it in. */
  readonly dialog: boolean;
  /** Names a request in a few words, not escaped: "Add 2 nodes to web". */
  readonly title: (request: never) => string;
  /** One line for the list of commands. */
  readonly summary: string;
  /** A paragraph for `help <command>` and the docs. */
  readonly detail: string;
  readonly examples: readonly string[];
}

/** An operation that only a schedule requests. */
export interface ScheduledOperation<Name extends string = string> {
  readonly name: Name;
  readonly title: () => string;
}

/** Value of each kind of argument. */
interface ArgumentValues {
  readonly command: string;
  readonly pool: string;
  readonly count: number;
  readonly node: string;
  readonly nodes: readonly string[];
  readonly "nodes-or-pool": Targets;
  readonly operation: string;
  readonly audited: string;
  readonly registry: string;
}

/** Value of an argument that was not typed, by its kind; other kinds have none. */
interface AbsentValues {
  readonly command: null;
  readonly pool: null;
  readonly count: number;
  readonly audited: null;
  readonly registry: null;
  readonly "nodes-or-pool": { readonly kind: "all" };
}

type AbsentValue<A extends Argument> = A extends { readonly unless: string }
  ? { readonly kind: "all" }
  : A["required"] extends true
    ? never
    : A["kind"] extends keyof AbsentValues
      ? AbsentValues[A["kind"]]
      : undefined;

type FieldOf<Word, Name> = Word extends { readonly field: infer Field extends string } ? Field : Name & string;

type ArgumentFields<A extends Argument> = {
  readonly [One in A as FieldOf<One, One["name"]>]: ArgumentValues[One["kind"]] | AbsentValue<One>;
};

type DenseFlag<O extends Option> = O extends { readonly sparse: true } ? never : Extract<O, { readonly kind: "flag" }>;

interface OptionValues {
  readonly flag: true;
  readonly count: number;
  readonly text: string;
}

type OptionFields<O extends Option> = {
  readonly [One in DenseFlag<O> as FieldOf<One, One["option"]>]: boolean;
} & {
  readonly [One in Exclude<O, DenseFlag<O>> as FieldOf<One, One["option"]>]?: OptionValues[One["kind"]];
};

type Flat<T> = { readonly [Field in keyof T]: T[Field] };

type Form<Name extends string, Fields> = Flat<{ readonly command: Name } & Fields>;

/** Types of a command that decide the fields of its request. */
interface Spelling {
  readonly name: string;
  readonly argument: Argument;
  readonly option: Option;
  /** Function that runs it on several nodes; undefined for a command with one form. */
  readonly workflowOfMany: string | undefined;
}

type Fields<S extends Spelling> = ArgumentFields<S["argument"]> & OptionFields<S["option"]>;

/** Fields of a request for several nodes or a pool, if the command has another form for one node. */
type FieldsOfMany<S extends Spelling> = ArgumentFields<S["argument"]> &
  OptionFields<Exclude<S["option"], { readonly of: "one" }>>;

interface OfOne {
  readonly node: string;
}

type FieldsOfOne<S extends Spelling> = OfOne & OptionFields<Exclude<S["option"], { readonly of: "several" }>>;

type SpelledRequest<S extends Spelling> = [S["workflowOfMany"]] extends [string]
  ? Form<S["name"], FieldsOfOne<S>> | Form<S["name"], FieldsOfMany<S>>
  : Form<S["name"], Fields<S>>;

/** Request of a command, derived from its arguments and options. The parser creates it and the ledger stores it. */
export type RequestOf<C extends Command> = C extends { readonly title: (request: infer Request) => string }
  ? Request
  : never;

interface Declared<
  Name extends string,
  Arguments extends readonly Argument[],
  Options extends readonly Option[],
  Does extends Effect,
  Workflow extends string | null,
  OfMany extends string | undefined,
> extends Pick<Command, "also" | "meantBy" | "dialog" | "summary" | "detail" | "examples"> {
  readonly name: Name;
  readonly arguments: Arguments;
  readonly options: Options;
  readonly effect: Does;
  readonly workflow: Workflow;
  readonly workflowOfMany?: OfMany;
  readonly title: (
    request: SpelledRequest<{
      name: Name;
      argument: Arguments[number];
      option: Options[number];
      workflowOfMany: OfMany;
    }>,
  ) => string;
}

/** Declares a command. Its title takes the request that its arguments and options make. */
export const command = <
  const Name extends string,
  const Arguments extends readonly Argument[],
  const Options extends readonly Option[],
  const Does extends Effect,
  const Workflow extends string | null,
>(
  row: Declared<Name, Arguments, Options, Does, Workflow, undefined>,
): typeof row => row;

/** Declares a command with two forms: one for one node, one for several or a pool. */
export const commandOfMany = <
  const Name extends string,
  const Arguments extends readonly Argument[],
  const Options extends readonly Option[],
  const Does extends Effect,
  const Workflow extends string,
  const OfMany extends string,
>(
  row: Declared<Name, Arguments, Options, Does, Workflow, OfMany>,
): typeof row => row;
