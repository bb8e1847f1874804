import { createHash } from "node:crypto";

/** A value that JSON can hold; undefined fields of an object are left out. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json | undefined };

/**
 * Writes a value as JSON in one form only: names sorted, no spaces (after RFC 8785, for text, whole numbers and booleans).
 * Equal values have the same text, whatever the order of their names.
 */
export function canonical(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).filter((field): field is [string, Json] => field[1] !== undefined);
  const sorted = fields.sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${sorted.map(([name, inside]) => `${JSON.stringify(name)}:${canonical(inside)}`).join(",")}}`;
}

/** The SHA-256 of a value's canonical JSON, in hexadecimal. */
export const digestOf = (value: Json): string => createHash("sha256").update(canonical(value)).digest("hex");
