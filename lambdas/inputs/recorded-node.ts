import type { SeenMachine } from "../machine/seen-machine.ts";
import type { SentInput } from "../records/machine-record.ts";

/** A node with the records of its machine about one input. */
export interface RecordedNode {
  readonly node: string;
  readonly sent: SentInput | undefined;
  readonly seen: SeenMachine | undefined;
}
