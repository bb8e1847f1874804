import type { Start } from "../../commands/command.ts";
import type { Published } from "../../records.ts";
import type { Begun } from "../operation/lifecycle.ts";

/** Payload of an execution that works on a rollout. */
export interface RolloutStart extends Start {
  /** Number of this execution among those that work on the rollout, from 2; left out for the first one. */
  readonly continues?: number;
}

/** A rollout that an execution works on. */
export interface RolloutWork {
  readonly begun: Begun;
  readonly published: Published;
}
