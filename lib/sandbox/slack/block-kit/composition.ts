import { address, byType, type Check, fault, flag, list, object, oneOf, type Shape, string } from "./check.ts";

// Limits of this file: Block Kit reference, composition objects (docs.slack.dev/reference/block-kit/composition-objects).

const plainText = (max: number): Shape => ({
  required: { text: string({ max }) },
  optional: { emoji: flag },
});

const mrkdwnText = (max: number): Shape => ({
  required: { text: string({ max }) },
  optional: { verbatim: flag },
});

/** A text object that must be plain_text, of at most `max` characters. */
export const plain = (max: number): Check => {
  const shape = plainText(max);
  return object({ ...shape, required: { type: oneOf("plain_text"), ...shape.required } });
};

/** A text object of either kind. Slack tries both schemas and says so before it names the fault. */
export const anyText = (max: number): Check => {
  const either = byType({ plain_text: plainText(max), mrkdwn: mrkdwnText(max) });
  return (value, pointer) => {
    const faults = either(value, pointer);
    return faults.length === 0 ? [] : [...fault("failed to match all allowed schemas", pointer), ...faults];
  };
};

/** The dialog that asks before an action. */
export const confirm: Check = object({
  required: { title: plain(100), text: anyText(300), confirm: plain(30), deny: plain(30) },
  optional: { style: oneOf("primary", "danger") },
});

const optionFields = { value: string({ max: 150 }) };

/** One choice of a select menu or (with an address) of an overflow menu. */
export const plainOption: Check = object({
  required: { text: plain(75), ...optionFields },
  optional: { description: plain(75), url: address },
});

/** One choice of checkboxes or radio buttons, which may use mrkdwn. */
export const richOption: Check = object({
  required: { text: anyText(75), ...optionFields },
  optional: { description: anyText(75) },
});

/** Choices under a heading. */
export const optionGroup: Check = object({
  required: { label: plain(75), options: list(plainOption, { max: 100 }) },
});
