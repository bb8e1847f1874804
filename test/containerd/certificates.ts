// @peculiar/x509 needs the reflection API before it is loaded.
import "reflect-metadata";
import { webcrypto } from "node:crypto";
import { SubjectAlternativeNameExtension, X509CertificateGenerator } from "@peculiar/x509";
import type { ServerCertificate } from "./registries.ts";

const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const;
const DAY_MS = 24 * 3600 * 1000;

/** Makes a certificate that names all hosts and is its own authority, which Go takes as it lies among its roots. */
export async function certificateFor(hosts: readonly string[]): Promise<ServerCertificate> {
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  const certificate = await X509CertificateGenerator.createSelfSigned(
    {
      name: "CN=registries",
      keys,
      signingAlgorithm: algorithm,
      notBefore: new Date(Date.now() - DAY_MS),
      notAfter: new Date(Date.now() + DAY_MS),
      extensions: [new SubjectAlternativeNameExtension(hosts.map((value) => ({ type: "dns", value })))],
    },
    webcrypto,
  );
  const pkcs8 = Buffer.from(await webcrypto.subtle.exportKey("pkcs8", keys.privateKey)).toString("base64");
  const key = `-----BEGIN PRIVATE KEY-----\n${pkcs8.match(/.{1,64}/g)?.join("\n")}\n-----END PRIVATE KEY-----\n`;
  return { cert: certificate.toString("pem"), key };
}
