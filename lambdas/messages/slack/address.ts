import type { OperationRecord } from "../../records/records.ts";

/** Address of an operation's message, as Slack's "Copy link" gives it; null for a name that is none of a workspace. */
export const messageAddress = (
  { channel, messageTs }: Pick<OperationRecord, "channel" | "messageTs">,
  domain: string,
): string | null =>
  messageTs !== null && /^[a-z0-9-]+$/.test(domain)
    ? `https://${domain}.slack.com/archives/${channel}/p${messageTs.replace(".", "")}`
    : null;
