import type { RequestOf } from "../capabilities/command.ts";
import type { capabilities } from "../capabilities/list.ts";
import type { PartOf } from "../capabilities/registry.ts";
import type { OriginFields } from "../records/origin.ts";

type DeclaredCommand = PartOf<typeof capabilities, "commands">[number];

/** A command by its name. */
export type CommandName = DeclaredCommand["name"];

/** A command that only reads. */
export type LookName = Extract<DeclaredCommand, { readonly effect: "look" }>["name"];

/** A parsed request: plain data, shown by a dry run, acted on elsewhere. `node` is as typed: it is resolved later. */
export type Request =
  | RequestOf<DeclaredCommand>
  | { readonly command: PartOf<typeof capabilities, "scheduled">["name"] };

/** A reboot of several nodes, one after another or a few at once. */
export type RolloutRequest = Extract<Request, { readonly command: "reboot"; readonly targets: unknown }>;

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
export interface Start extends OriginFields {
  /** Operation id: "add-3f9c2a71", derived from cluster, command and what started it. */
  readonly operation: string;
  readonly request: Request;
  /** Unix seconds, counted from the record's `requestedAt`: an asynchronous start delivered later than this does nothing. */
  readonly notAfter: number;
  /** Set where the execution works on one node of a rollout, as `operation` names it. */
  readonly part?: RolloutPart;
  /** Number of this execution among those of the operation, from 2; left out for the first one. */
  readonly continues?: number;
  /** Times that its node was begun and put back before, as the execution has found out. */
  readonly again?: number;
}

/** One node of a rollout. */
export interface RolloutPart {
  /** Index of its record among the operation's nodes. */
  readonly index: number;
  /** UID of the Node: a namesake is not meant. */
  readonly uid: string;
  /** It was approved that EC2 reboots the machine, as long as its agent is silent. */
  readonly throughEc2?: boolean;
}

/** The external id of an operation's dialog: the front door opens it, the workflow fills it in by this name. */
export const dialogOf = (operation: string): string => `dialog-${operation}`;
