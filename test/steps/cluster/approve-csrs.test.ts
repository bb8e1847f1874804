import { ApiException, type V1CertificateSigningRequest } from "@kubernetes/client-node";
import { describe, expect, test } from "vitest";
import { CLIENT_SIGNER } from "../../../lambdas/cluster/signers.ts";
import { Retryable } from "../../../lambdas/errors.ts";
import { approvalOf } from "../../../lambdas/steps/cluster/csr-facts.ts";
import type { PendingRequest } from "../../../lambdas/steps/cluster/csr-rules.ts";
import { csrs } from "../../../lambdas/steps/cluster/csrs.ts";
import type { StepContext } from "../../../lambdas/steps/context.ts";
import { client, expecting, nodeName, serving } from "./signing-requests.ts";

const ID = "i-0ab12cd34ef567890";
const NOW = "2026-11-21T07:59:00.000Z";

/** A request as the API server lists it. @param approval message of its approval, if it has one */
function listed({ pem, ...pending }: PendingRequest, approval?: string): V1CertificateSigningRequest {
  const { name, createdAt, signerName, username, groups, usages, credentials } = pending;
  const condition = { type: "Approved", status: "True", reason: "R", message: approval ?? "" };
  return {
    metadata: { name, creationTimestamp: new Date(createdAt) },
    spec: {
      ...{
        signerName,
        username,
        groups: [...groups],
        usages: [...usages],
        request: Buffer.from(pem).toString("base64"),
      },
      extra: { "authentication.kubernetes.io/credential-id": [...credentials] },
    },
    ...(approval === undefined ? {} : { status: { conditions: [condition] } }),
  };
}

/** The verbs on a cluster with these requests; approvals are kept. @param refusal code with which it refuses one */
function cluster(items: readonly V1CertificateSigningRequest[], refusal?: number) {
  const approvals: { name: string; body: V1CertificateSigningRequest }[] = [];
  const certificates = {
    listCertificateSigningRequest: async () => ({ items, metadata: {} }),
    replaceCertificateSigningRequestApproval: async (approval: (typeof approvals)[number]) => {
      if (refusal !== undefined) throw new ApiException(refusal, "no", {}, {});
      approvals.push(approval);
    },
  };
  const context = { clients: { kubernetes: { certificates } }, now: () => Date.parse(NOW) };
  const verbs = csrs(context as unknown as StepContext);
  return { approvals, verbs, approve: () => verbs.approveFor(CLIENT_SIGNER, expecting(false), ID) };
}

describe("The signing request of a machine that joins", () => {
  test("is approved, with the machine in the approval, once it is exactly right", async () => {
    const { approve, approvals } = cluster([listed(client())]);
    expect(await approve()).toMatchObject({ approved: { name: "csr-client", by: null }, mismatches: [], denied: [] });
    expect(approvals).toMatchObject([
      {
        name: "csr-client",
        body: {
          status: {
            conditions: [
              {
                ...{ type: "Approved", status: "True", reason: "CasementApprove", message: approvalOf(ID) },
                lastUpdateTime: new Date(NOW),
              },
            ],
          },
        },
      },
    ]);
  });

  test("stays pending where it is wrong, and says so", async () => {
    const { approve, approvals } = cluster([listed(client({ usages: ["client auth"] }))]);
    const { approved, mismatches } = await approve();
    expect([approved, mismatches.length, approvals]).toEqual([null, 1, []]);
  });

  test.each([
    ["Casement", approvalOf(ID), null],
    ["another approver", "approved by hand", expect.anything()],
  ])("is not approved again that %s has approved before", async (_who, message, by) => {
    const { approve, approvals } = cluster([listed(client(), message), listed(client({ name: "csr-later" }))]);
    expect((await approve()).approved).toEqual({ name: "csr-client", by });
    expect(approvals).toEqual([]);
  });

  test("is read again where another writer has changed it, and fails for any other reason", async () => {
    for (const code of [409, 404]) await expect(cluster([listed(client())], code).approve()).rejects.toThrow(Retryable);
    await expect(cluster([listed(client())], 403).approve()).rejects.toThrow(ApiException);
  });
});

test("The requests that wait are counted, and those of a node are listed, the oldest first", async () => {
  const other = listed(client({ name: "csr-other", createdAt: "2026-11-21T07:57:00.000Z" }));
  const own = listed(serving({ createdAt: "2026-11-21T07:58:30.000Z" }));
  const content = Buffer.from(`system:node:${nodeName}`.padEnd(200_000)).toString("base64");
  const huge = listed(client({ name: "csr-huge", pem: `-----BEGIN X-----\n${content}\n-----END X-----` }));
  const { verbs } = cluster([own, other, huge, listed(client({ name: "csr-done" }), approvalOf(ID))]);
  expect(await verbs.pendingCount()).toBe(3);
  expect(await verbs.waitingOf(nodeName, false)).toEqual([{ name: "csr-serving", since: "2026-11-21T07:58:30.000Z" }]);
  expect((await verbs.waitingOf(nodeName, true)).map(({ name }) => name)).toEqual(["csr-other", "csr-serving"]);
});
