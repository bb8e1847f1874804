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
  X509CertificateGenerator,
} from "@peculiar/x509";
import type { Foundation } from "../../core/foundation.ts";
import { keyAlgorithm, keysOf, newKey, promptCrypto } from "../../core/prompt-crypto.ts";

/** A certificate with its private key, both PEM. */
export interface Credentials {
  readonly certificate: string;
  readonly key: string;
}

/** What the cluster's authority writes into a certificate. */
export interface Order {
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
  /** Signs; the certificate begins five minutes back, so that clocks may differ. */
  sign(order: Order): Promise<string>;
  /** The subject of a client certificate that this authority signed and whose time is now; undefined otherwise. */
  clientOf(pem: string): { readonly commonName: string; readonly organizations: readonly string[] } | undefined;
}

/** How far back a certificate begins: kube-controller-manager's signer, which is cfssl's (backdate). */
const BACKDATE = 5 * 60_000;
const YEAR = 365 * 24 * 3600;

/**
 * The authority's own life and the server's: so wide because real clients judge these two by the host's clock, which the
 * sandbox's clock may leave behind.
 */
const WIDE = 10 * YEAR;

const usageOids = { "client auth": ExtendedKeyUsage.clientAuth, "server auth": ExtendedKeyUsage.serverAuth } as const;

const publicDer = (pem: string): Uint8Array => createPublicKey(pem).export({ type: "spki", format: "der" });

async function selfSigned(foundation: Foundation, key: string): Promise<Credentials> {
  const now = foundation.clock.now();
  const certificate = await X509CertificateGenerator.create(
    {
      subject: "CN=kubernetes",
      issuer: "CN=kubernetes",
      publicKey: publicDer(key),
      signingKey: keysOf(key).privateKey,
      notBefore: new Date(now - WIDE * 1000),
      notAfter: new Date(now + WIDE * 1000),
      serialNumber: serial(foundation),
      signingAlgorithm: keyAlgorithm,
      extensions: [
        new BasicConstraintsExtension(true, undefined, true),
        new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.digitalSignature, true),
      ],
    },
    promptCrypto,
  );
  return { certificate: certificate.toString("pem"), key };
}

/** A positive number of 16 bytes. */
const serial = (foundation: Foundation): string => `4${foundation.random.hex(31)}`;

function extensionsOf({ usages, names }: Order): Extension[] {
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

/** What a certificate of ours says of its holder, and when it does; undefined for any other. */
function readClient(pem: string, issuer: NodeCertificate) {
  const certificate = new NodeCertificate(pem);
  const isForClients = certificate.keyUsage?.includes(ExtendedKeyUsage.clientAuth) ?? false;
  const [commonName] = subjectValues(certificate.subject, "CN");
  if (!commonName || !isForClients || !certificate.verify(issuer.publicKey)) return undefined;
  const holder = { commonName, organizations: subjectValues(certificate.subject, "O") };
  return { holder, from: Date.parse(certificate.validFrom), to: Date.parse(certificate.validTo) };
}

/** A certificate is judged once: a kubelet shows the same one with every request. */
function clientReader(foundation: Foundation, authority: string): Authority["clientOf"] {
  const issuer = new NodeCertificate(authority);
  const judged = new Map<string, ReturnType<typeof readClient>>();
  return (pem) => {
    const known = judged.has(pem) ? judged.get(pem) : readClient(pem, issuer);
    judged.set(pem, known);
    const now = foundation.clock.now();
    return known && known.from <= now && now <= known.to ? known.holder : undefined;
  };
}

/**
 * The cluster's authority: made on the first start, kept in the store.
 * @param foundation clock for validity, randomness for serial numbers, store for the key
 */
export async function clusterAuthority(foundation: Foundation): Promise<Authority> {
  const kept = foundation.store.collection<Credentials>("kubernetes-authority");
  const credentials = kept.get("authority") ?? (await selfSigned(foundation, newKey()));
  kept.set("authority", credentials);
  const signingKey = keysOf(credentials.key).privateKey;
  return {
    pem: credentials.certificate,
    clientOf: clientReader(foundation, credentials.certificate),
    sign: async (order) => {
      const now = foundation.clock.now();
      const certificate = await X509CertificateGenerator.create(
        {
          serialNumber: serial(foundation),
          subject: order.subject,
          issuer: "CN=kubernetes",
          notBefore: new Date(now - BACKDATE),
          notAfter: new Date(now - BACKDATE + order.seconds * 1000),
          publicKey: order.publicKey,
          signingKey,
          signingAlgorithm: keyAlgorithm,
          extensions: extensionsOf(order),
        },
        promptCrypto,
      );
      return `${certificate.toString("pem")}\n`;
    },
  };
}

/** The API server's own certificate for loopback and its in-cluster names, made once and kept. */
export async function servingCredentials(foundation: Foundation, authority: Authority): Promise<Credentials> {
  const kept = foundation.store.collection<Credentials>("kubernetes-authority");
  const known = kept.get("server");
  if (known) return known;
  const key = newKey();
  const names: JsonGeneralNames = [
    { type: "ip", value: "127.0.0.1" },
    ...["localhost", "kubernetes", "kubernetes.default.svc"].map((value) => ({ type: "dns" as const, value })),
  ];
  const order: Order = {
    subject: "CN=kube-apiserver",
    publicKey: publicDer(key),
    seconds: WIDE,
    usages: ["server auth"],
    names,
  };
  const credentials = { certificate: await authority.sign(order), key };
  kept.set("server", credentials);
  return credentials;
}

/** Signs a client certificate for a person or component of the ground (the administrator's kubeconfig). */
export async function clientCredentials(
  authority: Authority,
  commonName: string,
  organizations: readonly string[],
): Promise<Credentials> {
  const key = newKey();
  const subject = [...organizations.map((one) => `O=${one}`), `CN=${commonName}`].join(", ");
  const order: Order = { subject, publicKey: publicDer(key), seconds: YEAR, usages: ["client auth"] };
  return { certificate: await authority.sign(order), key };
}
