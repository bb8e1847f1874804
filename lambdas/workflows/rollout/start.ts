import type { PublishedMessage } from "../../records.ts";
import type { OperationSettings } from "../operation/op.ts";

/** A rollout that an execution works on. */
export interface RolloutWork {
  readonly begun: OperationSettings;
  readonly published: PublishedMessage;
}
