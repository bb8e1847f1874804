import { afterEach, expect, test } from "vitest";
import { PENDING_AT_MOST } from "../../../../lambdas/steps/cluster/csrs.ts";
import { UNREGISTERED_AT_ONCE } from "../../../../lambdas/steps/ledger/join-slots.ts";
import type { KubeObject } from "../../../../lib/sandbox/kubernetes/model/object.ts";
import { makeRequest } from "../../../../lib/sandbox/machine/certificate-request.ts";
import { calls, expectSound, heldBack, launchedBy, newest, settled, spoken, wordsOf } from "../../evidence.ts";
import { type Journey, startJourney } from "../../journey.ts";

let here: Journey;
afterEach(() => here.close());

/** A certificate request of another signer's user that nobody answers. */
const pending = (at: number, request: string): KubeObject =>
  ({
    apiVersion: "certificates.k8s.io/v1",
    kind: "CertificateSigningRequest",
    metadata: { name: `csr-foreign-${at}` },
    spec: { signerName: "example.com/other", username: "somebody", request, usages: ["client auth"] },
    status: {},
  }) as unknown as KubeObject;

test("more nodes than may be on their way at once wait for places, and all become Ready", {
  timeout: 240_000,
}, async () => {
  here = await startJourney();
  await here.type("operator", "/win add batch 22");
  await here.until(() => calls(here, "ec2", "RunInstances").length >= UNREGISTERED_AT_ONCE, 5);
  await here.pass(2);
  const { operation } = await newest(here);
  expect(launchedBy(here, operation.id)).toHaveLength(UNREGISTERED_AT_ONCE);
  expect(wordsOf(spoken(here).channel[0] as never)).toContain("one of 20 join slots");
  await settled(here);
  expect((await newest(here)).operation.status).toBe("succeeded");
  expect(launchedBy(here, operation.id)).toHaveLength(22);
  expect(spoken(here).thread.map(({ text }) => text)).toEqual([
    expect.stringContaining("data plane was not probed"),
    expect.stringMatching(/^<@U0OPERATOR> 22 nodes are Ready\. \(\d+m\)$/),
  ]);
  expect(await heldBack(here)).toEqual([]);
  await expectSound(here);
});

test("nothing is launched in front of a cluster whose approver drowns in requests", async () => {
  here = await startJourney({ configuration: { deadlines: { provision: { queue: 3 } } } });
  const names = { commonName: "somebody", organizations: [], dnsNames: [], ipAddresses: [] };
  const { request } = await makeRequest(names);
  const pem = Buffer.from(request).toString("base64");
  for (let at = 0; at <= PENDING_AT_MOST; at += 1) here.simulator.kubernetes.create(pending(at, pem));
  await here.type("operator", "/win add web");
  await settled(here);
  const { nodes } = await newest(here);
  expect(nodes[0]).toMatchObject({ status: "failed", failure: { stage: "launch", left: "no instance was launched" } });
  expect(nodes[0]?.failure?.why).toContain(`fewer than ${PENDING_AT_MOST} pending certificate requests`);
  expect(calls(here, "ec2", "RunInstances")).toEqual([]);
  expect(await heldBack(here)).toEqual([]);
  await expectSound(here);
});
