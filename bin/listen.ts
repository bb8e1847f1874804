import { createServer, type Server } from "node:net";
import { StartError } from "./start-error.ts";

/** The five doors of the sandbox, in the order of their ports. */
const doorNames = ["ui", "aws", "slack", "frontDoor", "kubernetes"] as const;

type DoorName = (typeof doorNames)[number];

const LOOPBACK = "127.0.0.1";

/** A port that is ours: a server listens there until a door takes its place. */
export interface Place {
  readonly port: number;
  readonly server: Server;
}

/** Door → where it will stand. */
export type Places = Readonly<Record<DoorName, Place>>;

/**
 * Makes a server listen on loopback.
 * @param port chosen by the system when 0
 * @returns the port
 * @throws StartError that names the flag when somebody else listens there
 */
export const listen = (server: Server, port: number): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      const taken = error.code === "EADDRINUSE" || error.code === "EACCES";
      const words = `port ${port} is taken: choose another with --port (the sandbox takes five in a row)`;
      reject(taken ? new StartError(words) : error);
    });
    server.listen(port, LOOPBACK, () => {
      const address = server.address();
      resolve(typeof address === "object" && address ? address.port : port);
    });
  });

async function take(port: number): Promise<Place> {
  // Who comes before the door stands is turned away at once: kept waiting, a client that polls would wait for ever.
  const server = createServer((early) => early.destroy());
  return { server, port: await listen(server, port) };
}

/** Takes all five ports before anything is built on them, and keeps them. */
export async function takePlaces(first: number): Promise<Places> {
  const places = await Promise.all(doorNames.map((_, at) => take(first === 0 ? 0 : first + at)));
  return Object.fromEntries(doorNames.map((name, at) => [name, places[at]])) as unknown as Places;
}

/** Makes a door listen in its place: the port is handed over without being free in between. */
export const stand = (door: Server, { server }: Place): Promise<void> =>
  new Promise((resolve, reject) => {
    door.once("error", reject);
    // Node documentation, server.listen(handle): a server that listens already is a handle.
    door.listen(server, () => resolve());
  });
