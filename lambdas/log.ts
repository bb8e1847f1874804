/**
 * Kinds of lines: begin or end of a stage, a service's refusal, a person's or policy's decision, an operation's end, an
 * SSM command.
 */
export type LogEvent = "stage" | "refusal" | "decision" | "operation" | "command";

/** Severity as CloudWatch and Lambda name it. */
export type LogLevel = "INFO" | "WARN";

/** Every field that a line may have beside its time, level and event. Other fields are never written. */
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

/** Values of a line by field name; null and undefined are left out. */
export type LogFields = { readonly [name in (typeof FIELDS)[number]]?: string | number | null | undefined };

/** Secrets that a service's error may quote from the request: tokens, keys, URLs that grant access. */
const SECRETS = [
  /-----BEGIN [A-Z ]+-----[\s\S]*?(-----END [A-Z ]+-----|$)/g,
  /eyJ[\w-]{5,}\.[\w-]+(\.[\w-]*)?/g,
  /xox[a-z]-[\w-]+/g,
  /https:\/\/hooks\.slack\.com\/[^\s"]+/g,
  /\b(Bearer|X-Amz-Signature=|X-Amz-Security-Token=)\s*[^\s&"]+/g,
];

const LONGEST = 500;

/** Redacts the secrets in a text and limits its length. */
export const harmless = (text: string): string =>
  SECRETS.reduce((left, secret) => left.replaceAll(secret, "[redacted]"), text).slice(0, LONGEST);

/**
 * Formats one line of a log as JSON, so that CloudWatch Logs Insights finds its fields.
 * @param now milliseconds since the epoch
 */
export function logLine(level: LogLevel, event: LogEvent, fields: LogFields, now: number): string {
  const known = FIELDS.flatMap((name) => {
    const value = fields[name];
    return value === undefined || value === null ? [] : [[name, typeof value === "string" ? harmless(value) : value]];
  });
  return JSON.stringify({ time: new Date(now).toISOString(), level, event, ...Object.fromEntries(known) });
}
