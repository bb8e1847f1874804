import type { Configuration } from "../configuration.ts";

/** Configuration of the front door; a deployment puts it beside the code, so that no request waits for it. */
export interface FrontDoorConfiguration extends Pick<Configuration, "command" | "slack" | "people" | "policy"> {
  readonly cluster: Pick<Configuration["cluster"], "name">;
  /** By name; what a pool is made of concerns its workflow. */
  readonly pools: Readonly<Record<string, object>>;
}

/** Name of the file beside the bundle's code. */
export const CONFIGURATION_FILE = "configuration.json";

/**
 * The door's part of a configuration that was validated.
 * @returns what CONFIGURATION_FILE holds
 */
export const frontDoorConfiguration = ({ command, slack, people, policy, cluster, pools }: FrontDoorConfiguration) => ({
  command,
  slack,
  people,
  policy,
  cluster: { name: cluster.name },
  pools: Object.fromEntries(Object.keys(pools).map((name) => [name, {}])),
});
