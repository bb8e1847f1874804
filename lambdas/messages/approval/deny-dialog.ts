import type { Message } from "../../records/records.ts";
import { section } from "../slack/blocks.ts";
import { DENY_DIALOG } from "../slack/buttons.ts";
import { code } from "../slack/text.ts";

/** Block and action id of the field for the reason. */
export const DENY_REASON = "reason";

const label = (text: string): object => ({ type: "plain_text", text, emoji: false });

const frame = (asking: string, isReview = false) => ({
  type: "modal",
  callback_id: DENY_DIALOG,
  private_metadata: asking,
  title: label(isReview ? "Review" : "Deny the plan"),
  close: label("Back"),
});

/**
 * Dialog that asks why a plan is denied, or why what was done without an approval is not in order; the reason may be left out.
 * @param asking as `askingOf` names it
 */
export const denyDialog = (operation: string, asking: string, isReview = false): object => ({
  ...frame(asking, isReview),
  submit: label(isReview ? "Not in order" : "Deny"),
  blocks: [
    section(
      isReview
        ? `The review of ${code(operation)} says *not in order*. What was done stays as it is.`
        : `${code(operation)} ends, and nothing is changed.`,
    ),
    {
      type: "input",
      block_id: DENY_REASON,
      optional: true,
      label: label("Reason, shown in the operation's message"),
      element: { type: "plain_text_input", action_id: DENY_REASON, max_length: 200 },
    },
  ],
});

/** Dialog that replaces the first one when the denial had no effect. */
export const denyNotice = (asking: string, { blocks }: Message): object => ({ ...frame(asking), blocks });
