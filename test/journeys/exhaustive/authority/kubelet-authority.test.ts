import { afterEach, expect, test } from "vitest";
import { expectSound, newest, settled } from "../../evidence.ts";
import { asked, impatient } from "../../failing.ts";
import { type Journey, startJourney } from "../../journey.ts";
import { edge, kubectl, podOn, running, type SeedNode, web } from "../../others.ts";
import { kubectlLogs } from "../../outside.ts";
import { privately } from "../../reading.ts";

let here: Journey;
afterEach(() => here.close());

const SIGNER = "/api/v1/namespaces/openshift-kube-apiserver-operator/secrets/kube-apiserver-to-kubelet-signer";
const CONFIG = "/apis/machineconfiguration.openshift.io/v1/controllerconfigs/machine-config-controller";

/** The cluster replaces the signer, as an administrator makes it do; ten minutes later the API server uses the new one. */
async function replaceSigner(): Promise<void> {
  await kubectl(here, "PATCH", SIGNER, {
    metadata: { annotations: { "auth.openshift.io/certificate-not-after": null } },
  });
  await here.pass(1);
}

async function talkingPod(node: SeedNode, name: string): Promise<void> {
  here.simulator.kubernetes.create(podOn(node, name));
  await here.until(() => running(here, name) === 1, 2, `the pod ${name}`);
}

test("after the cluster has replaced its signer, logs are read on nodes that join, and on those that joined before once a tick has come", async () => {
  here = await startJourney({ seedNodes: true });
  await talkingPod(web, "old-pod");
  await replaceSigner();
  await here.type("operator", "/win add web");
  await settled(here);
  const { operation, nodes } = await newest(here);
  expect(operation.status).toBe("succeeded");
  const [{ nodeName, instanceId } = { nodeName: null, instanceId: null }] = nodes;
  await talkingPod({ name: nodeName ?? "", instanceId: instanceId ?? "" }, "new-pod");
  await here.pass(20);
  expect(await kubectlLogs(here, "new-pod")).toMatchObject({ status: 200 });
  expect(await kubectlLogs(here, "old-pod")).toMatchObject({ status: 200 });
  // The doctor's dry runs are to be denied.
  await expectSound(here);
  await here.type("operator", "/win doctor");
  await settled(here);
  const report = privately(here, "operator").at(-1) ?? "";
  // A MachineSet owns this one: nothing on it is changed.
  expect(report).toContain(`\`${edge.name}\` does not trust`);
  expect(report).not.toContain(web.name);
  expect(report).not.toContain(nodeName);
});

test.for([
  ["nothing", "", /holds no certificate, so no kubelet was started/],
  [
    "no certificate",
    "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n",
    /holds a certificate that cannot be read/,
  ],
] as const)(
  "while the cluster publishes %s, no kubelet is started, and the failure says where to look",
  async ([, pem, why]) => {
    here = await startJourney({ configuration: impatient });
    const data = Buffer.from(pem).toString("base64");
    await kubectl(here, "PATCH", CONFIG, { spec: { kubeAPIServerServingCAData: data } });
    await here.type("operator", "/win add web");
    const { failure, instanceId } = await asked(here);
    expect(failure).toMatchObject({ stage: "configure", why: expect.stringMatching(why) });
    expect(failure?.why).toContain("ControllerConfig machine-config-controller");
    const services = here.simulator.machines.describe(instanceId ?? "")?.services ?? [];
    expect(services.find(({ name }) => name === "kubelet")?.state ?? "Stopped").toBe("Stopped");
    await here.press("operator", "terminate-instance");
    await settled(here);
    await expectSound(here);
  },
);
