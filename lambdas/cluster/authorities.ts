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

/** A bundle of authorities, and what is in it. */
export interface Bundle {
  readonly pem: string;
  readonly authorities: readonly Authority[];
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

/** Marks of a certificate that has no end, or no beginning. */
const MARK = /-----(BEGIN|END)/;

const unreadable = (why: string): Refused => new Refused(why, { code: "authority-unreadable" });

/**
 * Reads a bundle of certificates.
 * @param pem any number of PEM certificates
 * @param from where it was read, for the sentence: "ControllerConfig machine-config-controller"
 * @param then consequence of a bundle that cannot be read, for the sentence
 * @returns at least one
 * @throws Refused when there is none, when one cannot be read, or when the bundle is cut off inside of one
 */
export function authoritiesIn(pem: string, from: string, then = "so no kubelet was started"): readonly Authority[] {
  const blocks = pem.match(BLOCK) ?? [];
  if (MARK.test(pem.replaceAll(BLOCK, ""))) throw unreadable(`${from} is cut off inside a certificate, ${then}`);
  if (blocks.length === 0) throw unreadable(`${from} holds no certificate, ${then}`);
  try {
    return blocks.map(authorityOf);
  } catch (error) {
    const why = error instanceof Error ? error.message : "unknown reason";
    throw unreadable(`${from} holds a certificate that cannot be read (${why}), ${then}`);
  }
}

/**
 * Tells a bundle that only lost authorities: the cluster drops none before it ends, so such a bundle was cut short. A
 * kubelet that trusts more than the bundle holds loses nothing by waiting.
 * @param published what the cluster publishes now
 * @param known what machines were given
 * @param now milliseconds since the epoch
 * @returns the first authority that is missing; undefined for a bundle that may be given to machines
 */
export function lostAuthority(
  published: readonly Authority[],
  known: readonly (readonly Authority[])[],
  now: number,
): Authority | undefined {
  const has = (all: readonly Authority[], one: Authority): boolean =>
    all.some(({ fingerprint }) => fingerprint === one.fingerprint);
  const shrunk = known.find(
    (given) =>
      published.every((one) => has(given, one)) &&
      given.some((one) => Date.parse(one.notAfter) > now && !has(published, one)),
  );
  return shrunk?.find((one) => Date.parse(one.notAfter) > now && !has(published, one));
}

/** Hex sha256 of a text. */
export const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");
