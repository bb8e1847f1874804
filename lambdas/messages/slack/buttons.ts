/** Action ids of the buttons, as Slack sends them back. */
export const CANCEL_OPERATION = "cancel-operation";
export const KEEP_INSTANCE = "keep-instance";
export const TERMINATE_INSTANCE = "terminate-instance";

/** Callback id of the removal's dialog. */
export const REMOVE_DIALOG = "remove-node";

/** A node of an operation as a button's value: "add-3f9c2a71:0". */
export const nodeValue = (operation: string, index: number): string => `${operation}:${index}`;

/**
 * Reads a button's value back.
 * @returns undefined for anything that is no such value
 */
export function nodeOfValue(value: string): { readonly operation: string; readonly index: number } | undefined {
  const [, operation, index] = /^([a-z]+-[0-9a-f]{8}):(\d{1,4})$/.exec(value) ?? [];
  return operation === undefined ? undefined : { operation, index: Number(index) };
}
