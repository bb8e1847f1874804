import type { Cause } from "../model/failure.ts";
import { at, type Fields, fieldsOf, type KubeObject, listOf } from "../model/object.ts";
import type { ResourceType } from "../model/resources.ts";
import { bindingCauses, policyCauses } from "../policies/validation.ts";
import { customCauses } from "../validation/custom.ts";
import { metadataCauses, metadataUpdateCauses } from "../validation/metadata.ts";
import { nodeCauses, nodeUpdateCauses } from "../validation/nodes.ts";
import { podCauses, podUpdateCauses } from "../validation/pods.ts";
import { bindingUpdateCauses, roleCauses } from "../validation/roles.ts";
import { signingRequestCauses } from "../validation/signing-requests.ts";
import { budgetCauses, workloadCauses } from "../validation/workloads.ts";
import {
  budgetDefaults,
  emptyStatus,
  eventDefaults,
  namespaceDefaults,
  namespaceName,
  notReadyTaint,
  podDefaults,
  podNetworks,
  serviceDefaults,
  workloadDefaults,
} from "./defaults.ts";

/** Rules for writes of one type. */
interface Strategy {
  /** Fills in what the writer left out. */
  readonly defaults?: (object: KubeObject) => KubeObject;
  /** Changes what a writer creates (mutating admission plugins); seeds of the simulator stay as they are. */
  readonly admitted?: (object: KubeObject) => KubeObject;
  /** Makes fields with the same meaning agree, at every write. */
  readonly agreed?: (object: KubeObject) => KubeObject;
  readonly causes?: (object: KubeObject) => Cause[];
  readonly updateCauses?: (before: KubeObject, after: KubeObject) => Cause[];
  /** Keeps the status at creation: the kubelet registers a Node with it; other objects start without one. */
  readonly keepsStatus?: true;
  /** The spec can never be changed. */
  readonly fixedSpec?: true;
  /** A PUT must name the version that it replaces (AllowUnconditionalUpdate is false). */
  readonly versioned?: true;
}

const workload: Strategy = { defaults: workloadDefaults, causes: workloadCauses };

const strategies: Readonly<Record<string, Strategy>> = {
  nodes: {
    admitted: notReadyTaint,
    ...{ causes: nodeCauses, updateCauses: nodeUpdateCauses, keepsStatus: true, agreed: podNetworks },
  },
  services: { defaults: serviceDefaults },
  pods: { defaults: podDefaults, causes: podCauses, updateCauses: podUpdateCauses },
  namespaces: { defaults: namespaceDefaults, agreed: namespaceName },
  deployments: workload,
  replicasets: workload,
  statefulsets: workload,
  daemonsets: workload,
  poddisruptionbudgets: { defaults: budgetDefaults, causes: budgetCauses, versioned: true },
  clusterroles: { causes: roleCauses },
  roles: { causes: roleCauses },
  clusterrolebindings: { updateCauses: bindingUpdateCauses },
  rolebindings: { updateCauses: bindingUpdateCauses },
  leases: { versioned: true },
  validatingadmissionpolicies: { causes: policyCauses },
  validatingadmissionpolicybindings: { causes: bindingCauses },
  certificatesigningrequests: { defaults: emptyStatus, causes: signingRequestCauses, fixedSpec: true },
  events: { defaults: eventDefaults },
};

/** Kinds of which no generation is kept, though they have a spec and a status (k8s pkg/registry, PrepareForCreate). */
const unnumbered = new Set([
  "nodes",
  "namespaces",
  "services",
  "persistentvolumes",
  "persistentvolumeclaims",
  "resourcequotas",
  "certificatesigningrequests",
  "volumeattachments",
]);

const strategyOf = (type: ResourceType): Strategy => strategies[type.plural] ?? {};

const hasStatus = (type: ResourceType): boolean => type.subresources.includes("status");

const without = (object: KubeObject, field: string): KubeObject => {
  const { [field]: _dropped, ...rest } = object;
  return rest as KubeObject;
};

const inAgreement = (type: ResourceType, object: KubeObject): KubeObject => strategyOf(type).agreed?.(object) ?? object;

/**
 * Prepares an object for its creation: drops the status, fills in defaults, sets the generation.
 * @param trusted a seed of the simulator keeps its status
 */
export function prepared(type: ResourceType, object: KubeObject, trusted: boolean): KubeObject {
  const { defaults, keepsStatus, admitted } = strategyOf(type);
  const given = admitted && !trusted ? admitted(object) : object;
  const bare = hasStatus(type) && !keepsStatus && !trusted ? without(given, "status") : given;
  const filled = defaults ? { ...defaults(bare), ...(trusted && bare.status ? { status: bare.status } : {}) } : bare;
  return hasStatus(type) && "spec" in filled && !unnumbered.has(type.plural)
    ? { ...filled, metadata: { ...filled.metadata, generation: 1 } }
    : inAgreement(type, filled);
}

/** Lists the errors of an object to be created. */
export const causesOf = (type: ResourceType, object: KubeObject): Cause[] => [
  ...metadataCauses(type, object),
  ...customCauses(type, object),
  ...(strategyOf(type).causes?.(object) ?? []),
];

/** Lists the errors of a change. */
export const updateCausesOf = (type: ResourceType, before: KubeObject, after: KubeObject): Cause[] => [
  ...causesOf(type, after),
  ...metadataUpdateCauses(before, after),
  ...(strategyOf(type).updateCauses?.(before, after) ?? []),
];

/** Must a PUT of this type name the version it replaces? Custom resources always must. */
export const mustBeVersioned = (type: ResourceType): boolean => type.custom || strategyOf(type).versioned === true;

/** Builds the metadata after a write: fields that the writer may not change come from the stored object. */
function systemMetadata(before: KubeObject, after: KubeObject): KubeObject["metadata"] {
  const { uid, creationTimestamp, deletionTimestamp, deletionGracePeriodSeconds, generation, name, namespace } =
    before.metadata;
  return {
    ...after.metadata,
    ...(namespace ? { namespace } : {}),
    ...(generation ? { generation } : {}),
    ...(deletionTimestamp ? { deletionTimestamp, deletionGracePeriodSeconds } : {}),
    name,
    uid,
    creationTimestamp,
  };
}

const differs = (one: unknown, other: unknown): boolean => JSON.stringify(one) !== JSON.stringify(other);

const grown = (before: KubeObject, after: KubeObject): KubeObject =>
  before.metadata.generation !== undefined && differs(before.spec, after.spec)
    ? { ...after, metadata: { ...after.metadata, generation: before.metadata.generation + 1 } }
    : after;

/** Applies a write to the object itself, which leaves the status alone. */
function mainUpdate(type: ResourceType, before: KubeObject, after: KubeObject): KubeObject {
  const spec = strategyOf(type).fixedSpec ? { spec: before.spec } : {};
  const kept = hasStatus(type) ? without(after, "status") : after;
  return grown(before, { ...kept, ...spec, ...(hasStatus(type) && before.status ? { status: before.status } : {}) });
}

/** Applies a write to the status, which leaves everything else alone except the annotations of a Node. */
function statusUpdate(type: ResourceType, before: KubeObject, after: KubeObject): KubeObject {
  const metadata =
    type.plural === "nodes" ? after.metadata : { ...before.metadata, resourceVersion: after.metadata.resourceVersion };
  return { ...before, metadata, status: after.status };
}

/** Applies the approval of a CertificateSigningRequest: only the conditions change (certificateApprovalStrategy). */
const approvalUpdate = (before: KubeObject, after: KubeObject, now: string): KubeObject => ({
  ...before,
  metadata: {
    ...before.metadata,
    resourceVersion: after.metadata.resourceVersion,
    ...(after.metadata.managedFields ? { managedFields: after.metadata.managedFields } : {}),
  },
  status: { ...fieldsOf(before.status), conditions: dated(before, after, now) },
});

/**
 * Adds the server's time to conditions that the client did not date (k8s pkg/registry/certificates, approval strategy).
 */
const dated = (before: KubeObject, after: KubeObject, now: string): Fields[] => {
  const old = listOf<Fields>(at(before, "status", "conditions"));
  return listOf<Fields>(at(after, "status", "conditions")).map((condition) => {
    const same = old.find(({ type, status }) => type === condition.type && status === condition.status);
    const lastTransitionTime = condition.lastTransitionTime ?? same?.lastTransitionTime ?? now;
    return { ...condition, lastUpdateTime: condition.lastUpdateTime ?? now, lastTransitionTime };
  });
};

/**
 * Applies a change to an object or one of its subresources: only fields that such a change may touch differ.
 * @param now the server's time, as the API writes it
 */
export function changed(
  type: ResourceType,
  subresource: string,
  before: KubeObject,
  wanted: KubeObject,
  now: string,
): KubeObject {
  const metadata = systemMetadata(before, wanted);
  const after = inAgreement(type, { ...wanted, apiVersion: type.apiVersion, kind: type.kind, metadata });
  if (subresource === "status") return statusUpdate(type, before, after);
  if (subresource === "approval") return approvalUpdate(before, after, now);
  return mainUpdate(type, before, after);
}
