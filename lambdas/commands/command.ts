/** Meaning of a word of a command: decides how it is parsed, completed and explained. */
export type ArgumentKind = "command" | "pool" | "count" | "node" | "operation";

/** One positional argument. */
export interface Argument {
  /** Name that people read: "[count]". */
  readonly name: string;
  /** Field of the request, where it is not called by that name. */
  readonly field?: string;
  readonly kind: ArgumentKind;
  readonly required: boolean;
  /** One phrase for help: "how many, 1 by default". */
  readonly means: string;
}

/** Effect of a command: "answer" is computed in the front door, "look" reads, "change" is an operation. */
export type Effect = "answer" | "look" | "change" | "cancel";

/** One command as data: help, completion, docs, functions and sandbox are derived from it. */
export interface Command {
  /** The word itself, and the key of the policy: "add". */
  readonly name: string;
  /** kubectl's ways to say the same: "get nodes". */
  readonly also: readonly string[];
  readonly arguments: readonly Argument[];
  /** Accepts --dry-run: shows what would happen, changes nothing. */
  readonly dryRun: boolean;
  readonly effect: Effect;
  /** The durable function that does it, by its file name in workflows/; null when the front door answers alone. */
  readonly workflow: string | null;
  /** Opens a dialog at once (Slack allows three seconds), filled in by the workflow. */
  readonly dialog: boolean;
  /** One line for the list of commands. */
  readonly summary: string;
  /** A paragraph for `help <command>` and the docs. */
  readonly detail: string;
  readonly examples: readonly string[];
}

/** A parsed request: plain data, shown by a dry run, acted on elsewhere. `node` is as typed: it is resolved later. */
export type Request =
  | { readonly command: "help"; readonly topic: string | null }
  | { readonly command: "nodes" }
  | { readonly command: "node"; readonly node: string }
  | { readonly command: "add"; readonly pool: string; readonly count: number; readonly dryRun: boolean }
  | { readonly command: "remove"; readonly node: string; readonly dryRun: boolean }
  | { readonly command: "operations" }
  | { readonly command: "doctor" }
  | { readonly command: "cancel"; readonly operation: string };

/** Is a request only to show what would happen? */
export const isDryRun = (request: Request): boolean => "dryRun" in request && request.dryRun;

/** The asker of a request, with the place it came from. */
export interface Asker {
  readonly userId: string;
  readonly userName: string;
  readonly channel: string;
}

/**
 * Whole payload that starts a workflow. No time and no randomness in it, so that a repeated delivery
 * is the same start.
 */
export interface Start {
  /** Operation id: "add-3f9c2a71", derived from cluster, command and what started it. */
  readonly operation: string;
  readonly request: Request;
  readonly asker: Asker;
  /** Unix seconds, counted from the record's `requestedAt`: an asynchronous start delivered later than this does nothing. */
  readonly notAfter: number;
}

/** The external id of an operation's dialog: the front door opens it, the workflow fills it in by this name. */
export const dialogOf = (operation: string): string => `dialog-${operation}`;
