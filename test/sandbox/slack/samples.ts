/** A plain_text object. */
export const plain = (text: string) => ({ type: "plain_text" as const, text });

/** A section of one mrkdwn text. */
export const section = (text: string) => ({ type: "section" as const, text: { type: "mrkdwn" as const, text } });

/** A row with one button to cancel. */
export const buttons = {
  type: "actions" as const,
  block_id: "operation",
  elements: [{ type: "button" as const, text: plain("Cancel"), action_id: "cancel", value: "add-1" }],
};

/** A modal without anything to fill in. */
export const modal = (more: object = {}) => ({
  type: "modal" as const,
  title: plain("Remove"),
  blocks: [section("A node")],
  ...more,
});

/** A required text input of at least three characters. */
export const reason = {
  type: "input" as const,
  block_id: "reason",
  label: plain("Why"),
  element: { type: "plain_text_input" as const, action_id: "text", min_length: 3 },
};

/** A modal that asks for a reason. */
export const removal = modal({
  callback_id: "remove",
  external_id: "dialog-remove-1",
  submit: plain("Remove"),
  notify_on_close: true,
  blocks: [section("A node"), reason],
});
