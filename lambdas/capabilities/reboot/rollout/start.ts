import type { OperationSettings } from "../../../change/operation/op.ts";
import type { PublishedMessage } from "../../../records/records.ts";

/** A rollout that an execution works on. */
export interface RolloutWork {
  readonly begun: OperationSettings;
  readonly published: PublishedMessage;
}
