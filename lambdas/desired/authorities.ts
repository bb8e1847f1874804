import { createHash, X509Certificate } from "node:crypto";
import { Refused } from "../errors.ts";

/** One certificate authority of a bundle. */
export interface Authority {
  /** "CN=kube-apiserver-to-kubelet-signer", one attribute after the other. */
  readonly subject: string;
  /** Hex sha256 of the certificate. */
  readonly fingerprint: string;
  /** ISO 8601. */
  readonly notAfter: string;
}

/** Part of the name of the authority behind the API server's own calls to kubelets (cluster-kube-apiserver-operator). */
const SIGNER = "kube-apiserver-to-kubelet-signer";

/** Is it behind `kubectl logs` and `exec`? Others of the bundle are behind metrics and administrators' certificates. */
export const isLogSigner = ({ subject }: Pick<Authority, "subject">): boolean => subject.includes(SIGNER);

const BLOCK = /-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g;

function authorityOf(pem: string): Authority {
  const certificate = new X509Certificate(pem);
  return {
    subject: certificate.subject.split("\n").join(", "),
    fingerprint: certificate.fingerprint256.replaceAll(":", "").toLowerCase(),
    notAfter: new Date(certificate.validTo).toISOString(),
  };
}

/**
 * Reads a bundle of certificates.
 * @param pem any number of PEM certificates
 * @param from where it was read, for the sentence: "ControllerConfig machine-config-controller"
 * @returns at least one
 * @throws Refused when there is none, or one cannot be read
 */
export function authoritiesIn(pem: string, from: string): readonly Authority[] {
  const blocks = pem.match(BLOCK) ?? [];
  if (blocks.length === 0) throw new Refused(`${from} holds no certificate, so no kubelet was started`);
  try {
    return blocks.map(authorityOf);
  } catch (error) {
    const why = error instanceof Error ? error.message : "unknown reason";
    throw new Refused(`${from} holds a certificate that cannot be read (${why}), so no kubelet was started`);
  }
}

/** Hex sha256 of a text. */
export const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");
