import type { Limit } from "../../core/aws-service.ts";

/** Requests a second, as capacity and refill (User Guide, "Quotas": request quotas); reads share one bucket. */
const rates: Readonly<Record<string, readonly [bucket: string, perSecond: number]>> = {
  GetSecretValue: ["read", 10_000],
  DescribeSecret: ["read", 10_000],
  ListSecrets: ["list", 100],
};

/** The same page: requests a second of most other actions. */
const OTHERS = 50;

/** Finds the bucket that a request draws on. */
export function limits(action: string): Limit[] {
  const [bucket, perSecond] = rates[action] ?? [action, OTHERS];
  return [{ bucket: `secretsmanager ${bucket}`, capacity: perSecond, refillPerSecond: perSecond, cost: 1 }];
}
