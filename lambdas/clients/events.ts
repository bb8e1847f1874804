import { Retryable } from "../errors.ts";
import { type AwsCall, jsonRequest } from "./aws-call.ts";

/** An event for the account's default bus. */
export interface OutgoingEvent {
  readonly source: string;
  readonly detailType: string;
  readonly detail: object;
}

/** EventBridge's API for sending events (API PutEvents). */
export interface Events {
  /** @throws Retryable if EventBridge accepts the request but rejects the event */
  put(event: OutgoingEvent): Promise<void>;
}

interface Taken {
  readonly FailedEntryCount?: number;
  readonly Entries?: readonly { readonly ErrorCode?: string; readonly ErrorMessage?: string }[];
}

/** Builds the client for EventBridge's JSON API. */
export const events = (call: AwsCall): Events => ({
  put: async ({ source, detailType, detail }) => {
    const { FailedEntryCount, Entries }: Taken = await call(
      jsonRequest("events", "AWSEvents.PutEvents", {
        Entries: [{ Source: source, DetailType: detailType, Detail: JSON.stringify(detail) }],
      }),
    );
    const [entry] = Entries ?? [];
    if (FailedEntryCount) throw new Retryable(`EventBridge did not take the event: ${entry?.ErrorCode}`);
  },
});
