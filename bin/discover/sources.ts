import { join } from "node:path";
import { demo } from "../../lib/sandbox/demo.ts";
import { administratorOf } from "../connect/administrator.ts";
import { endpointsIn } from "../connect/place.ts";
import { realNetwork } from "../payload/http.ts";
import { standIns } from "../payload/stand-ins.ts";
import type { Sources } from "./discover.ts";

/** Opens the services behind kubectl's current context and a person's own credentials. */
const ownSources = (): Sources => ({
  administrator: administratorOf({ kubeconfig: null }),
  network: realNetwork,
  aws: {},
  slackUrl: "https://slack.com/api/",
  token: undefined,
  close: async () => undefined,
});

/** Opens the services of a running sandbox, with stand-ins for what it takes from the internet. */
async function sandboxSources(folder: string): Promise<Sources> {
  const { aws: endpoint, accessKeyId, secretAccessKey, slack, botToken } = endpointsIn(folder);
  const publishers = await standIns(demo.cluster.version);
  return {
    administrator: administratorOf({ kubeconfig: join(folder, "kubeconfig") }),
    network: { ...realNetwork, fetch: publishers.fetch },
    aws: { endpoint, credentials: { accessKeyId, secretAccessKey } },
    slackUrl: `${slack}/api/`,
    token: botToken,
    close: publishers.close,
  };
}

/**
 * Opens the services that a discovery asks.
 * @param sandbox folder of a running sandbox; undefined for a person's own cluster, account and workspace
 * @throws StartError without a kubeconfig, and for a folder without a sandbox
 */
export const sourcesOf = async (sandbox: string | undefined): Promise<Sources> =>
  sandbox === undefined ? ownSources() : sandboxSources(sandbox);
