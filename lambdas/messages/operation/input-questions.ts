import type { InputWords } from "../../inputs/input.ts";
import type { PlanCard } from "../../records/approval.ts";
import { sections } from "../slack/blocks.ts";

/** Card of a request for approval of parts of an input. @param parts words about each part, as mrkdwn */
export const inputCard = ({ title, asks = "" }: InputWords, parts: readonly string[]): PlanCard => ({
  blocks: sections([`*${title}*: ${asks}`, ...parts]),
});

/** End of a request that was approved. */
export const inputApproved = ({ title }: InputWords): string =>
  `${title}: approved. Nodes get it within five minutes, one node first.`;
