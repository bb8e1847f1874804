import type { Json } from "./block-kit/check.ts";
import { chosenIn, type Element, elementsIn, type Input, initialIn } from "./elements-in.ts";
import type { View } from "./view.ts";

/** A dialog as a person left it: what the app gets, or what Slack complains about beside the fields. */
export type Filled =
  | { readonly values: Readonly<Record<string, Json>> }
  | { readonly complaints: Readonly<Record<string, string>> };

const isEmpty = ({ value, selected_option, selected_options }: Json): boolean =>
  !value && !selected_option && !(Array.isArray(selected_options) && selected_options.length > 0);

/** Slack's words under a field, before anything is sent. The sentences about lengths are assumed. */
function complaintAbout(block: Json, { json }: Element, held: Json): string | undefined {
  if (isEmpty(held)) return block.optional === true ? undefined : "Please complete this required field.";
  const length = typeof held.value === "string" ? held.value.length : undefined;
  if (length === undefined) return undefined;
  if (length < Number(json.min_length ?? 0)) return `Please enter at least ${json.min_length} characters.`;
  if (length > Number(json.max_length ?? 3000)) return `Please enter at most ${json.max_length ?? 3000} characters.`;
  return undefined;
}

/**
 * Fills in a view's inputs.
 * @param inputs what the person entered, by block id
 * @returns state.values as Slack sends them, or the complaints by block id
 */
export function filledIn(view: View, inputs: Readonly<Record<string, Input>>): Filled {
  const values: Record<string, Json> = {};
  const complaints: Record<string, string> = {};
  for (const block of view.blocks.filter((one) => one.type === "input")) {
    const [element] = elementsIn([block]);
    if (!element) continue;
    const input = inputs[element.blockId];
    const chosen = input === undefined ? initialIn(element) : chosenIn(element, input);
    const complaint = chosen ? complaintAbout(block, element, chosen) : "Please choose one of the options.";
    if (complaint !== undefined) complaints[element.blockId] = complaint;
    values[element.blockId] = { [element.actionId]: { type: element.type, ...chosen } };
  }
  return Object.keys(complaints).length > 0 ? { complaints } : { values };
}
