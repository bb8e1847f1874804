import type { Message } from "../../records/records.ts";
import { alreadyEnded, type Cancellation } from "../command/acknowledgements.ts";
import { typeThis } from "../command/syntax.ts";
import { say } from "../slack/blocks.ts";
import { code } from "../slack/text.ts";

/** Outcome of the wish to pause a rollout or to let it go on, as the front door can tell it. */
export type SteerResult =
  | { readonly kind: "unknown" | "no rollout" | "not running" | "not paused"; readonly operation: string }
  | Extract<Cancellation, { readonly kind: "ended" }>
  | {
      readonly kind: "heard";
      readonly operation: string;
      readonly decision: "pause" | "resume";
      readonly isBlocked: boolean;
    };

const answers: { readonly [K in SteerResult["kind"]]: (of: Extract<SteerResult, { kind: K }>) => string } = {
  unknown: ({ operation }) =>
    `Operation ${code(operation)} not found. ${typeThis("operations")} lists recent operations.`,
  "no rollout": ({ operation }) =>
    `${code(operation)} is no rollout over several nodes, so there is nothing to pause or resume. To stop it: ${typeThis("cancel", operation)}.`,
  ended: alreadyEnded,
  "not running": ({ operation }) =>
    `${code(operation)} has not begun with its nodes, so there is nothing to pause or resume. To stop it: ${typeThis("cancel", operation)}.`,
  "not paused": ({ operation }) =>
    `${code(operation)} is not paused. Nothing was changed: a number of nodes counts for a paused rollout alone. To pause it: ${typeThis("pause", operation)}.`,
  heard: ({ operation, decision, isBlocked }) => {
    if (decision === "pause")
      return `${code(operation)} is being paused: no further node is started. Nodes whose reboot has not been sent are restored, the others are finished.`;
    return isBlocked
      ? `${code(operation)} goes on unless its pool is frozen or has no free slot. Then it stays paused, and its message says what ends that.`
      : `${code(operation)} is being resumed. Its message shows what follows.`;
  },
};

/** Private answer to a pause or a resumption, by button or by command. */
export const steerAnswer = (steered: SteerResult): Message =>
  say((answers[steered.kind] as (of: SteerResult) => string)(steered));
