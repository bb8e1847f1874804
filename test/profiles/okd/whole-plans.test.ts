import { expect, test } from "vitest";
import { containerdConfiguration } from "../../../lambdas/profiles/okd/containerd.ts";
import { credentialProviders, kubeletConfiguration } from "../../../lambdas/profiles/okd/kubelet.ts";
import { nodeLabels, selfLabels } from "../../../lambdas/profiles/okd/labels.ts";
import { okd } from "../../../lambdas/profiles/okd/okd.ts";
import { okdPorts } from "../../../lambdas/profiles/okd/ports.ts";
import { hasService, logOf, okdServices } from "../../../lambdas/profiles/okd/services.ts";
import { written } from "../../messages/said/written.ts";
import { factsWith, manifestWithout } from "./facts.ts";

const lines = (actions: readonly object[]): string => actions.map((action) => JSON.stringify(action)).join("\n");

test("The plans of a machine of profile okd are, action by action, as whole-plans.txt has them", async () => {
  const facts = factsWith();
  const lean = { ...facts, payload: manifestWithout("csi-proxy.exe") };
  const withoutProvider = { ...facts, payload: manifestWithout("ecr-credential-provider.exe") };
  const plans = Object.entries(okd.plans).map(([name, plan]): [string, string] => [
    `plan: ${name}`,
    lines((plan as (given: typeof facts) => readonly object[])(facts)),
  ]);
  const words = written({
    ...Object.fromEntries(plans),
    "configure without csi-proxy": lines(okd.plans.configure(lean)),
    "configure without the provider of ECR": lines(okd.plans.configure(withoutProvider)),
    "payload without csi-proxy": lines(okd.plans.payload(lean)),
    services: lines(okdServices(facts)),
    "services without csi-proxy": lines(okdServices(lean)),
    "has csi-proxy": JSON.stringify([
      hasService(facts, "csi-proxy"),
      hasService(lean, "csi-proxy"),
      hasService(lean, "kubelet"),
    ]),
    logs: ["containerd", "kubelet", "kube-proxy", "hybrid-overlay-node"].map(logOf).join("\n"),
    containerd: containerdConfiguration(),
    kubelet: kubeletConfiguration(facts),
    "credential providers": credentialProviders(),
    labels: nodeLabels(facts),
    "labels of a kubelet": selfLabels(facts),
    ports: okdPorts({ hybridOverlayPort: 9898 }),
  });
  await expect(words).toMatchFileSnapshot("whole-plans.txt");
});
