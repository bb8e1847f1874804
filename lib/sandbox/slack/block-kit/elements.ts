import { address, atLeastOne, flag, list, object, oneOf, type Shape, string, whole } from "./check.ts";
import { confirm, optionGroup, plain, plainOption, richOption } from "./composition.ts";

// Limits of this file: Block Kit reference, block elements (docs.slack.dev/reference/block-kit/block-elements).

const actionId = { action_id: string({ max: 255 }) };
const focus = { focus_on_load: flag };

const button: Shape = {
  required: { text: plain(75) },
  optional: {
    ...actionId,
    confirm,
    url: address,
    value: string({ max: 2000 }),
    style: oneOf("primary", "danger"),
    accessibility_label: string({ max: 75 }),
  },
};

const staticSelect: Shape = {
  optional: {
    ...actionId,
    ...focus,
    confirm,
    placeholder: plain(150),
    options: list(plainOption, { max: 100 }),
    option_groups: list(optionGroup, { max: 100 }),
    initial_option: plainOption,
  },
  rule: atLeastOne("options", "option_groups"),
};

const overflow: Shape = {
  required: { options: list(plainOption, { max: 5 }) },
  optional: { ...actionId, confirm },
};

const checkboxes: Shape = {
  required: { options: list(richOption, { max: 10 }) },
  optional: { ...actionId, ...focus, confirm, initial_options: list(richOption, { max: 10 }) },
};

const radioButtons: Shape = {
  required: { options: list(richOption, { max: 10 }) },
  optional: { ...actionId, ...focus, confirm, initial_option: richOption },
};

const plainTextInput: Shape = {
  optional: {
    ...actionId,
    ...focus,
    placeholder: plain(150),
    initial_value: string({ min: 0, max: 3000 }),
    multiline: flag,
    min_length: whole(0, 3000),
    max_length: whole(1, 3000),
    dispatch_action_config: object({
      required: { trigger_actions_on: list(oneOf("on_enter_pressed", "on_character_entered"), { max: 2 }) },
    }),
  },
};

const image: Shape = { required: { image_url: address, alt_text: string({ max: 2000 }) } };

const pressable = { button, static_select: staticSelect, overflow, checkboxes, radio_buttons: radioButtons };

/** Elements an actions block may hold, by type. */
export const actionElements: Readonly<Record<string, Shape>> = pressable;

/** Elements allowed as a section's accessory. */
export const accessories: Readonly<Record<string, Shape>> = { ...pressable, image };

/** Elements an input block may hold. */
export const inputElements: Readonly<Record<string, Shape>> = {
  plain_text_input: plainTextInput,
  static_select: staticSelect,
  checkboxes,
  radio_buttons: radioButtons,
};

/** The image element, for context blocks. */
export const imageElement: Shape = image;
