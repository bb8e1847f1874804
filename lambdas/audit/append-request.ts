import { z } from "zod";
import { isOperationId } from "../commands/operation-id.ts";
import { acts } from "./entry.ts";

/** Largest number of entries in one request: the caller waits ten seconds for their answer. */
export const MOST_ENTRIES = 25;

/** Largest size of an act, in characters of JSON; an item of DynamoDB may have 400 KB. */
const MOST_CHARACTERS = 256_000;

const actor = z.union([
  z.strictObject({ person: z.string().min(1).max(64), name: z.string().max(200).optional() }),
  z.strictObject({ rule: z.string().min(1).max(64) }),
]);

const node = z.strictObject({
  name: z.string().max(253).optional(),
  uid: z.string().max(64).optional(),
  instanceId: z.string().max(64).optional(),
});

const act = z
  .strictObject({
    what: z.enum(acts),
    by: actor.optional(),
    node: node.optional(),
    detail: z.record(z.string(), z.json()).optional(),
  })
  .refine((given) => JSON.stringify(given).length <= MOST_CHARACTERS, "is too large");

/** Entries of one step, with marks that are the same if the step is repeated. */
const entries = z
  .array(z.strictObject({ mark: z.string().min(1).max(512), act }))
  .min(1)
  .max(MOST_ENTRIES);

const chain = z.strictObject({
  operation: z.string().refine(isOperationId),
  index: z.int().min(0).max(9_999).optional(),
});

/** Request to append entries to a chain, or to write the copies of a chain that are missing. */
export const appendRequest = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("append"), chain, entries }),
  z.strictObject({ kind: z.literal("copy"), chain }),
]);

/** A request to the appending function. */
export type AppendRequest = z.infer<typeof appendRequest>;

/** Answer of the appending function. */
export const appendAnswer = z.union([
  /** The chain's last entry. */
  z.object({ head: z.object({ sequence: z.number(), hash: z.string() }) }),
  /** True if every entry has its copy. */
  z.object({ isCopied: z.boolean() }),
  /** The request was not carried out, and never will be. */
  z.object({ refused: z.string() }),
  /** A service did not carry out its part. */
  z.object({
    failed: z.object({ service: z.string(), code: z.string(), message: z.string(), status: z.number() }),
  }),
]);

/** An answer of the appending function. */
export type AppendAnswer = z.infer<typeof appendAnswer>;
