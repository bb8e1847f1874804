import { z } from "zod";

// Lengths and ranges are those of the Secrets Manager API Reference, except where another source is named.

const id = z.string().min(1).max(2048);
/** The SDK sends a UUID by itself (API Reference, CreateSecret). */
const token = z.string().min(32).max(64);
/** 65,536 bytes (User Guide, "Quotas"), which are 87,384 characters of base64. */
const value = {
  SecretString: z
    .string()
    .min(1)
    .refine((text) => Buffer.byteLength(text) <= 65_536, "at most 65536 bytes")
    .optional(),
  SecretBinary: z.base64().max(87_384).optional(),
};

/** Fifty tags; keys of 128, values of 256 characters (User Guide, "Tag secrets"). */
const tags = z
  .array(
    z.strictObject({
      Key: z
        .string()
        .min(1)
        .max(128)
        .regex(/^(?!aws:)/i, "aws: is reserved"),
      Value: z.string().max(256),
    }),
  )
  .max(50);

/** Inputs of the actions. */
export const shapes = {
  create: z.strictObject({
    Name: z
      .string()
      .min(1)
      .max(512)
      .regex(
        /^[A-Za-z0-9/_+=.@-]+$/,
        "Must be a valid name containing alphanumeric characters, or any of the following: -/_+=.@!",
      ),
    ClientRequestToken: token,
    Description: z.string().max(2048).optional(),
    ...value,
    Tags: tags.default([]),
    KmsKeyId: z.string().max(2048).optional(),
    ForceOverwriteReplicaSecret: z.boolean().optional(),
  }),
  get: z.strictObject({ SecretId: id, VersionId: z.string().optional(), VersionStage: z.string().optional() }),
  put: z.strictObject({ SecretId: id, ClientRequestToken: token, ...value }),
  update: z.strictObject({
    SecretId: id,
    ClientRequestToken: token,
    Description: z.string().max(2048).optional(),
    ...value,
  }),
  one: z.strictObject({ SecretId: id }),
  delete: z.strictObject({
    SecretId: id,
    RecoveryWindowInDays: z.number().int().min(7).max(30).optional(),
    ForceDeleteWithoutRecovery: z.boolean().optional(),
  }),
  list: z.strictObject({
    MaxResults: z.number().int().min(1).max(100).default(100),
    NextToken: z.string().optional(),
    IncludePlannedDeletion: z.boolean().default(false),
    SortOrder: z.enum(["asc", "desc"]).default("desc"),
    Filters: z
      .array(
        z.strictObject({
          Key: z.enum(["name", "description", "tag-key", "tag-value", "all"]),
          Values: z.array(z.string()).min(1).max(10),
        }),
      )
      .max(10)
      .default([]),
  }),
  tag: z.strictObject({ SecretId: id, Tags: tags }),
  untag: z.strictObject({ SecretId: id, TagKeys: z.array(z.string()) }),
};

/** An input after its check. */
export type Input<Name extends keyof typeof shapes> = z.output<(typeof shapes)[Name]>;
