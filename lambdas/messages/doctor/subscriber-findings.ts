import { broken, type FindingText, list, warning } from "./finding-text.ts";

const have = (endpoints: readonly string[]): string => `${list(endpoints)} ${endpoints.length === 1 ? "has" : "have"}`;

const FOLLOW_THE_LINK =
  "follow the link in the confirmation mail from AWS; it expires after two days, and the SNS console sends a new one (“Request confirmation”)";

/** Texts of the findings about alarm subscriptions. */
export const ofSubscribers = {
  "no-subscriber": ({ pending }: { readonly pending: readonly string[] }): FindingText =>
    pending.length === 0
      ? broken(
          "AWS",
          "alarms are not delivered: the topic has no subscriber",
          "add addresses under `aws.notify` in the configuration and deploy, or subscribe your pager to the stack's output `HumanTopic`",
        )
      : broken("AWS", `alarms are not delivered: ${have(pending)} not confirmed the subscription`, FOLLOW_THE_LINK),
  unconfirmed: ({
    pending,
    confirmed,
  }: {
    readonly pending: readonly string[];
    readonly confirmed: readonly string[];
  }): FindingText =>
    warning(
      "AWS",
      `${have(pending)} not confirmed the alarm subscription, so alarms reach ${list(confirmed)} only`,
      FOLLOW_THE_LINK,
    ),
};
