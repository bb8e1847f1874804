// @peculiar/x509 needs the reflection API before it is loaded.
import "reflect-metadata";

import { createPublicKey, X509Certificate as NodeCertificate } from "node:crypto";
import {
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  type Extension,
  type JsonGeneralNames,
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectAlternativeNameExtension,
  X509Certificate,
  X509CertificateGenerator,
} from "@peculiar/x509";
import { memoize } from "../../core/memoize.ts";
import type { Simulation } from "../../core/simulation.ts";
import { keyAlgorithm, keysOf, newKey, syncWebcrypto } from "../../core/sync-webcrypto.ts";

/** A certificate with its private key, both PEM. */
export interface Credentials {
  readonly certificate: string;
  readonly key: string;
}

/** Contents of a certificate to be signed by the cluster's authority. */
export interface CertificateFacts {
  readonly subject: string;
  /** SubjectPublicKeyInfo, DER. */
  readonly publicKey: Uint8Array;
  readonly seconds: number;
  readonly usages: readonly ("client auth" | "server auth")[];
  readonly names?: JsonGeneralNames;
}

/** The cluster's certificate authority. */
export interface Authority {
  readonly pem: string;
  /** Signs a certificate; it is valid from five minutes ago, so that clocks may differ. */
  sign(facts: CertificateFacts): Promise<string>;
  /** The subject of a client certificate that this authority signed and that is valid now; undefined otherwise. */
  clientOf(pem: string): Holder | undefined;
}

/** The holder of a client certificate, as the API server identifies it. */
export interface Holder {
  readonly commonName: string;
  readonly organizations: readonly string[];
  /** Hex sha256 of the certificate (DER): its credential id (k8s.io/apiserver, request/x509). */
  readonly fingerprint: string;
}

/**
 * Milliseconds before now from which a certificate is valid: kube-controller-manager's signer, which is cfssl's
 * (backdate).
 */
const BACKDATE = 5 * 60_000;
const YEAR = 365 * 24 * 3600;

/**
 * Lifetime of the authority's and the server's certificate: long, because real clients check these two by the host's
 * clock, which may be far behind the sandbox's.
 */
const WIDE = 10 * YEAR;

const usageOids = { "client auth": ExtendedKeyUsage.clientAuth, "server auth": ExtendedKeyUsage.serverAuth } as const;

const publicDer = (pem: string): Uint8Array => createPublicKey(pem).export({ type: "spki", format: "der" });

/** An authority's name ("CN=kubernetes") and validity, in milliseconds since the epoch. */
export interface AuthorityFacts {
  readonly subject: string;
  readonly from: number;
  readonly to: number;
}

/** Makes an authority: its certificate is signed by its own new key. */
export async function selfSigned(simulation: Simulation, { subject, from, to }: AuthorityFacts): Promise<Credentials> {
  const key = newKey();
  const certificate = await X509CertificateGenerator.create(
    {
      subject,
      issuer: subject,
      publicKey: publicDer(key),
      signingKey: keysOf(key).privateKey,
      notBefore: new Date(from),
      notAfter: new Date(to),
      serialNumber: serial(simulation),
      signingAlgorithm: keyAlgorithm,
      extensions: [
        new BasicConstraintsExtension(true, undefined, true),
        new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.digitalSignature, true),
      ],
    },
    syncWebcrypto,
  );
  return { certificate: certificate.toString("pem"), key };
}

/** Makes a serial number: positive, 16 bytes. */
const serial = (simulation: Simulation): string => `4${simulation.random.hex(31)}`;

function extensionsOf({ usages, names }: CertificateFacts): Extension[] {
  const extended = usages.map((usage) => usageOids[usage]);
  return [
    new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
    new ExtendedKeyUsageExtension(extended),
    new BasicConstraintsExtension(false, undefined, true),
    ...(names && names.length > 0 ? [new SubjectAlternativeNameExtension(names)] : []),
  ];
}

/** The values of one attribute in node:crypto's form of a subject, one attribute a line. */
const subjectValues = (subject: string, attribute: string): string[] =>
  subject
    .split("\n")
    .filter((line) => line.startsWith(`${attribute}=`))
    .map((line) => line.slice(attribute.length + 1));

/** Reads the holder and the validity of a client certificate that this authority signed; undefined for any other. */
function readClient(pem: string, issuer: NodeCertificate) {
  const certificate = new NodeCertificate(pem);
  const isForClients = certificate.keyUsage?.includes(ExtendedKeyUsage.clientAuth) ?? false;
  const [commonName] = subjectValues(certificate.subject, "CN");
  if (!commonName || !isForClients || !certificate.verify(issuer.publicKey)) return undefined;
  const fingerprint = certificate.fingerprint256.replaceAll(":", "").toLowerCase();
  const holder: Holder = { commonName, organizations: subjectValues(certificate.subject, "O"), fingerprint };
  return { holder, from: Date.parse(certificate.validFrom), to: Date.parse(certificate.validTo) };
}

/** Caches the result: a kubelet sends the same certificate with every request. */
function clientReader(simulation: Simulation, authority: string): Authority["clientOf"] {
  const issuer = new NodeCertificate(authority);
  const judged = new Map<string, ReturnType<typeof readClient>>();
  return (pem) => {
    const known = judged.has(pem) ? judged.get(pem) : readClient(pem, issuer);
    judged.set(pem, known);
    const now = simulation.clock.now();
    return known && known.from <= now && now <= known.to ? known.holder : undefined;
  };
}

/**
 * The cluster's authority: made on the first start, kept in the store.
 * @param simulation clock for validity, randomness for serial numbers, store for the key
 */
export async function clusterAuthority(simulation: Simulation): Promise<Authority> {
  const kept = simulation.store.collection<Credentials>("kubernetes-authority");
  const now = simulation.clock.now();
  const root: AuthorityFacts = { subject: "CN=kubernetes", from: now - WIDE * 1000, to: now + WIDE * 1000 };
  const credentials = kept.get("authority") ?? (await selfSigned(simulation, root));
  kept.set("authority", credentials);
  return {
    pem: credentials.certificate,
    clientOf: clientReader(simulation, credentials.certificate),
    sign: (facts) => signedBy(simulation, credentials, facts),
  };
}

/** Reads the subject of an authority's certificate, which every certificate that it signs repeats. */
const issuerName = memoize((pem) => new X509Certificate(pem).subject);

/**
 * Signs with an authority's key; the certificate is valid from five minutes ago.
 * @returns PEM
 */
export async function signedBy(
  simulation: Simulation,
  authority: Credentials,
  facts: CertificateFacts,
): Promise<string> {
  const now = simulation.clock.now();
  const certificate = await X509CertificateGenerator.create(
    {
      serialNumber: serial(simulation),
      subject: facts.subject,
      issuer: issuerName(authority.certificate),
      notBefore: new Date(now - BACKDATE),
      notAfter: new Date(now - BACKDATE + facts.seconds * 1000),
      publicKey: facts.publicKey,
      signingKey: keysOf(authority.key).privateKey,
      signingAlgorithm: keyAlgorithm,
      extensions: extensionsOf(facts),
    },
    syncWebcrypto,
  );
  return `${certificate.toString("pem")}\n`;
}

/** The API server's own certificate for loopback and its in-cluster names, made once and kept. */
export async function servingCredentials(simulation: Simulation, authority: Authority): Promise<Credentials> {
  const kept = simulation.store.collection<Credentials>("kubernetes-authority");
  const known = kept.get("server");
  if (known) return known;
  const key = newKey();
  const names: JsonGeneralNames = [
    { type: "ip", value: "127.0.0.1" },
    ...["localhost", "kubernetes", "kubernetes.default.svc"].map((value) => ({ type: "dns" as const, value })),
  ];
  const facts: CertificateFacts = {
    subject: "CN=kube-apiserver",
    publicKey: publicDer(key),
    seconds: WIDE,
    usages: ["server auth"],
    names,
  };
  const credentials = { certificate: await authority.sign(facts), key };
  kept.set("server", credentials);
  return credentials;
}

/** Signs a client certificate for a person or component of the cluster (the administrator's kubeconfig). */
export async function clientCredentials(
  authority: Pick<Authority, "sign">,
  commonName: string,
  organizations: readonly string[],
): Promise<Credentials> {
  const key = newKey();
  const subject = [...organizations.map((one) => `O=${one}`), `CN=${commonName}`].join(", ");
  const facts: CertificateFacts = { subject, publicKey: publicDer(key), seconds: YEAR, usages: ["client auth"] };
  return { certificate: await authority.sign(facts), key };
}
