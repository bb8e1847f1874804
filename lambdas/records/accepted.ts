import type { Request } from "../commands/request.ts";
import type { Requester } from "./origin.ts";

/**
 * A person's request, as the front door accepted it. No other function may write it, so a workflow compares with it
 * what started it.
 */
export interface AcceptedRequest {
  readonly request: Request;
  readonly requester: Requester;
  /** ISO 8601. */
  readonly requestedAt: string;
}
