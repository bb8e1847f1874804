import type { Message } from "../../records.ts";
import { say } from "../slack/blocks.ts";
import { code, plain } from "../slack/text.ts";
import { typeThis } from "./forms.ts";

/** Reason why a person is not listened to; told in private. */
export type Refusal =
  | { readonly kind: "workspace" | "guest" | "bot" | "shared-channel" }
  | { readonly kind: "channel"; readonly channel: string; readonly cluster: string }
  | { readonly kind: "policy"; readonly command: string };

const refusals: { readonly [K in Refusal["kind"]]: (of: Extract<Refusal, { kind: K }>, word: string) => string } = {
  workspace: () => "I only take commands from people of my own workspace. Nothing was done.",
  guest: () => "Guests of this workspace cannot use me. Nothing was done; a full member with the right role can.",
  bot: () => "I only take commands from people. Nothing was done.",
  "shared-channel": () =>
    "This channel is shared with another organisation, so I say and do nothing here. Please use a channel of our own.",
  channel: ({ channel, cluster }, word) =>
    `This channel is not mine: ${plain(cluster)} is spoken of in <#${plain(channel, 40)}>. Please type ${typeThis(word, "…")} there.`,
  policy: ({ command }, word) =>
    `You have no role that may use ${code(command)}. Nothing was done; ${typeThis(word, "help")} shows what you may use, and whoever keeps the configuration can give you a role.`,
};

/** Reason in the ledger for an asker whom the policy turned down. */
export const noRole = (command: string): string => `no role that may use ${command}`;

/** A refusal as the asker alone reads it. */
export const refusalMessage = (refusal: Refusal, commandWord: string): Message =>
  say((refusals[refusal.kind] as (of: Refusal, word: string) => string)(refusal, commandWord));
