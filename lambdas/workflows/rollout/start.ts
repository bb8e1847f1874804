import type { Published } from "../../records.ts";
import type { Begun } from "../operation/lifecycle.ts";

/** A rollout that an execution works on. */
export interface RolloutWork {
  readonly begun: Begun;
  readonly published: Published;
}
