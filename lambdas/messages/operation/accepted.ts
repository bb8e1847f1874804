import { code } from "../slack/text.ts";

/** Reason why an operation does not begin that no person has requested at the front door. */
export const notAccepted = (operation: string): string =>
  `the front door holds no request of ${code(operation)}: the last release took it, or nobody requested it; run the command again`;

/** Reason why a removal does not go on that nobody has confirmed. */
export const neverConfirmed = (operation: string): string =>
  `nobody has confirmed ${code(operation)} in its dialog; run the command again`;
