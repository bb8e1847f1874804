import type { Limit } from "../core/aws-service.ts";
import type { Clock } from "../core/clock.ts";

/** Token buckets by name, refilled with the sandbox's time. */
export interface TokenBuckets {
  /** Takes every limit's cost, or nothing when one of the buckets has too little; returns whether it took. */
  take(limits: readonly Limit[]): boolean;
}

/** Builds the buckets; each starts full. They are kept in memory, so a restart fills them. */
export function tokenBuckets(clock: Clock): TokenBuckets {
  const levels = new Map<string, { tokens: number; at: number }>();
  const level = (limit: Limit): number => {
    const known = levels.get(limit.bucket);
    if (!known) return limit.capacity;
    return Math.min(limit.capacity, known.tokens + ((clock.now() - known.at) / 1_000) * limit.refillPerSecond);
  };
  return {
    take: (limits) => {
      if (limits.some((limit) => level(limit) < limit.cost)) return false;
      for (const limit of limits) levels.set(limit.bucket, { tokens: level(limit) - limit.cost, at: clock.now() });
      return true;
    },
  };
}
