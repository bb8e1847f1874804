import type { Server } from "node:http";
import type { Activity } from "../lib/sandbox/core/activity.ts";
import type { WireRequest, WireResponse } from "../lib/sandbox/core/wire.ts";
import { httpServer } from "../lib/sandbox/http-server.ts";
import { kubernetesServer } from "../lib/sandbox/kubernetes/https-server.ts";
import { OWNER } from "../lib/sandbox/principals.ts";
import type { Simulator } from "../lib/sandbox/simulator.ts";
import { type BoundPort, handOver, type Ports } from "./ports.ts";

/** Paths of the control API, which shares a port with the page ("/mishaps": see control.ts). */
const CONTROL = /^\/(state|messages|calls|people|faults|mishaps|clock|schema)([/?]|$)/;

/** Is a request for the control API? */
export const isControl = (url: string): boolean => CONTROL.test(url);

type Answer = (request: WireRequest) => Promise<WireResponse>;

/** Tells requests to AWS that the terminal of the sandbox's owner sends. */
const fromTerminal = ({ keys }: Simulator) => {
  const credential = `Credential=${keys.of(OWNER).accessKeyId}/`;
  return ({ headers }: WireRequest): boolean => (headers.authorization ?? "").includes(credential);
};

/** Starts the simulator's five servers on loopback. @param front answers requests to the page and the control API */
export async function startServers(
  simulator: Simulator,
  ports: Ports,
  activity: Activity,
  front: Answer,
): Promise<Server[]> {
  const { aws, slack, kubernetes } = simulator;
  const isOutside = fromTerminal(simulator);
  const servers: readonly (readonly [Server, BoundPort])[] = [
    // The control API moves time and waits for due work: if its requests were activity, it would wait for itself.
    [httpServer(front), ports.ui],
    // A terminal that polls the ledger is not activity either: time that is moved by hand would never find a moment of rest.
    [
      httpServer((request) => (isOutside(request) ? aws.answer(request) : activity.during(aws.answer(request)))),
      ports.aws,
    ],
    [httpServer((request) => activity.during(slack.answer(request))), ports.slack],
    [httpServer(simulator.frontDoor), ports.frontDoor],
    [
      kubernetesServer(
        { answer: (request, tls) => activity.during(kubernetes.answer(request, tls)) },
        kubernetes.serverCertificate,
      ),
      ports.kubernetes,
    ],
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
