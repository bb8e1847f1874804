import { createHash } from "node:crypto";
import type { Distribution } from "../access/admission.ts";
import { at, type Fields, fieldsOf, type KubeObject, listOf } from "../model/object.ts";
import { known } from "../model/resources.ts";
import type { Objects } from "../store/objects.ts";

// k8s plugin/pkg/admission/serviceaccount/admission.go

const accounts = known("serviceaccounts");

/** Directory of the token in each container (DefaultAPITokenMountPath). */
const MOUNT_PATH = "/var/run/secrets/kubernetes.io/serviceaccount";

const PREFIX = "kube-api-access-";

/** OpenShift's API server adds the authority of its service certificates (openshift/kubernetes, TokenVolumeSource). */
const serviceAuthority: Fields = {
  configMap: { items: [{ key: "service-ca.crt", path: "service-ca.crt" }], name: "openshift-service-ca.crt" },
};

/** Sources of the volume: the token, the server's authority, the namespace (TokenVolumeSource). */
const projectedBy = (distribution: Distribution): Fields => ({
  defaultMode: 420,
  sources: [
    { serviceAccountToken: { expirationSeconds: 3607, path: "token" } },
    { configMap: { items: [{ key: "ca.crt", path: "ca.crt" }], name: "kube-root-ca.crt" } },
    {
      downwardAPI: {
        items: [{ fieldRef: { apiVersion: "v1", fieldPath: "metadata.namespace" }, path: "namespace" }],
      },
    },
    ...(distribution === "openshift" ? [serviceAuthority] : []),
  ],
});

/** Does the pod want its account's token? It decides first, then the account does (shouldAutomount). */
function wantsToken(objects: Objects, { metadata, spec }: KubeObject): boolean {
  const { automountServiceAccountToken, serviceAccountName } = fieldsOf(spec);
  if (typeof automountServiceAccountToken === "boolean") return automountServiceAccountToken;
  const account = objects.get(accounts, metadata.namespace, String(serviceAccountName));
  return at(account, "automountServiceAccountToken") !== false;
}

const lacksMount = (container: Fields): boolean =>
  !listOf<Fields>(container.volumeMounts).some(({ mountPath }) => mountPath === MOUNT_PATH);

/**
 * Adds the volume with the token of the pod's service account, and a mount of it in each container. A mirror pod has none. The
 * volume's name ends by chance on a real server, by the pod's name here, so that a repeated run is the same.
 */
export function withToken(objects: Objects, object: KubeObject, distribution: Distribution): KubeObject {
  if (object.metadata.annotations?.["kubernetes.io/config.mirror"] !== undefined) return object;
  const spec = fieldsOf(object.spec);
  const serviceAccount = spec.serviceAccountName;
  const groups = ["initContainers", "containers"].filter((group) => spec[group] !== undefined);
  const needs = groups.some((group) => listOf<Fields>(spec[group]).some(lacksMount));
  if (!needs || !wantsToken(objects, object)) return { ...object, spec: { ...spec, serviceAccount } };
  const hash = createHash("sha256").update(`${object.metadata.namespace}/${object.metadata.name}`).digest("hex");
  const name = `${PREFIX}${hash.slice(0, 5)}`;
  const mount = { mountPath: MOUNT_PATH, name, readOnly: true };
  const mounted = (container: Fields): Fields =>
    lacksMount(container)
      ? { ...container, volumeMounts: [...listOf<Fields>(container.volumeMounts), mount] }
      : container;
  const containers = groups.map((group) => [group, listOf<Fields>(spec[group]).map(mounted)]);
  const volumes = [...listOf<Fields>(spec.volumes), { name, projected: projectedBy(distribution) }];
  return { ...object, spec: { ...spec, serviceAccount, ...Object.fromEntries(containers), volumes } };
}
