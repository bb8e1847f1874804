import type { V1CertificateSigningRequest } from "@kubernetes/client-node";
import { expect, test } from "vitest";
import { approvalOf, sorted } from "../../../lambdas/steps/cluster/csr-facts.ts";
import type { PendingRequest } from "../../../lambdas/steps/cluster/csr-rules.ts";
import { client, expecting, serving } from "./signing-requests.ts";

const INSTANCE = "i-0ab12cd34ef567890";

const condition = (type: string, reason: string, message: string) => ({ type, status: "True", reason, message });
const byKubectl = condition("Approved", "KubectlApprove", "This CSR was approved by kubectl certificate approve.");
const byUs = condition("Approved", "CasementApprove", approvalOf(INSTANCE));
const denied = condition("Denied", "NodePolicy", "frozen");
const failed = condition("Failed", "SignerValidationFailure", "no");

const csr = (
  name: string,
  { createdAt, signerName, username, groups, usages, credentials, pem }: PendingRequest,
  conditions: readonly ReturnType<typeof condition>[] = [],
  program: string | null = null,
): V1CertificateSigningRequest =>
  ({
    metadata: {
      name,
      creationTimestamp: new Date(createdAt),
      ...(program ? { managedFields: [{ manager: program, subresource: "approval" }] } : {}),
    },
    spec: {
      signerName,
      username,
      groups,
      usages,
      extra: { "authentication.kubernetes.io/credential-id": credentials },
      request: Buffer.from(pem).toString("base64"),
    },
    status: { conditions },
  }) as unknown as V1CertificateSigningRequest;

const look = (requests: readonly V1CertificateSigningRequest[], nodeExists = false) => {
  const { ours, granted, right, ...others } = sorted(requests, expecting(nodeExists), INSTANCE);
  const nameOf = (one: V1CertificateSigningRequest | undefined) => one?.metadata?.name;
  return { ours: nameOf(ours), granted: nameOf(granted), right: nameOf(right), ...others };
};

const nothing = {
  ours: undefined,
  granted: undefined,
  right: undefined,
  mismatches: [],
  approvedWrongly: [],
  denied: [],
};

const foreign = client({ credentials: ["JTI=another"] });

test("of several right requests the newest is approved: a kubelet that was started again has lost the older keys", () => {
  const older = csr("csr-old", client({ createdAt: "2026-11-21T07:57:00.000Z" }));
  const newer = csr("csr-new", client());
  expect(look([newer, older])).toEqual({ ...nothing, right: "csr-new" });
  expect(look([older, newer])).toEqual({ ...nothing, right: "csr-new" });
});

test("a right request that somebody else approved counts, also once the Node has registered", () => {
  const approved = csr("csr-granted", client(), [byKubectl]);
  expect(look([approved])).toEqual({ ...nothing, granted: "csr-granted" });
  expect(look([approved], true)).toEqual({ ...nothing, granted: "csr-granted" });
  expect(look([csr("csr-serving", serving(), [byKubectl])], true)).toEqual({ ...nothing, granted: "csr-serving" });
});

test("one whose signer refused it does not count", () => {
  expect(look([csr("csr-failed", client(), [byKubectl, failed])])).toEqual(nothing);
});

test("our own approval is found again, but not for a request that is not the machine's", () => {
  expect(look([csr("csr-ours", client(), [byUs])])).toEqual({ ...nothing, ours: "csr-ours" });
  const forged = look([csr("csr-forged", foreign, [byUs])]);
  expect(forged).toMatchObject({ ours: undefined, granted: undefined, approvedWrongly: [{ name: "csr-forged" }] });
});

test("a foreign request in this node's name that was approved is told with who approved it", () => {
  expect(look([csr("csr-foreign", foreign, [byKubectl], "kubectl-certificate")])).toEqual({
    ...nothing,
    approvedWrongly: [
      {
        name: "csr-foreign",
        why: expect.stringContaining("another join token"),
        by: { program: "kubectl-certificate", reason: byKubectl.reason, message: byKubectl.message },
      },
    ],
  });
});

test("what was decided before the launch is another machine's, which had this address", () => {
  expect(look([csr("csr-before", { ...foreign, createdAt: "2026-11-21T07:00:00.000Z" }, [byKubectl])])).toEqual(
    nothing,
  );
});

test("a denied request is told if it is the machine's own, and a foreign one is well denied", () => {
  const seen = look([csr("csr-denied", client(), [denied], "gatekeeper"), csr("csr-foreign", foreign, [denied])]);
  expect(seen).toEqual({
    ...nothing,
    denied: [{ name: "csr-denied", by: { program: "gatekeeper", reason: "NodePolicy", message: "frozen" } }],
  });
});
