import { parse } from "yaml";
import { z } from "zod";
import { memoize } from "../core/memoize.ts";
import { textOfAnswer } from "../core/wire.ts";
import type { Machine } from "./machine.ts";
import type { Process } from "./process.ts";

/** Identity of a program towards the API server: a certificate, a token, or both. */
export interface Credentials {
  readonly server: string;
  readonly token: string | null;
  /** PEM of the client certificate. */
  readonly certificate: string | null;
}

const kubeConfigSchema = z.object({
  clusters: z
    .array(
      z.object({
        cluster: z.object({
          server: z.url(),
          "certificate-authority": z.string().optional(),
          "certificate-authority-data": z.string().optional(),
        }),
      }),
    )
    .min(1),
  users: z
    .array(
      z.object({
        user: z.object({
          token: z.string().optional(),
          tokenFile: z.string().optional(),
          "client-certificate": z.string().optional(),
          "client-certificate-data": z.string().optional(),
        }),
      }),
    )
    .min(1),
});

const kubeConfigOf = memoize((text) => kubeConfigSchema.parse(parse(text)));

/** @throws Error when the file is missing */
export function textAt(machine: Machine, path: string): string {
  const text = machine.disk.text(path);
  if (text === undefined) throw new Error(`open ${path}: The system cannot find the file specified.`);
  return text;
}

/** The first certificate of a PEM file. @throws Error when there is none */
export function certificateIn(pem: string, path: string): string {
  const found = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/.exec(pem);
  if (!found) throw new Error(`tls: failed to find any PEM data in ${path}`);
  return found[0];
}

const decoded = (data: string | undefined): string | undefined =>
  data === undefined ? undefined : Buffer.from(data, "base64").toString("utf8");

/**
 * Reads a kubeconfig from the machine's disk, with the files it refers to.
 * @throws Error when the file, or a file that it names, is missing or cannot be read
 */
export function credentialsAt(machine: Machine, path: string): Credentials {
  const config = kubeConfigOf(textAt(machine, path));
  const cluster = config.clusters[0]?.cluster;
  const user = config.users[0]?.user;
  const authority = cluster?.["certificate-authority"];
  const authorityPem =
    authority === undefined ? decoded(cluster?.["certificate-authority-data"]) : textAt(machine, authority);
  certificateIn(authorityPem ?? "", authority ?? "certificate-authority-data");
  const file = user?.["client-certificate"];
  const pem = file === undefined ? decoded(user?.["client-certificate-data"]) : textAt(machine, file);
  return {
    server: cluster?.server ?? "",
    token: (user?.tokenFile === undefined ? user?.token : textAt(machine, user.tokenFile).trim()) ?? null,
    certificate: pem === undefined ? null : certificateIn(pem, file ?? "client-certificate-data"),
  };
}

/** An answer of the API server: the object, or a Status. */
export interface ApiAnswer {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

async function ask(
  machine: Machine,
  who: Credentials,
  method: string,
  path: string,
  body: unknown,
  type: string,
): Promise<ApiAnswer> {
  const headers: Record<string, string> = {
    accept: "application/json",
    "content-type": type,
    "user-agent": "kubelet/windows",
  };
  if (who.token !== null) headers.authorization = `Bearer ${who.token}`;
  const request = { method, url: path, headers, body: Buffer.from(body === undefined ? "" : JSON.stringify(body)) };
  const tls = who.certificate === null ? undefined : { clientCertificate: who.certificate };
  const response = await machine.ports.kubernetes.answer(request, tls);
  const text = await textOfAnswer(response);
  try {
    return { status: response.status, body: JSON.parse(text || "{}") as Record<string, unknown> };
  } catch {
    return { status: response.status, body: { message: text } };
  }
}

/** Calls the API server as a program of this machine. */
export const callApi = (
  machine: Machine,
  process: Process,
  who: Credentials,
  method: "GET" | "POST" | "PUT" | "PATCH",
  path: string,
  body?: unknown,
  type = method === "PATCH" ? "application/strategic-merge-patch+json" : "application/json",
): Promise<ApiAnswer> => process.io(ask(machine, who, method, path, body, type));

/** The message of an error response, after its HTTP status. */
export const errorMessageOf = (answer: ApiAnswer): string =>
  `${answer.status} ${String(answer.body.message ?? answer.body.reason ?? "")}`.trim();
