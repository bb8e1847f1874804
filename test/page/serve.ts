import { listen } from "../../bin/ports.ts";
import type { WireRequest, WireResponse } from "../../lib/sandbox/core/wire.ts";
import { httpServer } from "../../lib/sandbox/http-server.ts";

/** Puts a service of the simulator on a free loopback port. */
export async function serve(
  answer: (request: WireRequest) => Promise<WireResponse>,
): Promise<{ readonly address: string; close(): Promise<void> }> {
  const server = httpServer(answer);
  return {
    address: `http://127.0.0.1:${await listen(server, 0)}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
