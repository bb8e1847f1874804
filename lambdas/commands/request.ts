import type { RequestOf } from "../capabilities/command.ts";
import type { capabilities } from "../capabilities/list.ts";
import type { PartOf } from "../capabilities/registry.ts";
import type { OriginFields } from "../records/origin.ts";

type DeclaredCommand = PartOf<typeof capabilities, "commands">[number];

/** Name of a command. */
export type CommandName = DeclaredCommand["name"];

/** Name of a command that only reads. */
export type LookName = Extract<DeclaredCommand, { readonly effect: "look" }>["name"];

/** A parsed request, as plain data. `node` is the typed text; the workflow finds the node. */
export type Request =
  | RequestOf<DeclaredCommand>
  | { readonly command: PartOf<typeof capabilities, "scheduled">["name"] };

/** A reboot of several nodes or a restart of their services, one after another or a few in parallel. */
export type RolloutRequest = Extract<Request, { readonly command: "reboot" | "restart"; readonly targets: unknown }>;

/** Command of a rollout. */
export type RolloutCommand = RolloutRequest["command"];

/** Reason of a request, in the requester's words; null if none was given. */
export const reasonOf = (request: Request): string | null => ("reason" in request && request.reason) || null;

/** Reason why a request does not wait for its approval; null if it waits. */
export const breakGlassOf = (request: Request): string | null =>
  ("breakGlass" in request && request.breakGlass) || null;

/** Requested date, as it was typed; null if the request has none. */
export const dateOf = (request: Request): string | null => ("at" in request && request.at) || null;

/** Reason why a request does not wait for a maintenance window; null if it waits. */
export const nowOf = (request: Request): string | null => ("now" in request && request.now) || breakGlassOf(request);

/** Is it a reboot of several nodes, or a restart of their services? */
export const isRollout = (request: Request): request is RolloutRequest =>
  (request.command === "reboot" || request.command === "restart") && "targets" in request;

/** Does the request accept the loss of pods and of their local data? */
export const isForced = (request: Request): boolean => "force" in request && request.force !== undefined;

/** The command that a rollout carries out on each of its nodes. */
export const rolloutCommand = ({ command }: Request): RolloutCommand => (command === "restart" ? command : "reboot");

/** The pool that a request names; undefined if it names none. */
export function poolNamed(request: Request): string | undefined {
  if ("pool" in request) return request.pool ?? undefined;
  return "targets" in request && request.targets.kind === "pool" ? request.targets.pool : undefined;
}

/** Does a request only show what would happen? */
export const isDryRun = (request: Request): boolean => "dryRun" in request && request.dryRun;

/**
 * The payload that starts a workflow. It contains neither the current time nor anything random, so that a repeated
 * delivery is the same start.
 */
export interface Start extends OriginFields {
  /** Operation id: "add-3f9c2a71", derived from cluster, command and cause. */
  readonly operation: string;
  readonly request: Request;
  /** Unix seconds, derived from the record's `requestedAt`: a start that Lambda delivers later does nothing. */
  readonly notAfter: number;
  /** Set if the execution works on one node of the rollout `operation`. */
  readonly part?: RolloutPart;
  /** Number of this execution among the operation's executions, from 2; absent for the first one. */
  readonly continues?: number;
  /** Number of earlier attempts on its node that were rolled back, as this execution has found out. */
  readonly again?: number;
}

/** One node of a rollout. */
export interface RolloutPart {
  /** Index of its record among the operation's nodes. */
  readonly index: number;
  /** UID of the Node, which distinguishes it from a later Node of the same name. */
  readonly uid: string;
  /** Does the approved plan reboot the machine through EC2 while its agent is silent? */
  readonly throughEc2?: boolean;
}

/**
 * The external id of an operation's dialog: the front door opens the dialog, and the workflow updates it by this id.
 */
export const dialogOf = (operation: string): string => `dialog-${operation}`;
