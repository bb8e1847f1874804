import type { Configuration } from "../configuration/configuration.ts";

/**
 * Configuration of the front door. A deployment puts it next to the code, so that no request has to read it from S3.
 */
export interface FrontDoorConfiguration extends Pick<Configuration, "command" | "slack" | "people" | "policy"> {
  readonly cluster: Pick<Configuration["cluster"], "name">;
  /** Pools by name; the front door only needs their policies. */
  readonly pools: Readonly<Record<string, Partial<Pick<Configuration["pools"][string], "policy">>>>;
}

/** Name of the file beside the bundle's code. */
export const CONFIGURATION_FILE = "configuration.json";

/**
 * Selects the front door's part of a validated configuration.
 * @returns the content of CONFIGURATION_FILE
 */
export const frontDoorConfiguration = ({ command, slack, people, policy, cluster, pools }: FrontDoorConfiguration) => ({
  command,
  slack,
  people,
  policy,
  cluster: { name: cluster.name },
  pools: Object.fromEntries(
    Object.entries(pools).map(([name, pool]) => [name, pool.policy ? { policy: pool.policy } : {}]),
  ),
});
