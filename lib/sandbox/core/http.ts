import type { IncomingMessage, ServerResponse } from "node:http";
import type { WireRequest, WireResponse } from "./wire.ts";

/**
 * Reads a request to its end.
 * @param largest bytes that a body may have
 * @returns undefined when it has more
 */
export async function received(incoming: IncomingMessage, largest: number): Promise<WireRequest | undefined> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of incoming) {
    size += piece.length;
    if (size > largest) return undefined;
    pieces.push(piece);
  }
  const headers = Object.fromEntries(Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]));
  return { method: incoming.method ?? "GET", url: incoming.url ?? "/", headers, body: Buffer.concat(pieces) };
}

/** Sends an answer; one that is iterated ends when the caller hangs up. */
export async function send({ status, headers, body }: WireResponse, outgoing: ServerResponse): Promise<void> {
  outgoing.writeHead(status, headers);
  if (typeof body === "string" || body instanceof Uint8Array) {
    outgoing.end(body);
    return;
  }
  outgoing.flushHeaders();
  const pieces = body[Symbol.asyncIterator]();
  outgoing.once("close", () => void pieces.return?.());
  for (let piece = await pieces.next(); !piece.done; piece = await pieces.next()) outgoing.write(piece.value);
  outgoing.end();
}
