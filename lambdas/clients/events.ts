import { Retryable } from "../errors.ts";
import type { AwsCall } from "./aws-call.ts";

/** One event for the account's default bus. */
export interface OutgoingEvent {
  readonly source: string;
  readonly detailType: string;
  readonly detail: object;
}

/** The one call of EventBridge's API by which events are sent (API PutEvents). */
export interface Events {
  /** @throws Retryable when EventBridge took the request but not the event */
  put(event: OutgoingEvent): Promise<void>;
}

interface Taken {
  readonly FailedEntryCount?: number;
  readonly Entries?: readonly { readonly ErrorCode?: string; readonly ErrorMessage?: string }[];
}

/** EventBridge's JSON API. */
export const events = (call: AwsCall): Events => ({
  put: async ({ source, detailType, detail }) => {
    const { FailedEntryCount, Entries }: Taken = await call({
      service: "events",
      method: "POST",
      path: "/",
      headers: { "content-type": "application/x-amz-json-1.1", "x-amz-target": "AWSEvents.PutEvents" },
      body: JSON.stringify({ Entries: [{ Source: source, DetailType: detailType, Detail: JSON.stringify(detail) }] }),
    });
    const [entry] = Entries ?? [];
    if (FailedEntryCount) throw new Retryable(`EventBridge did not take the event: ${entry?.ErrorCode}`);
  },
});
