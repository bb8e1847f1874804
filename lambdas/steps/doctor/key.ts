import { z } from "zod";
import type { Finding } from "../../messages/doctor/finding.ts";
import type { DoctorFacts } from "./check.ts";

const oneOrMore = z.union([z.string().transform((one) => [one]), z.array(z.string())]);

const policyOf = z.object({
  Statement: z.array(
    z.object({
      Effect: z.string(),
      Principal: z.union([z.string(), z.object({ Service: oneOrMore.default([]) })]).default(""),
      Action: oneOrMore.default([]),
    }),
  ),
});

type Statement = z.output<typeof policyOf>["Statement"][number];

/** Actions without which a service can encrypt nothing for itself. */
const NEEDED = ["kms:Decrypt", "kms:GenerateDataKey"];

/** Does a pattern of a policy, whose star matches any text, cover the action? */
function covers(pattern: string, action: string): boolean {
  const [start = "", ...rest] = pattern.toLowerCase().split("*");
  return rest.length === 0 ? start === action.toLowerCase() : action.toLowerCase().startsWith(start);
}

const isFor = ({ Principal }: Statement, service: string): boolean =>
  Principal === "*" || (typeof Principal === "object" && Principal.Service.includes(service));

/**
 * Names the services that use the key without a role, and that its policy does not let: CloudWatch for alarms,
 * EventBridge for events that it cannot deliver, CloudWatch Logs for the functions' logs.
 */
export function servicesWithoutKey(policy: unknown, region: string): string[] {
  const { Statement: statements } = policyOf.parse(policy);
  const services = ["cloudwatch.amazonaws.com", "events.amazonaws.com", `logs.${region}.amazonaws.com`];
  const allowed = (service: string): string[] =>
    statements.filter((one) => one.Effect === "Allow" && isFor(one, service)).flatMap(({ Action }) => Action);
  return services.filter(
    (service) => !NEEDED.every((action) => allowed(service).some((pattern) => covers(pattern, action))),
  );
}

/** Checks that the key of `aws.key` can be used, and that its policy lets the services that use it without a role. */
export async function customerKey({ context, configuration }: DoctorFacts): Promise<Finding[]> {
  const { key } = configuration;
  if (!key) return [];
  const { state, spec, policy } = await context.clients.key(key);
  if (state !== "Enabled") return [{ kind: "key-state", key, state }];
  if (spec !== "SYMMETRIC_DEFAULT") return [{ kind: "key-state", key, state: spec }];
  const services = servicesWithoutKey(policy, context.settings.region);
  return services.length === 0 ? [] : [{ kind: "key-policy", key, services }];
}
