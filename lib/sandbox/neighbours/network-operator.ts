import { X509Certificate } from "node:crypto";
import { rootCertificates } from "node:tls";
import { type Cluster, type Controller, keyOf } from "../kubernetes/controllers/controller.ts";
import { at, type KubeObject } from "../kubernetes/model/object.ts";
import { known } from "../kubernetes/model/resources.ts";
import { install, type Neighbour, runControllers } from "./neighbour.ts";

// openshift/cluster-network-operator: pkg/controller/proxyconfig/controller.go, pkg/controller/configmap_ca_injector/controller.go,
// pkg/util/validation/trustbundle.go. It also completes the Proxy's status, which is not simulated.

const proxies = known("proxies", "config.openshift.io");
const configMaps = known("configmaps");

const KEY = "ca-bundle.crt";
const LABEL = "config.openshift.io/inject-trusted-cabundle";

/** Namespace of the bundles that a Proxy may name. */
const OWN = "openshift-config";
/** The merged bundle, which it gives to every ConfigMap with the label. */
const MERGED = { namespace: "openshift-config-managed", name: "trusted-ca-bundle" } as const;

/** The roots of the operator's own image are Mozilla's, as are Node's (names.SYSTEM_TRUST_BUNDLE). */
const SYSTEM = `${rootCertificates.join("\n")}\n`;

interface ConfigMap extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
}

const BLOCK = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----\n?/g;

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).subject !== undefined;
  } catch {
    return false;
  }
}

/** Is the text one or more certificates, with nothing after the last? Go reads over text before a block (encoding/pem). */
function isBundle(text: string): boolean {
  const blocks = text.match(BLOCK) ?? [];
  const begun = text.match(/-----BEGIN /g) ?? [];
  return (
    blocks.length > 0 &&
    begun.length === blocks.length &&
    text.endsWith(blocks.at(-1) ?? "") &&
    blocks.every(isCertificate)
  );
}

/**
 * Merges the bundle that the Proxy names with the roots of the system. One that is missing or damaged makes the operator
 * degraded, and leaves the merged bundle as it was.
 */
function mergesBundles({ objects }: Cluster): Controller {
  const nameIn = (proxy: KubeObject | undefined): string => String(at(proxy, "spec", "trustedCA", "name") ?? "");
  return {
    name: "proxyconfig-controller",
    type: proxies,
    concerns: ({ type, object: { metadata } }) =>
      type === configMaps && metadata.namespace === OWN ? objects.list(proxies).map(keyOf) : [],
    reconcile: ({ name }) => {
      const named = nameIn(objects.get(proxies, undefined, name));
      const own = objects.get<ConfigMap>(configMaps, OWN, named)?.data?.[KEY] ?? "";
      if (name !== "cluster" || (named !== "" && !isBundle(own))) return undefined;
      const data = { [KEY]: own + SYSTEM };
      const before = objects.get<ConfigMap>(configMaps, MERGED.namespace, MERGED.name);
      if (before) objects.replace<ConfigMap>(configMaps, { ...before, data });
      else objects.create(configMaps, { apiVersion: "v1", kind: "ConfigMap", metadata: MERGED, data });
      return undefined;
    },
  };
}

/** Writes the merged bundle into every ConfigMap with the label, whatever somebody has put there; other keys stay. */
function injectsBundle({ objects }: Cluster): Controller {
  const isMerged = ({ namespace, name }: KubeObject["metadata"]): boolean =>
    namespace === MERGED.namespace && name === MERGED.name;
  return {
    name: "configmap-trust-bundle-injector-controller",
    type: configMaps,
    concerns: ({ type, object }) =>
      type === configMaps && isMerged(object.metadata) ? objects.list(configMaps).map(keyOf) : [],
    reconcile: ({ namespace, name }) => {
      const map = objects.get<ConfigMap>(configMaps, namespace, name);
      const merged = objects.get<ConfigMap>(configMaps, MERGED.namespace, MERGED.name)?.data?.[KEY];
      if (merged === undefined || map?.metadata.labels?.[LABEL] !== "true") return undefined;
      objects.replace<ConfigMap>(configMaps, { ...map, data: { ...map.data, [KEY]: merged } });
      return undefined;
    },
  };
}

/** OpenShift's network operator, as far as it spreads certificate authorities. */
export const networkOperator: Neighbour = {
  name: "network-operator",
  sentence:
    "OpenShift's network operator merges the cluster's bundle of authorities with the system's roots, and writes that into every ConfigMap that asks for it.",
  start: (services) => {
    const space = { apiVersion: "v1", kind: "Namespace", metadata: { name: MERGED.namespace } };
    install(services, [space as KubeObject]);
    runControllers(services, (cluster) => [mergesBundles(cluster), injectsBundle(cluster)]);
  },
};
