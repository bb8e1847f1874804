import type { FailureCode } from "../../../../lambdas/records/failures.ts";
import { messageOf } from "../../../message-of.ts";
import type { Machine } from "../machine.ts";

const HIDDEN = "[hidden]";

/** The patterns of causes.ps1. */
const secrets: readonly RegExp[] = [
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(-----END [A-Z ]*PRIVATE KEY-----|$)/g,
  /eyJ[A-Za-z0-9_-]{8,}(\.[A-Za-z0-9_-]*)*/g,
  /\b[a-z0-9]{6}\.[a-z0-9]{16}\b/g,
  /\b(AKIA|ASIA)[A-Z0-9]{16}\b/g,
  /(?<=\b(bearer|basic)\s+)[A-Za-z0-9+/=_.~-]{8,}/gi,
  /(?<=(token|password|passwd|secret|api[-_]?key|access[-_]?key|key-data|authorization)["']?\s*[:=]\s*["']?)[^\s"',;}]+/gi,
  /(?<=:\/\/[^/\s:@]+:)[^@/\s]+(?=@)/g,
  /(?<![A-Za-z0-9+/])(?![0-9a-f]{64}\b)[A-Za-z0-9+/]{60,}={0,2}/g,
];

/** Replaces everything in a text that looks like a secret. */
export const hideSecrets = (text: string): string =>
  secrets.reduce((rest, secret) => rest.replaceAll(secret, HIDDEN), text);

const inOneLine = (text: string): string => hideSecrets(text).replaceAll(/\s+/g, " ").trim();

/** An error's text as the scripts print it: one line, at most 1,000 characters, no secrets. */
export const errorText = (error: unknown): string => inOneLine(messageOf(error)).slice(0, 1000);

/** An error of a script that has a code, as New-Fault of causes.ps1 makes it. */
export class Fault extends Error {
  readonly failure: FailureCode;

  constructor(failure: FailureCode, message: string) {
    super(message);
    this.failure = failure;
  }
}

/** Add-Failure of causes.ps1: what a result says of an error. */
export const failureOf = (error: unknown): { readonly error: string; readonly code?: FailureCode } => ({
  error: errorText(error),
  ...(error instanceof Fault ? { code: error.failure } : {}),
});

/** The last five lines of a log, at most 600 characters; empty when there is none. */
export function logTail(machine: Machine, path: string): string {
  const lines = (machine.disk.text(path) ?? "").trimEnd().split("\n").slice(-5);
  const text = inOneLine(lines.join("\n"));
  return text.length > 600 ? `...${text.slice(-600)}` : text;
}
