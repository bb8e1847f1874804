import { once } from "node:events";
import { listen } from "../../../bin/ports.ts";
import { pacedClock } from "../../../lib/sandbox/core/paced-clock.ts";
import { kubernetesServer } from "../../../lib/sandbox/kubernetes/https-server.ts";
import { type Cluster, clusterOn } from "./cluster.ts";

/** A cluster behind HTTPS on loopback. */
export interface OpenCluster extends Cluster {
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Opens a cluster whose clock runs at a multiple of the host's speed.
 * @param without names of the simulator's controllers that do not run
 */
export async function openCluster(speed: number, without: readonly string[] = []): Promise<OpenCluster> {
  const clock = pacedClock(Date.now(), speed);
  const cluster = await clusterOn(clock, undefined, undefined, without);
  const server = kubernetesServer(cluster.api, cluster.api.serverCertificate);
  const port = await listen(server, 0);
  const close = async (): Promise<void> => {
    clock.stop();
    const closed = once(server, "close");
    server.close();
    server.closeAllConnections();
    await closed;
  };
  return { ...cluster, url: `https://127.0.0.1:${port}`, close };
}

/** A kubeconfig for one user. */
export const kubeconfig = (url: string, authority: string, user: Record<string, string>): string =>
  JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    "current-context": "sandbox",
    clusters: [
      {
        name: "sandbox",
        cluster: { server: url, "certificate-authority-data": Buffer.from(authority).toString("base64") },
      },
    ],
    users: [{ name: "user", user }],
    contexts: [{ name: "sandbox", context: { cluster: "sandbox", user: "user" } }],
  });
