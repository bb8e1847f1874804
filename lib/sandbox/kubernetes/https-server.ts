import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import type { TLSSocket } from "node:tls";
import { received, send } from "../core/http.ts";
import type { KubernetesApi } from "../core/ports.ts";
import { json, type WireResponse } from "../core/wire.ts";
import type { Credentials } from "./access/authority.ts";
import { ApiFailure, statusOf } from "./model/failure.ts";

/** Largest request that the API server reads (k8s.io/apiserver MaxRequestBodyBytes). */
const LARGEST = 3 * 1024 * 1024;

function certificateOf(socket: TLSSocket): { clientCertificate: string } | undefined {
  const { raw } = socket.getPeerCertificate();
  if (!raw) return undefined;
  const lines = raw.toString("base64").match(/.{1,64}/g) ?? [];
  return { clientCertificate: ["-----BEGIN CERTIFICATE-----", ...lines, "-----END CERTIFICATE-----", ""].join("\n") };
}

/** The error of k8s.io/apimachinery NewRequestEntityTooLargeError. */
const tooLarge: WireResponse = json(
  statusOf(new ApiFailure(413, "RequestEntityTooLarge", `Request entity too large: limit is ${LARGEST}`)),
  413,
);

async function answer(api: KubernetesApi, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const request = await received(incoming, LARGEST);
  if (!request) return send(tooLarge, outgoing);
  return send(await api.answer(request, certificateOf(incoming.socket as TLSSocket)), outgoing);
}

/**
 * Builds the HTTPS server in front of the API server. It requests a client certificate but leaves its check to the API.
 * @param credentials the server's own certificate and key, PEM
 * @returns a server that does not listen yet
 */
export function kubernetesServer(api: KubernetesApi, credentials: Credentials): Server {
  const options = { cert: credentials.certificate, key: credentials.key, requestCert: true, rejectUnauthorized: false };
  return createServer(options, (request, response) => {
    answer(api, request, response).catch(() => response.destroy());
  });
}
