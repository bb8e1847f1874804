/** Person who requested an operation, with the channel that the request came from. */
export interface Requester {
  readonly userId: string;
  readonly userName: string;
  readonly channel: string;
}

/** Origin of an operation: a person who requested it, or a rule of EventBridge by its name. */
export type Origin =
  | { readonly by: "person"; readonly requester: Requester }
  | { readonly by: "rule"; readonly rule: string };

/**
 * Origin as records and payloads carry it: a person as `asker`, which every release reads, and a rule as `origin`. Beside a
 * rule, `asker` only carries its name: an older release lists the operation by it.
 */
export interface OriginFields {
  readonly asker?: Requester;
  readonly origin?: Origin;
}

/**
 * Reads the origin of a record or a payload, whichever release wrote it.
 * @throws Error when it carries none, which is a bug
 */
export function originOf({ origin, asker }: OriginFields): Origin {
  if (origin) return origin;
  if (asker) return { by: "person", requester: asker };
  throw new Error("there is no origin");
}

/** Origin in the form that is stored and sent, see `Originated`. */
export const originated = (origin: Origin): OriginFields =>
  origin.by === "person"
    ? { asker: origin.requester }
    : { origin, asker: { userId: "", userName: origin.rule, channel: "" } };

/** Requester of an operation; null for one that a rule started. */
export function requesterOf(record: OriginFields): Requester | null {
  const origin = originOf(record);
  return origin.by === "person" ? origin.requester : null;
}

/** Id of a person in Slack, or the name of a rule: the control API's `user`. */
export function originId(record: OriginFields): string {
  const origin = originOf(record);
  return origin.by === "person" ? origin.requester.userId : origin.rule;
}

/** Name of a person or of a rule, as lists show it. */
export function originName(record: OriginFields): string {
  const origin = originOf(record);
  return origin.by === "person" ? origin.requester.userName : origin.rule;
}
