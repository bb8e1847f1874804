import type { z } from "zod";
import { Fault } from "./causes.ts";

/**
 * Reads the one parameter of a document's script.
 * @param request base64 of JSON
 * @param schema the script's request
 * @throws Error when it is missing or does not match the schema
 */
export function requestAs<T>(request: string | null, schema: z.ZodType<T>): T {
  if (!request || !/^[A-Za-z0-9+/=]+$/.test(request)) throw new Error("the request is not base64");
  const checked = schema.safeParse(JSON.parse(Buffer.from(request, "base64").toString("utf8")));
  if (checked.success) return checked.data;
  const [issue] = checked.error.issues;
  throw new Error(`the request is not valid: ${issue?.path.join(".")}: ${issue?.message}`);
}

/** A time as scripts print it. @param seconds of Unix time */
export const timeText = (seconds: number): string =>
  `${new Date(seconds * 1000).toISOString().slice(0, 19).replace("T", " ")} UTC`;

/** A request from so far in the future shows that the machine's clock is behind. */
const EARLY_SECONDS = 300;

/** @throws Error when a command arrives too late, or before it was made: a stale one must not run hours later */
export function requireInTime(
  now: number,
  asked: { readonly notAfter: number; readonly madeAt?: number | undefined },
): void {
  const seconds = Math.floor(now / 1000);
  const clock = `the clock of this machine says ${timeText(seconds)}`;
  if (seconds > asked.notAfter)
    throw new Fault("clock-wrong", `this request expired at ${timeText(asked.notAfter)}, and ${clock}`);
  if (asked.madeAt !== undefined && asked.madeAt - seconds > EARLY_SECONDS)
    throw new Fault("clock-wrong", `this request was made at ${timeText(asked.madeAt)}, but ${clock}`);
}

/** A result as Write-Result prints it: one line of plain ASCII. */
export const lineOf = (result: object): string =>
  `${JSON.stringify(result).replaceAll(/[^ -~]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`)}\n`;

/** $MostCharacters of session.ps1: what a list of many machines certainly shows of each. */
const MOST_CHARACTERS = 2_400;

/** Does a line fit into a list of many machines? */
export const fitsList = (line: string): boolean => line.trimEnd().length <= MOST_CHARACTERS;
