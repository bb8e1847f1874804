/** Person who requested an operation, and the channel of the request. */
export interface Requester {
  readonly userId: string;
  readonly userName: string;
  readonly channel: string;
}

/** Origin of an operation: the person who requested it, or the name of an EventBridge rule. */
export type Origin =
  | { readonly by: "person"; readonly requester: Requester }
  | { readonly by: "rule"; readonly rule: string };

/**
 * Origin in records and payloads: a person is in `asker`, which every release reads, and a rule is in `origin`. For a
 * rule, `asker` contains its name, because an older release lists the operation by it.
 */
export interface OriginFields {
  readonly asker?: Requester;
  readonly origin?: Origin;
}

/**
 * Reads the origin of a record or a payload, whichever release wrote it.
 * @throws Error if there is none, which is a bug
 */
export function originOf({ origin, asker }: OriginFields): Origin {
  if (origin) return origin;
  if (asker) return { by: "person", requester: asker };
  throw new Error("there is no origin");
}

/** Converts an origin into the fields of records and payloads. */
export const originated = (origin: Origin): OriginFields =>
  origin.by === "person"
    ? { asker: origin.requester }
    : { origin, asker: { userId: "", userName: origin.rule, channel: "" } };

/** Requester of an operation; null if a rule started it. */
export function requesterOf(record: OriginFields): Requester | null {
  const origin = originOf(record);
  return origin.by === "person" ? origin.requester : null;
}

/** Slack id of a person, or the name of a rule. */
export function originId(record: OriginFields): string {
  const origin = originOf(record);
  return origin.by === "person" ? origin.requester.userId : origin.rule;
}

/** Name of a person or a rule, for lists. */
export function originName(record: OriginFields): string {
  const origin = originOf(record);
  return origin.by === "person" ? origin.requester.userName : origin.rule;
}

/** Takes the place of the person who stops work when a rollout has paused itself. */
export const BY_ITSELF = "rollout";

/** Takes the place of the person who stops work when the maintenance window has ended. */
export const BY_MAINTENANCE = "maintenance";

/** Does a rule, and no person, stop the work? */
export const isStoppingRule = (by: string): boolean => by === BY_ITSELF || by === BY_MAINTENANCE;
