import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { WireRequest, WireResponse } from "../../lib/sandbox/core/wire.ts";

type Answer = (request: WireRequest) => Promise<WireResponse>;

async function wireRequest(incoming: IncomingMessage): Promise<WireRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk);
  const headers = Object.fromEntries(Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]));
  return { method: incoming.method ?? "GET", url: incoming.url ?? "/", headers, body: Buffer.concat(chunks) };
}

async function send({ status, headers, body }: WireResponse, outgoing: ServerResponse): Promise<void> {
  outgoing.writeHead(status, headers);
  if (typeof body === "string" || body instanceof Uint8Array) {
    outgoing.end(body);
    return;
  }
  for await (const piece of body) {
    if (outgoing.destroyed) return;
    outgoing.write(piece);
  }
  outgoing.end();
}

/** Puts a service of the ground on a free loopback port. */
export async function serve(answer: Answer): Promise<{ readonly address: string; close(): Promise<void> }> {
  const server = createServer(async (incoming, outgoing) => send(await answer(await wireRequest(incoming)), outgoing));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    address: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
