import type { z } from "zod";

type Container = Record<PropertyKey, unknown>;

const at = (value: unknown, path: readonly PropertyKey[]): Container =>
  path.reduce<unknown>((inner, key) => (inner as Container)[key], value) as Container;

/**
 * Removes the keys that a strict schema does not know, at every level. Writers validate strictly, so that a misspelt
 * key is found; readers use this function, because the next release may have added keys.
 * @param value parsed JSON; it is not changed
 * @returns a copy without unknown keys; other faults stay
 */
export function withKnownKeys(schema: z.ZodType, value: unknown): unknown {
  const unknown = schema.safeParse(value).error?.issues.filter((issue) => issue.code === "unrecognized_keys") ?? [];
  if (unknown.length === 0) return value;
  const copy = structuredClone(value);
  for (const { path, keys } of unknown) for (const key of keys) delete at(copy, path)[key];
  return withKnownKeys(schema, copy);
}
