/** Kinds of lines: a stage begins or ends, a service refuses a call, something is decided, an operation ends. */
export type LogEvent = "stage" | "refusal" | "decision" | "operation" | "command";

/** Severity as CloudWatch and Lambda name it. */
export type LogLevel = "INFO" | "WARN";

/** Every field that a line may have beside its time, level and event. What is not listed here is never written. */
const FIELDS = [
  "operation",
  "command",
  "index",
  "node",
  "instance",
  "execution",
  "commandId",
  "script",
  "stage",
  "outcome",
  "seconds",
  "decision",
  "by",
  "service",
  "action",
  "code",
  "status",
  "requestId",
  "audit",
  "why",
] as const;

/** Values of a line by the name of the field; null and undefined are left out. */
export type LogFields = { readonly [name in (typeof FIELDS)[number]]?: string | number | null | undefined };

/** Texts of services may quote what they were sent: tokens, keys, addresses that are a right by themselves. */
const SECRETS = [
  /-----BEGIN [A-Z ]+-----[\s\S]*?(-----END [A-Z ]+-----|$)/g,
  /eyJ[\w-]{5,}\.[\w-]+(\.[\w-]*)?/g,
  /xox[a-z]-[\w-]+/g,
  /https:\/\/hooks\.slack\.com\/[^\s"]+/g,
  /\b(Bearer|X-Amz-Signature=|X-Amz-Security-Token=)\s*[^\s&"]+/g,
];

const LONGEST = 500;

/** A text without what would be a right by itself, and of a bounded length. */
export const harmless = (text: string): string =>
  SECRETS.reduce((left, secret) => left.replaceAll(secret, "[redacted]"), text).slice(0, LONGEST);

/**
 * Writes one line of a log, as JSON, so that CloudWatch Logs Insights finds its fields.
 * @param now milliseconds since the epoch
 */
export function logLine(level: LogLevel, event: LogEvent, fields: LogFields, now: number): string {
  const known = FIELDS.flatMap((name) => {
    const value = fields[name];
    return value === undefined || value === null ? [] : [[name, typeof value === "string" ? harmless(value) : value]];
  });
  return JSON.stringify({ time: new Date(now).toISOString(), level, event, ...Object.fromEntries(known) });
}
