import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Network } from "../../bin/payload/http.ts";
import { type StandIns, standIns } from "../../bin/payload/stand-ins.ts";
import type { WireRequest, WireResponse } from "../../lib/sandbox/core/wire.ts";

/** Publishers on loopback, and the pauses that a client made. */
export interface StandInNetwork extends StandIns {
  readonly network: Network;
  readonly pauses: number[];
}

/** Time of the network: a Retry-After date is compared to it. */
export const NOW = Date.UTC(2026, 10, 20, 12, 0, 0);

/** Starts the publishers of Kubernetes 1.34; pauses pass at once. */
export async function standInNetwork(): Promise<StandInNetwork> {
  const publishers = await standIns("1.34.2");
  const pauses: number[] = [];
  const pause = async (ms: number): Promise<void> => {
    pauses.push(ms);
  };
  return { ...publishers, pauses, network: { fetch: publishers.fetch, pause, now: () => NOW } };
}

/** Makes an empty folder. */
export const emptyFolder = (): string => mkdtempSync(join(tmpdir(), "casement-payload-"));

type Fault = (host: string, path: string, request: WireRequest) => WireResponse | null;

/** Lets a fault hit the first requests for a path that ends so. */
export function faultFor(end: string, times: number, answer: WireResponse): Fault {
  let left = times;
  return (_, path) => {
    if (!path.endsWith(end) || left === 0) return null;
    left -= 1;
    return answer;
  };
}

/** Answer that ends before its content does: the server closes the connection. */
export const truncated = (headers: Readonly<Record<string, string>>, piece: string): WireResponse => ({
  status: 200,
  headers: { ...headers, connection: "close" },
  body: (async function* () {
    yield piece;
    // Time for the client to store it.
    await new Promise((turn) => setTimeout(turn, 50));
  })(),
});
