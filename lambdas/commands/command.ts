import type { Originated } from "../origin.ts";

/** Meaning of a word of a command: decides how it is parsed, completed and explained. */
export type ArgumentKind = "command" | "pool" | "count" | "node" | "nodes" | "nodes-or-pool" | "operation" | "audited";

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
  /** Option without a value that stands in for it: with it a required argument may be left out. */
  readonly unless?: string;
}

interface OptionWords {
  /** The word typed behind two hyphens: "dry-run". */
  readonly option: string;
  /** Field of the request, where it is not called by that word. */
  readonly field?: string;
  /** One phrase for help, such as "number of nodes drained at once". */
  readonly means: string;
}

interface Flag extends OptionWords {
  readonly kind: "flag";
  /** Values that mean the same as none: kubectl's `--dry-run=server`. */
  readonly values?: readonly string[];
}

interface CountOption extends OptionWords {
  readonly kind: "count";
  /** The greatest value; the least is 1. */
  readonly most: number;
}

interface TextOption extends OptionWords {
  readonly kind: "text";
  /** Characters, which keep their own case. */
  readonly most: number;
}

/** One option, typed anywhere behind the command: `--dry-run`, `--max 2`, `--reason "Patch Tuesday"`. */
export type Option = Flag | CountOption | TextOption;

/** The nodes that a command is about: named one by one, or all of a pool. */
export type Targets =
  | { readonly kind: "nodes"; readonly nodes: readonly string[] }
  | { readonly kind: "pool"; readonly pool: string };

/** Effect of a command: "answer" is computed in the front door, "look" reads, "change" is an operation, "decide" answers one, "steer" pauses one or lets it go on. */
export type Effect = "answer" | "look" | "change" | "cancel" | "decide" | "steer";

/** One command as data: help, completion, docs, functions and sandbox are derived from it. */
export interface Command {
  /** The name itself, and the key of the policy: "add". */
  readonly name: string;
  /** kubectl's ways to say the same: "get nodes". */
  readonly also: readonly string[];
  readonly arguments: readonly Argument[];
  readonly options: readonly Option[];
  readonly effect: Effect;
  /** The durable function that runs it, by its file name in workflows/; null when the front door answers alone. */
  readonly workflow: string | null;
  /** The durable function that runs it on several nodes or a pool; such a command has an argument `targets`. */
  readonly workflowOfMany?: string;
  /** Opens a dialog at once (Slack allows three seconds), filled in by the workflow. */
  readonly dialog: boolean;
  /** One line for the list of commands. */
  readonly summary: string;
  /** A paragraph for `help <command>` and the docs. */
  readonly detail: string;
  readonly examples: readonly string[];
}

/** Beginning of work that disturbs nodes, as it was typed; without either in the next maintenance window of the pool. */
interface Timed {
  /** A date, such as "Sat 02:00". */
  readonly at?: string;
  /** Reason for which the window is not waited for. */
  readonly now?: string;
}

/** A reboot of several nodes, one after another or a few at once. */
export interface RolloutRequest extends Timed {
  readonly command: "reboot";
  readonly targets: Targets | { readonly kind: "all" };
  /** Of the targets those alone whose Windows waits for a reboot. */
  readonly due?: true;
  readonly dryRun: boolean;
  /** Nodes that are away at once at most; the pool's own bound holds too. */
  readonly max?: number;
  /** Waits for a person once the first node is proven. */
  readonly canary: boolean;
  readonly reason?: string;
}

/** A parsed request: plain data, shown by a dry run, acted on elsewhere. `node` is as typed: it is resolved later. */
export type Request =
  | { readonly command: "help"; readonly topic: string | null }
  | { readonly command: "nodes" }
  | { readonly command: "node"; readonly node: string }
  | { readonly command: "why"; readonly node: string }
  | {
      readonly command: "add";
      readonly pool: string;
      readonly count: number;
      readonly dryRun: boolean;
      readonly reason?: string;
    }
  | ({
      readonly command: "remove";
      readonly node: string;
      readonly dryRun: boolean;
      readonly breakGlass?: string;
      readonly reason?: string;
    } & Timed)
  | { readonly command: "cordon"; readonly node: string; readonly dryRun: boolean; readonly reason?: string }
  | {
      readonly command: "uncordon";
      readonly node: string;
      readonly dryRun: boolean;
      /** The node's whole name, typed again: a quarantine is taken off. */
      readonly quarantined?: string;
      readonly reason?: string;
    }
  | ({
      readonly command: "drain";
      readonly node: string;
      readonly dryRun: boolean;
      /** The node's whole name, typed again: losses that are shown are taken. */
      readonly force?: string;
      /** Reason for which the approval is not awaited. */
      readonly breakGlass?: string;
      readonly reason?: string;
    } & Timed)
  | ({
      readonly command: "reboot";
      readonly node: string;
      readonly dryRun: boolean;
      /** The node's whole name, typed again: losses that are shown are taken. */
      readonly force?: string;
      /** Reason for which the approval is not awaited. */
      readonly breakGlass?: string;
      /** Through EC2 where the machine takes no command. */
      readonly ec2?: boolean;
      readonly reason?: string;
    } & Timed)
  | {
      readonly command: "assist";
      readonly node: string;
      readonly dryRun: boolean;
      /** Ends the assistance. */
      readonly end: boolean;
      readonly reason?: string;
    }
  | { readonly command: "guard"; readonly targets: Targets; readonly dryRun: boolean; readonly reason?: string }
  | RolloutRequest
  | { readonly command: "prove"; readonly node: string; readonly reason?: string }
  /** `pool` is null for the whole cluster; `for` is a duration and `until` a time, as they were typed. */
  | {
      readonly command: "freeze";
      readonly pool: string | null;
      readonly for?: string;
      readonly until?: string;
      readonly reason?: string;
    }
  | { readonly command: "thaw"; readonly pool: string | null }
  | {
      readonly command: "hold";
      readonly targets: Targets;
      readonly for?: string;
      readonly until?: string;
      readonly reason?: string;
    }
  | { readonly command: "unhold"; readonly targets: Targets }
  | { readonly command: "operations" }
  | { readonly command: "doctor" }
  | { readonly command: "audit"; readonly of: string | null; readonly days?: number }
  | { readonly command: "cancel" | "pause" | "resume"; readonly operation: string }
  | { readonly command: "approve"; readonly operation: string }
  | { readonly command: "deny"; readonly operation: string; readonly reason?: string }
  /** Asked for by a schedule alone. */
  | { readonly command: "authority" };

/** Reason of a request, in the requester's words; null where nothing was said. */
export const reasonOf = (request: Request): string | null => ("reason" in request && request.reason) || null;

/** Reason for which a request does not wait for its approval; null where it waits. */
export const breakGlassOf = (request: Request): string | null =>
  ("breakGlass" in request && request.breakGlass) || null;

/** Date for which a request asks, as it was typed; null where it names none. */
export const dateOf = (request: Request): string | null => ("at" in request && request.at) || null;

/** Reason for which a request waits for no maintenance window; null where it waits. */
export const nowOf = (request: Request): string | null => ("now" in request && request.now) || breakGlassOf(request);

/** Is it a reboot of several nodes? */
export const isRollout = (request: Request): request is RolloutRequest =>
  request.command === "reboot" && "targets" in request;

/** The pool that a request names; undefined where it names none. */
export function poolNamed(request: Request): string | undefined {
  if ("pool" in request) return request.pool ?? undefined;
  return "targets" in request && request.targets.kind === "pool" ? request.targets.pool : undefined;
}

/** Is a request only to show what would happen? */
export const isDryRun = (request: Request): boolean => "dryRun" in request && request.dryRun;

/**
 * Whole payload that starts a workflow. No time and no randomness in it, so that a repeated delivery
 * is the same start.
 */
export interface Start extends Originated {
  /** Operation id: "add-3f9c2a71", derived from cluster, command and what started it. */
  readonly operation: string;
  readonly request: Request;
  /** Unix seconds, counted from the record's `requestedAt`: an asynchronous start delivered later than this does nothing. */
  readonly notAfter: number;
  /** Set where the execution works on one node of a rollout, as `operation` names it. */
  readonly part?: Part;
  /** Number of this execution among those of the operation, from 2; left out for the first one. */
  readonly continues?: number;
  /** Times that its node was begun and put back before, as the execution has found out. */
  readonly again?: number;
}

/** One node of a rollout. */
export interface Part {
  /** Index of its record among the operation's nodes. */
  readonly index: number;
  /** UID of the Node: a namesake is not meant. */
  readonly uid: string;
  /** It was approved that EC2 reboots the machine, as long as its agent is silent. */
  readonly throughEc2?: boolean;
}

/** The external id of an operation's dialog: the front door opens it, the workflow fills it in by this name. */
export const dialogOf = (operation: string): string => `dialog-${operation}`;
