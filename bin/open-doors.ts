import type { Server } from "node:http";
import type { Activity } from "../lib/sandbox/core/activity.ts";
import type { WireRequest, WireResponse } from "../lib/sandbox/core/wire.ts";
import { httpDoor } from "../lib/sandbox/doors.ts";
import type { Ground } from "../lib/sandbox/ground.ts";
import { kubernetesDoor } from "../lib/sandbox/kubernetes/door.ts";
import { listen, type Ports } from "./listen.ts";

/** Control API and page share a port: these are the control API's paths. */
const CONTROL = /^\/(state|messages|calls|people|mishaps|clock|schema)([/?]|$)/;

/** Is this a request for the control API? */
export const isControl = (url: string): boolean => CONTROL.test(url);

type Answer = (request: WireRequest) => Promise<WireResponse>;

/** Opens the five doors of the ground on loopback. */
export async function openDoors(stand: Ground, ports: Ports, activity: Activity, front: Answer): Promise<Server[]> {
  const kubernetes = kubernetesDoor(
    { answer: (request, tls) => activity.during(stand.kubernetes.answer(request, tls)) },
    stand.kubernetes.serverCertificate,
  );
  const doors: readonly (readonly [Server, number])[] = [
    // The control API moves time and waits for what becomes due: counting it as activity would wait for itself.
    [httpDoor(front), ports.ui],
    [httpDoor(stand.aws.answer, activity), ports.aws],
    [httpDoor(stand.slack.answer, activity), ports.slack],
    [httpDoor(stand.frontDoor), ports.frontDoor],
    [kubernetes, ports.kubernetes],
  ];
  for (const [door, port] of doors) await listen(door, port);
  return doors.map(([door]) => door);
}

/** Ends a door with everything that is still connected to it. */
export const closed = (door: Server): Promise<void> =>
  new Promise((resolve) => {
    door.close(() => resolve());
    door.closeAllConnections();
  });
