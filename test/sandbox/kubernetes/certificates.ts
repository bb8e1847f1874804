import "reflect-metadata";
import { webcrypto } from "node:crypto";
import {
  type JsonGeneralNames,
  Pkcs10CertificateRequestGenerator,
  SubjectAlternativeNameExtension,
} from "@peculiar/x509";

const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const;

/** A key and a PKCS #10 request made with it. */
export interface Requested {
  readonly keyPem: string;
  readonly requestPem: string;
}

/** Makes a new key and a certificate request as a kubelet does. */
export async function requestFor(subject: string, names: JsonGeneralNames = []): Promise<Requested> {
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  const request = await Pkcs10CertificateRequestGenerator.create({
    name: subject,
    keys,
    signingAlgorithm: algorithm,
    extensions: names.length > 0 ? [new SubjectAlternativeNameExtension(names)] : [],
  });
  const pkcs8 = Buffer.from(await webcrypto.subtle.exportKey("pkcs8", keys.privateKey)).toString("base64");
  const keyPem = `-----BEGIN PRIVATE KEY-----\n${pkcs8.match(/.{1,64}/g)?.join("\n")}\n-----END PRIVATE KEY-----\n`;
  return { keyPem, requestPem: request.toString("pem") };
}

/** A CertificateSigningRequest around a PEM request. */
export const signingRequest = (name: string, requestPem: string, signerName: string, usages: string[]) => ({
  apiVersion: "certificates.k8s.io/v1",
  kind: "CertificateSigningRequest",
  metadata: { name },
  spec: { request: Buffer.from(requestPem).toString("base64"), signerName, usages },
});

export const CLIENT = "kubernetes.io/kube-apiserver-client-kubelet";
export const SERVING = "kubernetes.io/kubelet-serving";
