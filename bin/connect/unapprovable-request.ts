import "reflect-metadata";
import { randomUUID, webcrypto } from "node:crypto";
import { Pkcs10CertificateRequestGenerator } from "@peculiar/x509";
import type { Attempt } from "../../lambdas/steps/doctor/policies.ts";
import type { Administrator } from "./administrator.ts";

const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const;

/** Builds a request for the serving certificate of a node that does not exist; its key is discarded. */
async function request(): Promise<string> {
  const keys = await webcrypto.subtle.generateKey(algorithm, false, ["sign", "verify"]);
  const name = "O=system:nodes, CN=system:node:casement-connect";
  const made = await Pkcs10CertificateRequestGenerator.create({ name, keys, signingAlgorithm: algorithm });
  return Buffer.from(made.toString("pem")).toString("base64");
}

/**
 * Creates a certificate request in the administrator's own name, which no account of the bot may approve, and deletes
 * it after the work.
 * @param work gets the attempt to approve it, as a dry run
 */
export async function withUnapprovableRequest<T>(
  { certificates }: Administrator,
  work: (approving: Attempt) => Promise<T>,
): Promise<T> {
  const name = `casement-connect-${randomUUID()}`;
  const signerName = "kubernetes.io/kubelet-serving";
  const usages = ["digital signature", "server auth"];
  const made = await certificates.createCertificateSigningRequest({
    body: { metadata: { name }, spec: { request: await request(), signerName, usages } },
  });
  const condition = { type: "Approved", status: "True", reason: "CasementConnect", message: "tried as a dry run" };
  try {
    return await work({
      policy: "casement-signing-requests",
      what: "the approval of a foreign request",
      attempt: ({ clients }) =>
        clients.kubernetes.certificates.replaceCertificateSigningRequestApproval({
          name,
          dryRun: "All",
          body: { ...made, status: { conditions: [condition] } },
        }),
    });
  } finally {
    await certificates.deleteCertificateSigningRequest({ name });
  }
}
