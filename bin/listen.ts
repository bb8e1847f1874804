import { createServer, type Server } from "node:net";
import { StartError } from "./start-error.ts";

/** The five doors of the sandbox, in the order of their ports. */
export const doorNames = ["ui", "aws", "slack", "frontDoor", "kubernetes"] as const;

/** Door → port. */
export type Ports = Readonly<Record<(typeof doorNames)[number], number>>;

const LOOPBACK = "127.0.0.1";

/**
 * Makes a server listen on loopback.
 * @returns the port, chosen by the system when 0 was asked for
 * @throws StartError that names the flag when somebody else listens there
 */
export const listen = (server: Server, port: number): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      const taken = error.code === "EADDRINUSE" || error.code === "EACCES";
      reject(
        taken
          ? new StartError(`port ${port} is taken: choose another with --port (the sandbox takes five in a row)`)
          : error,
      );
    });
    server.listen(port, LOOPBACK, () => {
      const address = server.address();
      resolve(typeof address === "object" && address ? address.port : port);
    });
  });

/** Finds out that all five ports are free before anything is built on them. */
export async function freePorts(first: number): Promise<Ports> {
  const probes = doorNames.map(() => createServer());
  try {
    const ports = await Promise.all(probes.map((probe, at) => listen(probe, first === 0 ? 0 : first + at)));
    return Object.fromEntries(doorNames.map((name, at) => [name, ports[at] ?? 0])) as Ports;
  } finally {
    await Promise.all(probes.map((probe) => new Promise((resolve) => probe.close(resolve))));
  }
}
