import { code } from "../slack/text.ts";

/** Reason why an operation does not begin that the front door has not accepted. */
export const notAccepted = (operation: string): string =>
  `the front door has no record of ${code(operation)}; if it was requested before an upgrade, run the command again`;

/** Reason why a removal is not continued that was never confirmed. */
export const neverConfirmed = (operation: string): string =>
  `${code(operation)} was not confirmed in its dialog; run the command again`;
