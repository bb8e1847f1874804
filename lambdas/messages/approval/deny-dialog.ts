import type { Message } from "../../records/records.ts";
import { plainText, section } from "../slack/blocks.ts";
import { DENY_DIALOG } from "../slack/buttons.ts";
import { code } from "../slack/text.ts";

/** Block and action id of the field for the reason. */
export const DENY_REASON = "reason";

/** Purpose of a dialog that asks for a reason: to deny a plan, to review what was done, to run without an approval. */
export type ReasonDialog = "deny" | "review" | "run";

/** Title, button and effect of each. */
const words: Readonly<Record<ReasonDialog, readonly [string, string, string]>> = {
  deny: ["Deny the plan", "Deny", "ends, and nothing is changed."],
  review: ["Review", "Raise a concern", "gets a review that raises a concern. What was done stays as it is."],
  run: [
    "Run without approval",
    "Run now",
    "is cancelled, and the same change starts now in your name, without an approval or a window. The approvers are called, and review it.",
  ],
};

const frame = (asking: string, title: string) => ({
  type: "modal",
  callback_id: DENY_DIALOG,
  private_metadata: asking,
  title: plainText(title),
  close: plainText("Back"),
});

/**
 * Dialog that asks for the reason of a denial or of a review that raises a concern, which may be left out, or for that of
 * a change without approval.
 * @param asking as `askingOf` names it
 */
export function denyDialog(operation: string, asking: string, purpose: ReasonDialog): object {
  const [title, submit, effect] = words[purpose];
  const isRun = purpose === "run";
  return {
    ...frame(isRun ? `run ${asking}` : asking, title),
    submit: plainText(submit),
    blocks: [
      section(`${code(operation)} ${effect}`),
      {
        type: "input",
        block_id: DENY_REASON,
        optional: !isRun,
        label: plainText("Reason, shown in the operation's message"),
        element: { type: "plain_text_input", action_id: DENY_REASON, max_length: 200 },
      },
    ],
  };
}

/** Dialog that replaces the first one, with what became of the answer. */
export const denyNotice = (asking: string, { blocks }: Message): object => ({
  ...frame(asking, "Check the operation"),
  blocks,
});
