import { afterEach, expect, test } from "vitest";
import { userNameOf } from "../../../../lambdas/cluster/accounts.ts";
import { join } from "../../../../lambdas/profiles/okd/join.ts";
import { demo } from "../../../../lib/sandbox/demo.ts";
import { calls, expectSound, joinSecrets, newest, nodeNamed, settled } from "../../evidence.ts";
import { type Journey, startJourney } from "../../journey.ts";
import { askEc2, endFault, injectFault, reached } from "../../outside.ts";

let here: Journey;
afterEach(() => here.close());

const CREDENTIAL = "authentication.kubernetes.io/credential-id";

/** The ids of the tokens and certificates with which requests were made, oldest first. */
const credentials = (signer: string): string[] =>
  here.simulator.kubernetes
    .objects("certificatesigningrequests", "certificates.k8s.io")
    .map(({ spec }) => spec as { signerName: string; extra?: Record<string, string[]> })
    .filter(({ signerName }) => signerName.endsWith(signer))
    .flatMap(({ extra = {} }) => extra[CREDENTIAL] ?? []);

test("a kubelet that could not ask for ten minutes gets another token and joins with it", async () => {
  here = await startJourney();
  const silence = injectFault(here, "kubernetes-5xx", { principal: userNameOf(join.account) });
  await here.type("operator", "/win add web");
  await reached(here, "client-csr");
  await here.pass(10.5);
  endFault(here, silence);
  await settled(here);
  expect((await newest(here)).operation.status).toBe("succeeded");
  const tokens = calls(here, "kubernetes", "create serviceaccounts/token").filter(({ status }) => status === 201);
  expect(tokens.filter(({ principal }) => principal.endsWith(":join"))).toHaveLength(2);
  expect(credentials("kube-apiserver-client-kubelet")).toEqual([expect.stringMatching(/^JTI=/)]);
  expect(joinSecrets(here)).toEqual([]);
  await expectSound(here);
});

test("in a subnet that gives public addresses a node joins with a serving certificate for all of them", async () => {
  here = await startJourney();
  for (const { id } of demo.subnets)
    await askEc2(here, "ModifySubnetAttribute", { SubnetId: id, "MapPublicIpOnLaunch.Value": "true" });
  await here.type("operator", "/win add web");
  await settled(here);
  const { operation, nodes } = await newest(here);
  expect(operation.status).toBe("succeeded");
  const addresses = nodeNamed(here, nodes[0]?.nodeName)?.status?.addresses ?? [];
  expect(addresses.map(({ type }) => type)).toContain("ExternalIP");
  expect(nodes[0]?.notes).toEqual([expect.stringContaining("data plane was not probed")]);
  await expectSound(here);
});

test("beside the cluster's machine approver, which knows no such Machine, Casement approves its own machine", async () => {
  here = await startJourney({ neighbours: { with: ["machine-approver"] } });
  await here.type("operator", "/win add web");
  await settled(here);
  const { operation, nodes } = await newest(here);
  expect(operation.status).toBe("succeeded");
  expect(nodes[0]?.notes).toEqual([expect.stringContaining("data plane was not probed")]);
  await expectSound(here);
});
