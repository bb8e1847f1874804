import { type Journey, startJourney } from "./journey.ts";
import { batch, kubectl, otherWeb, podOn, running, type SeedNode, web } from "./others.ts";

const SIGNER = "/api/v1/namespaces/openshift-kube-apiserver-operator/secrets/kube-apiserver-to-kubelet-signer";
const FILE = "C:\\k\\kubelet-ca.crt";

/** The seed nodes whose kubelets are Casement's to keep. */
export const nodes: readonly SeedNode[] = [web, otherWeb, batch];

/** Name of the pod on a node whose log is read. */
export const podNameOn = ({ instanceId }: SeedNode): string => `pod-of-${instanceId.slice(-6)}`;

/** Starts a cluster in which each of these nodes runs a pod whose log is read. */
export async function startTalking(talking: readonly SeedNode[]): Promise<Journey> {
  const here = await startJourney({ seedNodes: true });
  for (const node of talking) here.simulator.kubernetes.create(podOn(node, podNameOn(node)));
  await here.until(() => talking.every((node) => running(here, podNameOn(node)) === 1), 5, "the pods");
  return here;
}

/** Lets the cluster replace the signer; ten minutes later the API server shows a certificate of the new one. */
export async function replaceSignerOf(here: Journey): Promise<void> {
  await kubectl(here, "PATCH", SIGNER, {
    metadata: { annotations: { "auth.openshift.io/certificate-not-after": null } },
  });
  await here.pass(1);
}

/** Hash of the authority's file on a node's machine. */
export const authorityOn = (here: Journey, { instanceId }: SeedNode): string | undefined =>
  here.simulator.machines.describe(instanceId)?.files.find(({ path }) => path === FILE)?.sha256;
