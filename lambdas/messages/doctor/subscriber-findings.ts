import { code, some } from "../slack/text.ts";
import { broken, type Words, warning } from "./finding-words.ts";

const list = (endpoints: readonly string[]): string => some(endpoints.map(code), 8);
const have = (endpoints: readonly string[]): string => `${list(endpoints)} ${endpoints.length === 1 ? "has" : "have"}`;

const FOLLOW_THE_LINK =
  "follow the link in AWS's mail; it ends after two days, and SNS's console sends a new one (“Request confirmation”)";

/** Those who are told without Slack, by mail or pager: what is wrong with their subscriptions. */
export const ofSubscribers = {
  "nobody-told": ({ pending }: { readonly pending: readonly string[] }): Words =>
    pending.length === 0
      ? broken(
          "AWS",
          "alarms reach nobody: the topic has no subscriber",
          "name addresses under `aws.notify` in the configuration and deploy it, or subscribe your pager to the stack's output `HumanTopic`",
        )
      : broken("AWS", `alarms reach nobody: ${have(pending)} not confirmed`, FOLLOW_THE_LINK),
  unconfirmed: ({
    pending,
    confirmed,
  }: {
    readonly pending: readonly string[];
    readonly confirmed: readonly string[];
  }): Words =>
    warning("AWS", `${have(pending)} not confirmed to be told of alarms; ${have(confirmed)}`, FOLLOW_THE_LINK),
};
