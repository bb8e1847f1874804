import type { Simulation } from "../core/simulation.ts";

/** Class of a method's rate limit. */
export type Tier = "tier2" | "tier3" | "tier4" | "special" | "posting";

/** A token bucket: `burst` calls at once, `perMinute` for ever. */
interface Limit {
  readonly perMinute: number;
  readonly burst: number;
}

// Per minute: docs.slack.dev/apis/web-api/rate-limits. Slack gives no figures for its bursts; all bursts are assumed.
const limits: Readonly<Record<Tier, Limit>> = {
  tier2: { perMinute: 20, burst: 20 },
  tier3: { perMinute: 50, burst: 50 },
  tier4: { perMinute: 100, burst: 100 },
  /** auth.test and chat.getPermalink: "hundreds of requests per minute"; 300 is assumed. */
  special: { perMinute: 300, burst: 300 },
  /** chat.postMessage: a workspace-wide limit of "several hundred messages per minute"; 300 is assumed. */
  posting: { perMinute: 300, burst: 300 },
};
/** "One message per second per channel", short bursts allowed; five is assumed. */
const perChannel: Limit = { perMinute: 60, burst: 5 };

interface Bucket {
  readonly tokens: number;
  readonly at: number;
}

/** The limits of the app in this workspace. */
export interface RateLimits {
  /** Seconds to wait (Retry-After), or undefined when the call may go on; it is counted then. */
  exceeded(method: string, tier: Tier, channel: string | undefined): number | undefined;
}

/** Builds the buckets on the sandbox's clock. */
export function rateLimits({ clock, store }: Simulation): RateLimits {
  const buckets = store.collection<Bucket>("slack-rate-limits");
  const level = (key: string, limit: Limit): number => {
    const bucket = buckets.get(key);
    if (!bucket) return limit.burst;
    return Math.min(limit.burst, bucket.tokens + ((clock.now() - bucket.at) * limit.perMinute) / 60_000);
  };
  const wait = (key: string, limit: Limit): number => {
    const missing = 1 - level(key, limit);
    return missing <= 0 ? 0 : Math.max(1, Math.ceil((missing * 60) / limit.perMinute));
  };
  return {
    exceeded: (method, tier, channel) => {
      const counted: [string, Limit][] = [[method, limits[tier]]];
      if (tier === "posting" && channel) counted.push([`${method} ${channel}`, perChannel]);
      const seconds = Math.max(...counted.map(([key, limit]) => wait(key, limit)));
      if (seconds > 0) return seconds;
      for (const [key, limit] of counted) buckets.set(key, { tokens: level(key, limit) - 1, at: clock.now() });
      return undefined;
    },
  };
}
