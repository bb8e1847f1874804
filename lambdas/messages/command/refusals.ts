import type { Message } from "../../records/records.ts";
import { say } from "../slack/blocks.ts";
import { code, mentionOf, plain, some } from "../slack/text.ts";
import { typeThis } from "./syntax.ts";

/** Reason why a person's command is rejected. */
export type Refusal =
  | { readonly kind: "workspace" | "guest" | "bot" | "shared-channel" }
  | { readonly kind: "channel"; readonly channel: string; readonly cluster: string }
  | { readonly kind: "policy"; readonly command: string; readonly allowed?: readonly string[] }
  | { readonly kind: "unknown-groups"; readonly command: string }
  | { readonly kind: "unreadable"; readonly command: string; readonly pools: readonly string[] };

/** Sentence about pools whose rules cannot be read. */
export const unreadableRules = (pools: readonly string[]): string =>
  `Casement cannot read the rules of ${pools.length === 1 ? "pool" : "pools"} ${some(pools.map(code), 20)}, so no one may act on ${pools.length === 1 ? "its" : "their"} nodes.`;

/** Sentence about a roster that is missing or too old. */
export const groupsUnknown =
  "Casement cannot tell who is in your user groups: it has read none from Slack in the last 30 minutes.";

const refusals: { readonly [K in Refusal["kind"]]: (of: Extract<Refusal, { kind: K }>) => string } = {
  workspace: () => "Only members of Casement's own workspace can use it. Nothing was changed.",
  guest: () => "Guests cannot use Casement. Nothing was changed. Ask a full member who has the role.",
  bot: () => "Bots cannot use Casement. Nothing was changed.",
  "shared-channel": () =>
    "Casement does not work in channels that are shared with another organisation. Use an internal channel.",
  channel: ({ channel, cluster }) =>
    `${plain(cluster)} is managed in <#${plain(channel, 40)}>. Run ${typeThis("…")} there.`,
  unreadable: ({ command, pools }) =>
    `${unreadableRules(pools)} ${code(command)} was refused and nothing was changed. ${typeThis("doctor")} shows the fault.`,
  "unknown-groups": ({ command }) =>
    `${groupsUnknown} ${code(command)} was refused and nothing was changed. Try again in five minutes. If it is refused again, see docs/runbook.md#event-errors; freezing works from the terminal.`,
  policy: ({ command, allowed = [] }) => {
    const ask = allowed.length > 0 ? `Ask ${some(allowed.map(mentionOf), 5)}, who may. ` : "";
    return `You do not have permission to use ${code(command)}. Nothing was changed. ${ask}${typeThis("help")} shows what you can use; roles are granted under \`people\` in Casement's configuration.`;
  },
};

/** Reason, in the ledger, of a refusal by the policy. */
export const noRole = (command: string): string => `no role allows ${command}`;

/** Private message to the person whose command is rejected. */
export const refusalMessage = (refusal: Refusal): Message =>
  say((refusals[refusal.kind] as (of: Refusal) => string)(refusal));
