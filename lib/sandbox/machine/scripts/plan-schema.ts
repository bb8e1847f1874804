import { z } from "zod";
import type { Action, ApplyRequest, MachinePlan } from "../../../../lambdas/machine/plan.ts";

const access = z.enum(["system", "inherited"]);
const strings = z.array(z.string());
const seconds = z.array(z.number().min(0));

/** SHA-256 that pins a content; only the hash of what comes from a secret is not known beforehand. */
const sha256 = z.string().regex(/^[0-9a-f]{64}$/);

const template = z.object({
  from: z.literal("template"),
  base64: z.string(),
  secretId: z.string(),
  version: z.string(),
});

/** SHA-1 by which Windows names a certificate. */
const thumbprint = z.string().regex(/^[0-9A-F]{40}$/);
const store = z.enum(["Root", "CA"]);

const source = z.discriminatedUnion("from", [
  z.object({ from: z.literal("inline"), base64: z.string() }),
  z.object({ from: z.literal("bucket"), bucket: z.string(), key: z.string(), version: z.string() }),
  z.object({ from: z.literal("secret"), secretId: z.string(), field: z.string() }),
  template,
]);

const action = z.discriminatedUnion("do", [
  z.object({ do: z.literal("directory"), path: z.string(), access }),
  z
    .object({
      do: z.literal("file"),
      path: z.string(),
      source,
      sha256: sha256.nullable(),
      access,
      expects: z.array(sha256).optional(),
    })
    .refine((file) => ["secret", "template"].includes(file.source.from) || file.sha256 !== null, { path: ["sha256"] }),
  z.object({ do: z.literal("remove-file"), path: z.string(), expects: z.array(sha256).optional() }),
  z.object({ do: z.literal("remove-directory"), path: z.string() }),
  z.object({ do: z.literal("certificate"), store, thumbprint, base64: z.string() }),
  z.object({ do: z.literal("remove-certificate"), store, thumbprint }),
  z.object({ do: z.literal("feature"), name: z.string() }),
  z.object({
    do: z.literal("firewall-rule"),
    name: z.string(),
    protocol: z.enum(["TCP", "UDP"]),
    port: z.number().int().min(1).max(65_535),
    remoteAddresses: strings,
  }),
  z.object({
    do: z.literal("service"),
    name: z.string(),
    description: z.string(),
    commandLine: z.string(),
    startType: z.enum(["Automatic", "Manual"]),
    dependsOn: strings,
    restartAfter: seconds,
  }),
  z.object({
    do: z.literal("service-variable"),
    service: z.string(),
    name: z.string(),
    value: z.union([z.string(), template]).nullable(),
    expects: z.array(sha256).optional(),
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
  z.object({ do: z.literal("remove-task"), name: z.string() }),
  z.object({
    do: z.literal("run-task"),
    name: z.string(),
    withinSeconds: z.number().positive(),
    record: z.string().optional(),
  }),
  z.object({ do: z.literal("defender-exclusion"), process: z.string() }),
]);

/**
 * Reads one action as exactly as action.ps1 does.
 * @throws Error with the script's message
 */
export function actionOf(value: unknown): Action {
  const known = action.safeParse(value);
  if (known.success) return known.data;
  const field = known.error.issues[0]?.path[0];
  const unknown = field === undefined || field === "do";
  throw new Error(unknown ? "this script knows no such action" : `the action's ${String(field)} is missing or wrong`);
}

/** A plan whose actions are not checked yet: apply.ps1 checks each only when its turn comes. */
export interface ReceivedPlan extends Omit<MachinePlan, "actions"> {
  readonly actions: readonly unknown[];
}

const planSchema: z.ZodType<ReceivedPlan> = z.object({
  format: z.literal(2),
  operation: z.string(),
  notAfter: z.number(),
  madeAt: z.number().optional(),
  actions: z.array(z.unknown()),
});

/** A plan of any format: apply.ps1 names the format that it does not know. */
const anyPlan = z.looseObject({ format: z.unknown() });

/** Reads a plan as apply.ps1 does. @throws Error for a plan of another format, in the script's words */
export function planOf(value: unknown): ReceivedPlan {
  const { format } = anyPlan.parse(value);
  if (format !== 2) throw new Error(`this script knows no plan of format ${String(format)}`);
  return planSchema.parse(value);
}

/** Place of a plan that is too large for a parameter. */
export type PlanPlace = Exclude<ApplyRequest, { plan: MachinePlan }>;

/** Request that apply.ps1 takes: the plan itself or its place. */
export const applyRequestSchema: z.ZodType<{ readonly plan: { readonly format: unknown } } | PlanPlace> = z.union([
  z.object({ plan: anyPlan }),
  z.object({ bucket: z.string(), key: z.string(), version: z.string(), sha256: z.string() }),
]);
