import "reflect-metadata";
import { Pkcs10CertificateRequestGenerator, SubjectAlternativeNameExtension, X509Certificate } from "@peculiar/x509";
import { memoize } from "../core/memoize.ts";
import { keyAlgorithm, keysOf, newKey, syncWebcrypto } from "../core/sync-webcrypto.ts";

/** Content of the certificate to request. */
export interface Template {
  readonly commonName: string;
  readonly organizations: readonly string[];
  readonly dnsNames: readonly string[];
  readonly ipAddresses: readonly string[];
}

const namesOf = ({ dnsNames, ipAddresses }: Template) => [
  ...dnsNames.map((value) => ({ type: "dns" as const, value })),
  ...ipAddresses.map((value) => ({ type: "ip" as const, value })),
];

/**
 * Makes a key and a signing request for it.
 * @returns both as PEM, the key as PKCS #8
 */
export async function makeRequest(template: Template): Promise<{ readonly request: string; readonly key: string }> {
  const key = newKey();
  const names = namesOf(template);
  const request = await Pkcs10CertificateRequestGenerator.create(
    {
      name: [...template.organizations.map((O) => ({ O: [O] })), { CN: [template.commonName] }],
      keys: keysOf(key),
      signingAlgorithm: keyAlgorithm,
      extensions: names.length > 0 ? [new SubjectAlternativeNameExtension(names)] : [],
    },
    syncWebcrypto,
  );
  return { request: request.toString("pem"), key };
}

/** The fields of a certificate that its owner checks. Times are ms since the epoch. */
export interface Issued {
  readonly notBefore: number;
  readonly notAfter: number;
  readonly commonName: string;
  readonly names: readonly string[];
}

/** Reads a certificate's PEM. @throws Error for anything else */
export const issuedOf = memoize((pem): Issued => {
  const certificate = new X509Certificate(pem);
  const names = certificate.getExtension(SubjectAlternativeNameExtension)?.names.items.map((name) => name.value) ?? [];
  return {
    notBefore: certificate.notBefore.getTime(),
    notAfter: certificate.notAfter.getTime(),
    commonName: certificate.subjectName.getField("CN")[0] ?? "",
    names,
  };
});
