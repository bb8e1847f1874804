/** Ways to merge a list: item by item under a key, as a set of plain values, or replaced whole. */
export type ListKind = { readonly by: string } | "set" | "atomic";

/** Merge keys of the strategic merge patch (patchMergeKey in k8s.io/api types.go), by field name. */
const strategic: Readonly<Record<string, ListKind>> = {
  conditions: { by: "type" },
  addresses: { by: "type" },
  ownerReferences: { by: "uid" },
  finalizers: "set",
  podCIDRs: "set",
  containers: { by: "name" },
  initContainers: { by: "name" },
  ephemeralContainers: { by: "name" },
  volumes: { by: "name" },
  env: { by: "name" },
  volumeMounts: { by: "mountPath" },
  volumeDevices: { by: "devicePath" },
  imagePullSecrets: { by: "name" },
  hostAliases: { by: "ip" },
  topologySpreadConstraints: { by: "topologyKey" },
  podIPs: { by: "ip" },
  hostIPs: { by: "ip" },
  secrets: { by: "name" },
};

/** Lists that are merged differently in objects of some kinds. */
const exceptions: Readonly<Record<string, Readonly<Record<string, ListKind>>>> = {
  CertificateSigningRequest: { conditions: "atomic" },
  Service: { ports: { by: "port" } },
  Endpoints: { addresses: "atomic" },
  ValidatingAdmissionPolicy: { variables: { by: "name" }, matchConditions: { by: "name" } },
};

/**
 * Finds how a strategic merge patch treats the list in a field.
 * @param kind kind of the object that is patched
 */
export const strategicList = (kind: string, field: string): ListKind =>
  exceptions[kind]?.[field] ?? (field === "ports" ? { by: "containerPort" } : (strategic[field] ?? "atomic"));

/** Finds how server-side apply treats the list in a field (listType and listMapKey): CSR conditions are a map there. */
export const appliedList = (kind: string, field: string): ListKind =>
  kind === "CertificateSigningRequest" && field === "conditions" ? { by: "type" } : strategicList(kind, field);
