import { createHash } from "node:crypto";
import { httpServer } from "../../lib/sandbox/http-server.ts";
import { type Publishers, publishers } from "../../lib/sandbox/publishers/publishers.ts";
import { listen } from "../ports.ts";
import { closeServer } from "../servers.ts";
import type { Network } from "./http.ts";
import { minorOf } from "./versions.ts";

/** Stand-ins for all publishers and registries, on loopback. */
export interface StandIns {
  readonly publishers: Publishers;
  /** Sends a request to the stand-in of its host. */
  readonly fetch: Network["fetch"];
  /** sha256 of their contents, by address. */
  readonly pins: ReadonlyMap<string, string>;
  close(): Promise<void>;
}

/** Starts the stand-ins for the publishers of a Kubernetes version's programs. */
export async function standIns(version: string): Promise<StandIns> {
  const own = await publishers(minorOf(version));
  const server = httpServer(own.answer);
  const port = await listen(server, 0);
  const pins = [...own.files].map(([address, content]): [string, string] => [
    `https://${address}`,
    createHash("sha256").update(content).digest("hex"),
  ]);
  return {
    publishers: own,
    fetch: (url, init) => fetch(url.replace(/^https:\/\//, `http://127.0.0.1:${port}/`), init),
    pins: new Map(pins),
    close: () => closeServer(server),
  };
}
