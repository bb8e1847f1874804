import type { Server } from "node:http";
import type { Activity } from "../lib/sandbox/core/activity.ts";
import type { WireRequest, WireResponse } from "../lib/sandbox/core/wire.ts";
import { httpDoor } from "../lib/sandbox/doors.ts";
import { kubernetesDoor } from "../lib/sandbox/kubernetes/door.ts";
import type { Simulator } from "../lib/sandbox/simulator.ts";
import { type Place, type Places, stand } from "./listen.ts";

/** Control API and page share a port: these are the control API's paths ("/mishaps": see control.ts). */
const CONTROL = /^\/(state|messages|calls|people|faults|mishaps|clock|schema)([/?]|$)/;

/** Is this a request for the control API? */
export const isControl = (url: string): boolean => CONTROL.test(url);

type Answer = (request: WireRequest) => Promise<WireResponse>;

/** Opens the five doors of the simulator on loopback. */
export async function openDoors(
  simulator: Simulator,
  places: Places,
  activity: Activity,
  front: Answer,
): Promise<Server[]> {
  const kubernetes = kubernetesDoor(
    { answer: (request, tls) => activity.during(simulator.kubernetes.answer(request, tls)) },
    simulator.kubernetes.serverCertificate,
  );
  const doors: readonly (readonly [Server, Place])[] = [
    // The control API moves time and waits for what becomes due: counting it as activity would wait for itself.
    [httpDoor(front), places.ui],
    [httpDoor(simulator.aws.answer, activity), places.aws],
    [httpDoor(simulator.slack.answer, activity), places.slack],
    [httpDoor(simulator.frontDoor), places.frontDoor],
    [kubernetes, places.kubernetes],
  ];
  for (const [door, place] of doors) await stand(door, place);
  return doors.map(([door]) => door);
}

/** Ends a door with everything that is still connected to it. */
export const closed = (door: Server): Promise<void> =>
  new Promise((resolve) => {
    door.close(() => resolve());
    door.closeAllConnections();
  });
