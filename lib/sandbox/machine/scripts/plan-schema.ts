import { z } from "zod";
import type { ApplyRequest, Operation, Plan } from "../../../../lambdas/desired/plan.ts";

const access = z.enum(["system", "inherited"]);
const strings = z.array(z.string());
const seconds = z.array(z.number().min(0));

/** SHA-256 that pins an object of the bucket; only a secret's hash is not known beforehand. */
const sha256 = z.string().regex(/^[0-9a-f]{64}$/);

const source = z.discriminatedUnion("from", [
  z.object({ from: z.literal("inline"), base64: z.string() }),
  z.object({ from: z.literal("bucket"), bucket: z.string(), key: z.string(), version: z.string() }),
  z.object({ from: z.literal("secret"), secretId: z.string(), field: z.string() }),
]);

const operation = z.discriminatedUnion("do", [
  z.object({ do: z.literal("directory"), path: z.string(), access }),
  z
    .object({ do: z.literal("file"), path: z.string(), source, sha256: sha256.nullable(), access })
    .refine((file) => file.source.from === "secret" || file.sha256 !== null, { path: ["sha256"] }),
  z.object({ do: z.literal("remove-file"), path: z.string() }),
  z.object({ do: z.literal("feature"), name: z.string() }),
  z.object({
    do: z.literal("firewall-rule"),
    name: z.string(),
    protocol: z.enum(["TCP", "UDP"]),
    port: z.number().int().min(1).max(65_535),
    remoteAddresses: strings,
  }),
  z.object({ do: z.literal("environment"), name: z.string(), value: z.string().nullable() }),
  z.object({
    do: z.literal("service"),
    name: z.string(),
    description: z.string(),
    commandLine: z.string(),
    startType: z.enum(["Automatic", "Manual"]),
    dependsOn: strings,
    environment: strings,
    restartAfter: seconds,
  }),
  z.object({ do: z.literal("service-recovery"), name: z.string(), restartAfter: seconds }),
  z.object({
    do: z.literal("service-state"),
    name: z.string(),
    state: z.enum(["Running", "Stopped"]),
    log: z.string().optional(),
  }),
  z.object({
    do: z.literal("task"),
    name: z.string(),
    script: z.string(),
    arguments: strings,
    everyMinutes: z.number().int().min(0),
  }),
  z.object({
    do: z.literal("run-task"),
    name: z.string(),
    withinSeconds: z.number().positive(),
    record: z.string().optional(),
  }),
  z.object({ do: z.literal("defender-exclusion"), process: z.string() }),
]);

/**
 * Reads one operation as exactly as operation.ps1 does.
 * @throws Error in the script's words
 */
export function operationOf(value: unknown): Operation {
  const known = operation.safeParse(value);
  if (known.success) return known.data;
  const field = known.error.issues[0]?.path[0];
  const unknown = field === undefined || field === "do";
  throw new Error(
    unknown ? "this script knows no such operation" : `the operation's ${String(field)} is missing or wrong`,
  );
}

/** A plan before its operations were looked at: apply.ps1 looks at each only when its turn comes. */
export interface ReceivedPlan extends Omit<Plan, "operations"> {
  readonly operations: readonly unknown[];
}

/** A plan as apply.ps1 accepts it. */
export const planSchema: z.ZodType<ReceivedPlan> = z.object({
  format: z.literal(1),
  operation: z.string(),
  notAfter: z.number(),
  madeAt: z.number().optional(),
  operations: z.array(z.unknown()),
});

/** Place of a plan that is too large for a parameter. */
export type PlanPlace = Exclude<ApplyRequest, { plan: Plan }>;

/** Request that apply.ps1 takes: the plan itself or its place. */
export const applyRequestSchema: z.ZodType<{ readonly plan: ReceivedPlan } | PlanPlace> = z.union([
  z.object({ plan: planSchema }),
  z.object({ bucket: z.string(), key: z.string(), version: z.string(), sha256: z.string() }),
]);
