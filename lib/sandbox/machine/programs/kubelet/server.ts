import { X509Certificate } from "node:crypto";
import type { KubeletAnswer } from "../../../core/ports.ts";
import { issuedAt } from "../../certificate-manager.ts";
import type { Machine } from "../../machine.ts";
import { runningProgram } from "../../running-programs.ts";
import { servingFile } from "./kubelet.ts";
import { settingsOf } from "./settings.ts";

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g;

/** Reads the authorities in a PEM bundle that are valid now; skips anything that is not a certificate. */
function authoritiesIn(bundle: string, now: number): X509Certificate[] {
  return (bundle.match(CERTIFICATE) ?? []).flatMap((pem) => {
    try {
      const certificate = new X509Certificate(pem);
      return Date.parse(certificate.validFrom) <= now && now <= Date.parse(certificate.validTo) ? [certificate] : [];
    } catch {
      return [];
    }
  });
}

/** Milliseconds after which a kubelet reads the file again (k8s.io/apiserver, dynamiccertificates, FileRefreshDuration). */
const READS_AGAIN_MS = 60_000;

/** Authorities as a kubelet has read them. */
interface Read {
  readonly bootId: number;
  readonly at: number;
  readonly bundle: string;
}

const read = new WeakMap<Machine, Read>();

/** The bundle that the kubelet goes by: a changed file counts within a minute; after a boot it is read at once. */
function bundleOf(machine: Machine, file: string | undefined, now: number): string {
  const known = read.get(machine);
  const { bootId } = machine.state;
  if (known && known.bootId === bootId && now - known.at < READS_AGAIN_MS) return known.bundle;
  const bundle = (file && machine.disk.text(file)) ?? "";
  read.set(machine, { bootId, at: now, bundle });
  return bundle;
}

/**
 * Judges a call on port 10250 as the kubelet does: by the client authorities in its file, which it reads again every
 * minute (pkg/kubelet/server, DynamicFileCAContent). Anonymous callers are refused.
 * @param clientCertificate PEM
 */
export function kubeletAnswer(machine: Machine, clientCertificate: string): KubeletAnswer {
  const running = machine.state.power === "running" ? runningProgram(machine, "kubelet") : undefined;
  if (!running) return "unreachable";
  const now = machine.simulation.clock.now();
  const settings = settingsOf(machine, running.words);
  const serving = issuedAt(machine, servingFile(settings));
  if (!serving || serving.notAfter < now) return "no-certificate";
  const file = settings.config.authentication?.x509?.clientCAFile;
  const caller = new X509Certificate(clientCertificate);
  const trusted = authoritiesIn(bundleOf(machine, file, now), now);
  return trusted.some((authority) => caller.checkIssued(authority) && caller.verify(authority.publicKey))
    ? "answers"
    : "unauthorized";
}
