import { messageOf } from "../../message-of.ts";
import { type Issued, issuedOf, makeRequest, type Template } from "./certificate-request.ts";
import { wrongRequests } from "./fault-kinds.ts";
import { type ApiAnswer, type Credentials, callApi, certificateIn, errorMessageOf } from "./kube-client.ts";
import type { Machine, ProgramContext } from "./machine.ts";

/** A certificate that a program keeps valid: its contents, the credentials to request it with, and its file. */
export interface ManagedCertificate {
  readonly signerName: string;
  readonly usage: "client auth" | "server auth";
  readonly expirationSeconds: number | null;
  /** PEM file of certificate and key. */
  readonly file: string;
  /** Null while it is not known yet. */
  template(): Template | null;
  /** Credentials for the request. @throws Error when there are none */
  credentials(): Credentials;
}

/** client-go, util/certificate: 15 minutes for one request, five tries from 2 s on, then every 32 s. */
const TIMEOUT_MS = 15 * 60_000;
const FIRST_BACKOFF_MS = 2_000;
const LONGEST_BACKOFF_MS = 32_000;
/** The real program watches the request; here a poll every three seconds has the same effect (assumed). */
const POLL_MS = 3_000;
/** It renews at 70 to 90 % of the lifetime; the middle of that. */
const RENEW_AT = 0.8;
/** Interval at which a certificate is compared with its template (the real one: every second). */
const COMPARE_MS = 10_000;

const CSRS = "/apis/certificates.k8s.io/v1/certificatesigningrequests";

/** The certificate in a PEM file, if it is one. */
export function issuedAt(machine: Machine, file: string): Issued | undefined {
  try {
    return issuedOf(certificateIn(machine.disk.text(file) ?? "", file));
  } catch {
    return undefined;
  }
}

const fits = (issued: Issued, template: Template): boolean =>
  issued.commonName === template.commonName &&
  [...template.dnsNames, ...template.ipAddresses].every((name) => issued.names.includes(name));

/** Is there a certificate that matches its template and is not due for renewal? */
function fresh(context: ProgramContext, managed: ManagedCertificate, template: Template): boolean {
  const issued = issuedAt(context.machine, managed.file);
  if (!issued || !fits(issued, template)) return false;
  const renewAt = issued.notBefore + (issued.notAfter - issued.notBefore) * RENEW_AT;
  return context.machine.simulation.clock.now() < renewAt;
}

const distortions: Readonly<Record<(typeof wrongRequests)[number], (template: Template) => Template>> = {
  "extra-san": (template) => ({ ...template, dnsNames: [...template.dnsNames, "api.example.com"] }),
  "extra-organization": (template) => ({ ...template, organizations: [...template.organizations, "system:masters"] }),
  "other-name": (template) => ({ ...template, commonName: "system:node:somebody-else" }),
};

/** The fault "kubelet-wrong-csr". */
function distorted(machine: Machine, template: Template): Template {
  const how = wrongRequests.find((one) => machine.faultApplies("kubelet-wrong-csr", { how: one }));
  return how ? distortions[how](template) : template;
}

function requestBody(managed: ManagedCertificate, pem: string): object {
  const { signerName, usage, expirationSeconds } = managed;
  return {
    apiVersion: "certificates.k8s.io/v1",
    kind: "CertificateSigningRequest",
    metadata: { generateName: "csr-" },
    spec: {
      request: Buffer.from(pem).toString("base64"),
      signerName,
      // An elliptic key enciphers nothing, so "key encipherment" is not asked for.
      usages: ["digital signature", usage],
      ...(expirationSeconds === null ? {} : { expirationSeconds }),
    },
  };
}

const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined;

/** Reads the outcome of a request: the certificate's PEM, the reason for a refusal, or nothing while it is pending. */
function verdict({ status, body }: ApiAnswer): { readonly pem?: string; readonly refusal?: string } {
  if (status === 404) return { refusal: "the request was deleted" };
  const state = body.status;
  const conditions = (fieldOf(state, "conditions") ?? []) as readonly { type: string; message?: string }[];
  const bad = conditions.find((condition) => condition.type === "Denied" || condition.type === "Failed");
  if (bad) return { refusal: `certificate request is ${bad.type}: ${bad.message ?? ""}` };
  const certificate = fieldOf(state, "certificate");
  return typeof certificate === "string" ? { pem: Buffer.from(certificate, "base64").toString("utf8") } : {};
}

async function awaitCertificate(context: ProgramContext, managed: ManagedCertificate, name: string): Promise<string> {
  const { machine, process } = context;
  const deadline = machine.simulation.clock.now() + TIMEOUT_MS;
  while (machine.simulation.clock.now() < deadline) {
    await process.pause(POLL_MS);
    const seen = verdict(await callApi(machine, process, managed.credentials(), "GET", `${CSRS}/${name}`));
    if (seen.refusal) throw new Error(seen.refusal);
    if (seen.pem) return seen.pem;
  }
  throw new Error(`certificate request ${name} was not signed: timed out waiting for the condition`);
}

/** Requests a certificate. @returns the request's name and its private key */
async function ask(
  context: ProgramContext,
  managed: ManagedCertificate,
  template: Template,
): Promise<{ name: string; key: string }> {
  const { machine, process } = context;
  const { request, key } = await process.io(makeRequest(distorted(machine, template)));
  const answer = await callApi(machine, process, managed.credentials(), "POST", CSRS, requestBody(managed, request));
  if (answer.status !== 201) throw new Error(`cannot create certificate signing request: ${errorMessageOf(answer)}`);
  const asked = { name: String(fieldOf(answer.body.metadata, "name")), key };
  context.log(`Certificate signing request ${asked.name} for ${managed.signerName}`);
  machine.state.requests[managed.file] = asked;
  machine.save();
  return asked;
}

async function obtain(context: ProgramContext, managed: ManagedCertificate, template: Template): Promise<void> {
  const { machine } = context;
  const { name, key } = machine.state.requests[managed.file] ?? (await ask(context, managed, template));
  try {
    const pem = await awaitCertificate(context, managed, name);
    machine.disk.write(managed.file, Buffer.from(`${pem.trimEnd()}\n${key}`), "system");
  } finally {
    forget(machine, managed);
  }
}

/** Drops the pending request: its key was in the memory of a process that has ended, so the program requests anew. */
function forget(machine: Machine, managed: ManagedCertificate): void {
  delete machine.state.requests[managed.file];
  machine.save();
}

/** Makes one attempt. @returns ms to wait before the next, doubled after each failure */
async function attempt(
  context: ProgramContext,
  managed: ManagedCertificate,
  template: Template,
  backoff: number,
): Promise<number> {
  try {
    await obtain(context, managed, template);
    return FIRST_BACKOFF_MS;
  } catch (error) {
    context.log(`Certificate request failed: ${messageOf(error)}`);
    await context.process.pause(backoff);
    return Math.min(backoff * 2, LONGEST_BACKOFF_MS);
  }
}

/** Keeps one certificate valid for as long as the program runs: requests, waits, stores, and renews in time. */
export async function maintainCertificate(context: ProgramContext, managed: ManagedCertificate): Promise<void> {
  if (!context.resumed) forget(context.machine, managed);
  let backoff = FIRST_BACKOFF_MS;
  while (!context.process.over) {
    const template = managed.template();
    const due = template !== null && !fresh(context, managed, template);
    if (due) backoff = await attempt(context, managed, template, backoff);
    else await context.process.pause(COMPARE_MS);
  }
}
