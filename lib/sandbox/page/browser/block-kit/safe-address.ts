import { RUNBOOK_ADDRESS, RUNBOOK_PATH } from "../../runbook-address.ts";

/** Lets through only addresses that a click may safely follow; the demo's runbook lies on this page's own port. */
export function safe(url: string): string {
  if (url.startsWith(RUNBOOK_ADDRESS)) return `${RUNBOOK_PATH}${url.slice(RUNBOOK_ADDRESS.length)}`;
  return /^(?:https?|mailto):/.test(url) ? url : "#";
}
