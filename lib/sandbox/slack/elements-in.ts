import { isObject, type Json } from "./block-kit/check.ts";

/** An interactive element of a message or view. */
export interface Element {
  readonly type: string;
  readonly blockId: string;
  readonly actionId: string;
  readonly json: Json;
}

const parts = (block: Json): unknown[] => [
  block.accessory,
  block.element,
  ...(block.type === "actions" && Array.isArray(block.elements) ? block.elements : []),
];

/** All interactive elements of these blocks. */
export const elementsIn = (blocks: readonly Json[]): Element[] =>
  blocks.flatMap((block) =>
    parts(block)
      .filter(isObject)
      .filter((part) => typeof part.action_id === "string")
      .map((part) => ({
        type: String(part.type),
        blockId: String(block.block_id),
        actionId: String(part.action_id),
        json: part,
      })),
  );

/** The one that a person means; undefined when it is not there. */
export const elementNamed = (
  blocks: readonly Json[],
  { actionId, blockId }: { readonly actionId: string; readonly blockId?: string },
): Element | undefined =>
  elementsIn(blocks).find((one) => one.actionId === actionId && (blockId === undefined || one.blockId === blockId));

const optionsOf = ({ json }: Element): Json[] => {
  const groups = Array.isArray(json.option_groups) ? json.option_groups.filter(isObject) : [];
  return [json, ...groups].flatMap((holder) => (Array.isArray(holder.options) ? holder.options.filter(isObject) : []));
};

/** Input of a person: text, an option's value, or several. */
export type Input = string | readonly string[];

type Reading = (element: Element, input: Input | undefined) => Json | undefined;

const oneOption: Reading = (element, input) => {
  const option = optionsOf(element).find((one) => one.value === input);
  return option && { selected_option: option };
};

const readings: Readonly<Record<string, Reading>> = {
  button: ({ json }) => ("value" in json ? { value: json.value } : {}),
  static_select: oneOption,
  overflow: oneOption,
  radio_buttons: oneOption,
  checkboxes: (element, input) => {
    const wanted = typeof input === "string" ? [input] : (input ?? []);
    const chosen = optionsOf(element).filter((one) => wanted.includes(String(one.value)));
    return chosen.length === wanted.length ? { selected_options: chosen } : undefined;
  },
  plain_text_input: (_, input) => (typeof input === "string" ? { value: input } : undefined),
};

/**
 * Value that an element sends to the app after a person used it.
 * @returns `value`, `selected_option` or `selected_options`; undefined when the element does not offer that input
 */
export const chosenIn: Reading = (element, input) => readings[element.type]?.(element, input);

const untouched: Readonly<Record<string, (json: Json) => Json>> = {
  plain_text_input: ({ initial_value }) => ({ value: initial_value ?? null }),
  checkboxes: ({ initial_options }) => ({ selected_options: initial_options ?? [] }),
};

/** Value that an input holds until a person touches it: its initial one, or the value by which Slack says nothing. */
export const initialIn = ({ type, json }: Element): Json =>
  untouched[type]?.(json) ?? { selected_option: json.initial_option ?? null };
