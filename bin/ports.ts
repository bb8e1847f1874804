import { createServer, type Server } from "node:net";
import { StartError } from "./start-error.ts";

/** Servers of the sandbox, in the order of their ports. */
const portNames = ["ui", "aws", "slack", "frontDoor", "kubernetes"] as const;

type PortName = (typeof portNames)[number];

const LOOPBACK = "127.0.0.1";

/** A bound port: a placeholder listens on it until the port is handed over to the real server. */
export interface BoundPort {
  readonly port: number;
  readonly server: Server;
}

/** Bound port of each server. */
export type Ports = Readonly<Record<PortName, BoundPort>>;

/**
 * Makes a server listen on loopback.
 * @param port 0 lets the system choose
 * @returns the port
 * @throws StartError that names the flag if the port is in use
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

async function bind(port: number): Promise<BoundPort> {
  // Early connections are closed immediately: if they stayed open, a client that polls would wait without end.
  const server = createServer((early) => early.destroy());
  return { server, port: await listen(server, port) };
}

/** Binds all five ports before anything is built on them. @param first the first of the five; 0 lets the system choose */
export async function bindPorts(first: number): Promise<Ports> {
  const ports = await Promise.all(portNames.map((_, at) => bind(first === 0 ? 0 : first + at)));
  return Object.fromEntries(portNames.map((name, at) => [name, ports[at]])) as unknown as Ports;
}

/** Hands a bound port over to a server, so that the port is never free in between. */
export const handOver = (server: Server, { server: placeholder }: BoundPort): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once("error", reject);
    // Node documentation, server.listen(handle): a listening server is a valid handle.
    server.listen(placeholder, () => resolve());
  });
