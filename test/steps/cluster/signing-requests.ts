import { CLIENT_SIGNER, SERVING_SIGNER } from "../../../lambdas/cluster/signers.ts";
import "reflect-metadata";
import { webcrypto } from "node:crypto";
import {
  type Attribute,
  type Extension,
  type JsonGeneralName,
  type JsonName,
  Pkcs10CertificateRequestGenerator,
  SubjectAlternativeNameExtension,
} from "@peculiar/x509";
import type { ExpectedRequest, PendingRequest } from "../../../lambdas/steps/cluster/csr-rules.ts";

const algorithms = {
  ec: { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" },
  rsa: {
    name: "RSASSA-PKCS1-v1_5",
    hash: "SHA-256",
    modulusLength: 2048,
    publicExponent: new Uint8Array([1, 0, 1]),
  },
} as const;

type KeyType = keyof typeof algorithms;

const usages = ["sign", "verify"] as const;
const pairs = {
  ec: await webcrypto.subtle.generateKey(algorithms.ec, true, usages),
  rsa: await webcrypto.subtle.generateKey(algorithms.rsa, true, usages),
};

/** Content of a signing request, and the type of its key. */
export interface Wanted {
  readonly key?: KeyType;
  readonly subject: JsonName;
  readonly names?: readonly JsonGeneralName[];
  readonly extensions?: readonly Extension[];
  readonly attributes?: readonly Attribute[];
}

/** Makes and signs a request; its PEM. */
export async function signed({
  key = "ec",
  subject,
  names,
  extensions = [],
  attributes = [],
}: Wanted): Promise<string> {
  const request = await Pkcs10CertificateRequestGenerator.create({
    name: subject,
    keys: pairs[key],
    signingAlgorithm: algorithms[key],
    attributes: [...attributes],
    extensions: [...(names ? [new SubjectAlternativeNameExtension([...names])] : []), ...extensions],
  });
  return request.toString("pem");
}

/** The machine that the tests wait for. */
export const nodeName = "ip-10-0-0-21.us-west-2.compute.internal";
export const commonName = `system:node:${nodeName}`;
export const bootstrapper = "system:serviceaccount:openshift-machine-config-operator:node-bootstrapper";
export const address = "10.0.0.21";
export const rightSubject: JsonName = [{ O: ["system:nodes"] }, { CN: [commonName] }];
export const rightNames: readonly JsonGeneralName[] = [
  { type: "dns", value: nodeName },
  { type: "ip", value: address },
];

/** Id of the join token that the machine was given. */
export const credential = "JTI=0b1c2d3e-0000-4000-8000-000000000001";

/** Times of the machine's launch and of its kubelet's request. */
const launchedAt = "2026-11-21T07:50:00.000Z";
const askedAt = "2026-11-21T07:58:00.000Z";

/** Before its Node exists (client request), or after (serving request). */
export const expecting = (nodeExists: boolean): ExpectedRequest => ({
  nodeName,
  bootstrapper,
  credentials: [credential],
  addresses: [address],
  names: [nodeName],
  launchedAt,
  nodeExists,
  identityFault: null,
});

const rightClient = await signed({ subject: rightSubject });
const rightServing = await signed({ subject: rightSubject, names: rightNames });

/** The client request of the machine as its kubelet makes it, with some of it changed. */
export const client = (changes: Partial<PendingRequest> = {}): PendingRequest => ({
  name: "csr-client",
  createdAt: askedAt,
  signerName: CLIENT_SIGNER,
  username: bootstrapper,
  groups: ["system:serviceaccounts", "system:authenticated"],
  credentials: [credential],
  usages: ["digital signature", "client auth"],
  pem: rightClient,
  ...changes,
});

/** The serving request of the machine as its kubelet makes it, with some of it changed. */
export const serving = (changes: Partial<PendingRequest> = {}): PendingRequest => ({
  name: "csr-serving",
  createdAt: askedAt,
  signerName: SERVING_SIGNER,
  username: commonName,
  groups: ["system:nodes", "system:authenticated"],
  credentials: ["X509SHA256=00"],
  usages: ["digital signature", "server auth"],
  pem: rightServing,
  ...changes,
});
