import type { NodeWork } from "../../records/node-work.ts";
import type { NodeRecord } from "../../records/records.ts";
import type { Steps } from "../../steps/steps.ts";

/** Reads the record of an operation's work on one node; undefined if there is none. Belongs into a step or a poll. */
export const workRecord = async (steps: Steps, { operation, index }: NodeWork): Promise<NodeRecord | undefined> =>
  (await steps.ledger.nodes(operation)).find((one) => one.index === index);
