import { createHash, X509Certificate } from "node:crypto";
import { Refused } from "../errors.ts";

/** One certificate authority of a bundle. */
export interface Authority {
  /** "CN=kube-apiserver-to-kubelet-signer"; several attributes are separated by commas. */
  readonly subject: string;
  /** Hex sha256 of the certificate. */
  readonly fingerprint: string;
  /** ISO 8601. */
  readonly notAfter: string;
}

/** A bundle of authorities: its text and its certificates. */
export interface Bundle {
  readonly pem: string;
  readonly authorities: readonly Authority[];
}

/**
 * Part of the name of the authority behind the API server's own calls to kubelets (cluster-kube-apiserver-operator).
 */
const SIGNER = "kube-apiserver-to-kubelet-signer";

/**
 * Does `kubectl logs` and `exec` depend on this authority? Others of the bundle sign metrics' and administrators'
 * certificates.
 */
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

/** Matches the remains of a certificate without an end or a beginning. */
const MARK = /-----(BEGIN|END)/;

const unreadable = (why: string): Refused => new Refused(why, { code: "authority-unreadable" });

/**
 * Reads a bundle of certificates.
 * @param pem any number of PEM certificates
 * @param from source of the bundle, for the error message: "ControllerConfig machine-config-controller"
 * @param then consequence of an unreadable bundle, for the error message
 * @returns at least one authority
 * @throws Refused if there is none, if one cannot be read, or if the bundle is cut off inside a certificate
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
 * Detects a bundle that was cut short: it only lost authorities, although the cluster removes none before it expires.
 * Waiting does no harm, because kubelets still trust all authorities of the bundle.
 * @param published the authorities that the cluster publishes now
 * @param known the bundles that machines have
 * @param now milliseconds since the epoch
 * @returns the first missing authority; undefined for a bundle that machines may get
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
