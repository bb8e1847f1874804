import type { z } from "zod";
import { messageOf } from "../../../message-of.ts";

/** PowerShell starts and compiles a script, shortest and longest, in ms (assumed). */
export const STARTING_MS = [700, 2_000] as const;

/**
 * Reads the one parameter of a document's script.
 * @param request base64 of JSON
 * @param schema what the script takes
 * @throws Error when it is missing or is not that
 */
export function requestAs<T>(request: string | null, schema: z.ZodType<T>): T {
  if (!request || !/^[A-Za-z0-9+/=]+$/.test(request)) throw new Error("the request is not base64");
  const checked = schema.safeParse(JSON.parse(Buffer.from(request, "base64").toString("utf8")));
  if (checked.success) return checked.data;
  const [issue] = checked.error.issues;
  throw new Error(`the request is not valid: ${issue?.path.join(".")}: ${issue?.message}`);
}

/** @throws Error when a command came too late: a stale one must not run hours later */
export function requireInTime(now: number, notAfter: number): void {
  const late = Math.floor(now / 1000) - notAfter;
  if (late > 0) throw new Error(`this request expired ${late} seconds ago`);
}

/** An error's words as the scripts print them: one line, at most 500 characters. */
export const errorText = (error: unknown): string => messageOf(error).replaceAll(/\s+/g, " ").trim().slice(0, 500);
