import { type KubeObject, timestamp } from "../model/object.ts";
import { known } from "../model/resources.ts";
import type { Cluster, Controller } from "./controller.ts";

const secrets = known("secrets");
const configs = known("controllerconfigs", "machineconfiguration.openshift.io");

const NAMESPACE = "openshift-kube-apiserver-operator";
const SIGNER = "kube-apiserver-to-kubelet-signer";
const CONFIG = "machine-config-controller";

/** library-go, certrotation: a signer without this annotation is made anew. */
const NOT_AFTER = "auth.openshift.io/certificate-not-after";

const DAY = 24 * 3_600_000;

/**
 * The signer of the API server's kubelet client: replaced in time, or at once when an administrator removes the
 * annotation from its Secret, as the machine config operator's tests do. The authorities that kubelets trust are
 * published in ControllerConfig, spec.kubeAPIServerServingCAData (machine-config-operator, pkg/operator/sync.go).
 */
export function kubeletSigner({ simulation, objects, kubeletClients }: Cluster): Controller {
  const publish = (): void => {
    const data = Buffer.from(kubeletClients.bundle()).toString("base64");
    const config = objects.get(configs, undefined, CONFIG) as (KubeObject & { spec?: object }) | undefined;
    const spec = { ...config?.spec, kubeAPIServerServingCAData: data };
    if (config && JSON.stringify(config.spec) !== JSON.stringify(spec))
      objects.replace(configs, { ...config, spec } as KubeObject);
  };

  const annotate = (secret: KubeObject): void => {
    const annotations = { ...secret.metadata.annotations, [NOT_AFTER]: timestamp(kubeletClients.until()) };
    objects.replace(secrets, { ...secret, metadata: { ...secret.metadata, annotations } });
  };

  const rotate = async (): Promise<void> => {
    await kubeletClients.rotate();
    publish();
    const current = objects.get(secrets, NAMESPACE, SIGNER);
    if (current) annotate(current);
  };

  return {
    name: "kubelet-signer",
    type: secrets,
    reconcile: ({ namespace, name }) => {
      if (namespace !== NAMESPACE || name !== SIGNER) return undefined;
      const secret = objects.get(secrets, namespace, name);
      if (!secret) return undefined;
      if (kubeletClients.isDue() || !secret.metadata.annotations?.[NOT_AFTER]) void simulation.busy(rotate());
      else publish();
      return simulation.clock.now() + DAY;
    },
  };
}
