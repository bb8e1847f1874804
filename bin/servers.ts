import type { Server } from "node:http";
import type { Activity } from "../lib/sandbox/core/activity.ts";
import type { WireRequest, WireResponse } from "../lib/sandbox/core/wire.ts";
import { httpServer } from "../lib/sandbox/http-server.ts";
import { kubernetesServer } from "../lib/sandbox/kubernetes/https-server.ts";
import type { Simulator } from "../lib/sandbox/simulator.ts";
import { type BoundPort, handOver, type Ports } from "./ports.ts";

/** Control API and page share a port: these are the control API's paths ("/mishaps": see control.ts). */
const CONTROL = /^\/(state|messages|calls|people|faults|mishaps|clock|schema)([/?]|$)/;

/** Finds out whether a request is for the control API. */
export const isControl = (url: string): boolean => CONTROL.test(url);

type Answer = (request: WireRequest) => Promise<WireResponse>;

/** Starts the simulator's five servers on loopback. @param front answers requests to page and control API */
export async function startServers(
  simulator: Simulator,
  ports: Ports,
  activity: Activity,
  front: Answer,
): Promise<Server[]> {
  const kubernetes = kubernetesServer(
    { answer: (request, tls) => activity.during(simulator.kubernetes.answer(request, tls)) },
    simulator.kubernetes.serverCertificate,
  );
  const servers: readonly (readonly [Server, BoundPort])[] = [
    // The control API moves time and waits for what becomes due: counting it as activity would wait for itself.
    [httpServer(front), ports.ui],
    [httpServer(simulator.aws.answer, activity), ports.aws],
    [httpServer(simulator.slack.answer, activity), ports.slack],
    [httpServer(simulator.frontDoor), ports.frontDoor],
    [kubernetes, ports.kubernetes],
  ];
  for (const [server, port] of servers) await handOver(server, port);
  return servers.map(([server]) => server);
}

/** Closes a server and every connection to it. */
export const closeServer = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
