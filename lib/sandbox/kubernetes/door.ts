import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import type { TLSSocket } from "node:tls";
import type { KubernetesApi } from "../core/surroundings.ts";
import { json, type WireRequest, type WireResponse } from "../core/wire.ts";
import type { Credentials } from "./access/authority.ts";
import { ApiFailure, statusOf } from "./model/failure.ts";

/** Largest request that the API server reads (k8s.io/apiserver MaxRequestBodyBytes). */
const LARGEST = 3 * 1024 * 1024;

async function bodyOf(request: IncomingMessage): Promise<Uint8Array | undefined> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of request) {
    size += (piece as Buffer).length;
    if (size > LARGEST) return undefined;
    pieces.push(piece as Buffer);
  }
  return Buffer.concat(pieces);
}

const headersOf = (request: IncomingMessage): Record<string, string> =>
  Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));

function certificateOf(socket: TLSSocket): { clientCertificate: string } | undefined {
  const { raw } = socket.getPeerCertificate();
  if (!raw) return undefined;
  const lines = raw.toString("base64").match(/.{1,64}/g) ?? [];
  return { clientCertificate: ["-----BEGIN CERTIFICATE-----", ...lines, "-----END CERTIFICATE-----", ""].join("\n") };
}

async function send(response: ServerResponse, { status, headers, body }: WireResponse): Promise<void> {
  response.writeHead(status, headers);
  if (typeof body === "string" || body instanceof Uint8Array) {
    response.end(body);
    return;
  }
  response.flushHeaders();
  const pieces = body[Symbol.asyncIterator]();
  response.once("close", () => void pieces.return?.());
  for (let piece = await pieces.next(); !piece.done; piece = await pieces.next()) response.write(piece.value);
  response.end();
}

/** In the words of k8s.io/apimachinery NewRequestEntityTooLargeError. */
const tooLarge: WireResponse = json(
  statusOf(new ApiFailure(413, "RequestEntityTooLarge", `Request entity too large: limit is ${LARGEST}`)),
  413,
);

async function answer(api: KubernetesApi, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await bodyOf(request);
  if (!body) return send(response, tooLarge);
  const wire: WireRequest = {
    method: request.method ?? "GET",
    url: request.url ?? "/",
    headers: headersOf(request),
    body,
  };
  return send(response, await api.answer(wire, certificateOf(request.socket as TLSSocket)));
}

/**
 * The HTTPS door in front of the API server. It asks for a client certificate but judges none: the API does.
 * @param credentials the server's own certificate and key, PEM
 * @returns a server that does not listen yet
 */
export function kubernetesDoor(api: KubernetesApi, credentials: Credentials): Server {
  const options = { cert: credentials.certificate, key: credentials.key, requestCert: true, rejectUnauthorized: false };
  return createServer(options, (request, response) => {
    answer(api, request, response).catch(() => response.destroy());
  });
}
