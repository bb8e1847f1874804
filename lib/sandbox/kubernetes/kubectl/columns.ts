import { at, fieldsOf, type KubeObject, listOf } from "../model/object.ts";
import type { ContainerStatus, Node, Pod, SigningRequest } from "../model/shapes.ts";
import { isTrue } from "../model/shapes.ts";
import { ageOf, durationOf } from "./ages.ts";

/** One column of a table; `wide` ones appear only with -o wide. */
export interface Column {
  readonly name: string;
  readonly wide?: true;
  readonly cell: (object: KubeObject, now: number) => unknown;
}

const NONE = "<none>";
const UNKNOWN = "<unknown>";

const name: Column = { name: "Name", cell: ({ metadata }) => metadata.name };
const age: Column = { name: "Age", cell: ({ metadata }, now) => ageOf(metadata.creationTimestamp, now) };

const text = (value: unknown, otherwise = ""): string =>
  value === undefined || value === null ? otherwise : String(value);
const count =
  (...path: string[]) =>
  (object: KubeObject): number =>
    Number(at(object, ...path) ?? 0);

function nodeStatus(node: Node): string {
  const ready = node.status?.conditions?.find(({ type }) => type === "Ready");
  const word = ready ? (ready.status === "True" ? "Ready" : "NotReady") : "Unknown";
  return node.spec?.unschedulable ? `${word},SchedulingDisabled` : word;
}

const ROLE = "node-role.kubernetes.io/";

function nodeRoles({ metadata }: KubeObject): string {
  const roles = Object.keys(metadata.labels ?? {}).filter((label) => label.startsWith(ROLE));
  return (
    roles
      .map((label) => label.slice(ROLE.length))
      .sort()
      .join(",") || NONE
  );
}

const address =
  (kind: string) =>
  (object: KubeObject): string =>
    (object as Node).status?.addresses?.find(({ type }) => type === kind)?.address ?? NONE;

const nodeInfo =
  (field: string) =>
  (object: KubeObject): string =>
    text(at(object, "status", "nodeInfo", field), UNKNOWN);

function podStatus(pod: Pod): string {
  if (pod.metadata.deletionTimestamp) return pod.status?.reason === "NodeLost" ? "Unknown" : "Terminating";
  if (pod.status?.reason) return pod.status.reason;
  const waiting = listOf<ContainerStatus>(pod.status?.containerStatuses).find((one) =>
    at(one.state, "waiting", "reason"),
  );
  if (waiting) return text(at(waiting.state, "waiting", "reason"));
  return pod.status?.phase === "Succeeded" ? "Completed" : text(pod.status?.phase, "Pending");
}

function podReady(pod: Pod): string {
  const ready = listOf<ContainerStatus>(pod.status?.containerStatuses).filter((one) => one.ready).length;
  return `${ready}/${pod.spec.containers?.length ?? 0}`;
}

function requestCondition(request: SigningRequest): string {
  const conditions = request.status?.conditions;
  const words = (["Denied", "Approved", "Failed"] as const).filter((type) => isTrue(conditions, type));
  const issued = words.includes("Approved") && request.status?.certificate ? ["Issued"] : [];
  return [...(words.length > 0 ? words : ["Pending"]), ...issued].join(",");
}

const percentOr = (value: unknown): string => text(value, "N/A");

const replicas =
  (wanted: readonly string[], ready: readonly string[]) =>
  (object: KubeObject): string =>
    `${count(...ready)(object)}/${Number(at(object, ...wanted) ?? 0)}`;

const involved = (object: KubeObject): string =>
  `${text(at(object, "involvedObject", "kind")).toLowerCase()}/${text(at(object, "involvedObject", "name"))}`;

const lastSeen = (object: KubeObject, now: number): string =>
  ageOf(
    text(object.lastTimestamp ?? object.eventTime ?? object.firstTimestamp ?? object.metadata.creationTimestamp),
    now,
  );

const completions = (object: KubeObject): string =>
  `${count("status", "succeeded")(object)}/${text(at(object, "spec", "completions"), "1")}`;

/** Columns of each type (k8s pkg/printers/internalversion); other types have name and age. */
const columnsByType: Readonly<Record<string, readonly Column[]>> = {
  nodes: [
    name,
    { name: "Status", cell: (object) => nodeStatus(object as Node) },
    { name: "Roles", cell: nodeRoles },
    age,
    { name: "Version", cell: (object) => text(at(object, "status", "nodeInfo", "kubeletVersion")) },
    { name: "Internal-IP", wide: true, cell: address("InternalIP") },
    { name: "External-IP", wide: true, cell: address("ExternalIP") },
    { name: "OS-Image", wide: true, cell: nodeInfo("osImage") },
    { name: "Kernel-Version", wide: true, cell: nodeInfo("kernelVersion") },
    { name: "Container-Runtime", wide: true, cell: nodeInfo("containerRuntimeVersion") },
  ],
  pods: [
    name,
    { name: "Ready", cell: (object) => podReady(object as Pod) },
    { name: "Status", cell: (object) => podStatus(object as Pod) },
    {
      name: "Restarts",
      cell: (object) =>
        text(
          listOf<ContainerStatus>(at(object, "status", "containerStatuses")).reduce(
            (sum, one) => sum + one.restartCount,
            0,
          ),
        ),
    },
    age,
    { name: "IP", wide: true, cell: (object) => text(at(object, "status", "podIP"), NONE) },
    { name: "Node", wide: true, cell: (object) => text(at(object, "spec", "nodeName"), NONE) },
    { name: "Nominated Node", wide: true, cell: () => NONE },
    { name: "Readiness Gates", wide: true, cell: () => NONE },
  ],
  namespaces: [name, { name: "Status", cell: (object) => text(at(object, "status", "phase")) }, age],
  events: [
    { name: "Last Seen", cell: lastSeen },
    { name: "Type", cell: (object) => text(object.type) },
    { name: "Reason", cell: (object) => text(object.reason) },
    { name: "Object", cell: involved },
    { name: "Subobject", wide: true, cell: (object) => text(at(object, "involvedObject", "fieldPath")) },
    {
      name: "Source",
      wide: true,
      cell: (object) =>
        [text(at(object, "source", "component")), text(at(object, "source", "host"))].filter(Boolean).join(", "),
    },
    { name: "Message", cell: (object) => text(object.message).trim() },
    {
      name: "First Seen",
      wide: true,
      cell: (object, now) => ageOf(text(object.firstTimestamp ?? object.eventTime), now),
    },
    { name: "Count", wide: true, cell: (object) => object.count ?? 1 },
    { name: "Name", wide: true, cell: ({ metadata }) => metadata.name },
  ],
  certificatesigningrequests: [
    name,
    age,
    { name: "SignerName", cell: (object) => text(at(object, "spec", "signerName"), NONE) },
    { name: "Requestor", cell: (object) => text(at(object, "spec", "username")) },
    {
      name: "RequestedDuration",
      cell: (object) =>
        at(object, "spec", "expirationSeconds") === undefined
          ? NONE
          : durationOf(count("spec", "expirationSeconds")(object) * 1000),
    },
    { name: "Condition", cell: (object) => requestCondition(object as SigningRequest) },
  ],
  poddisruptionbudgets: [
    name,
    { name: "Min Available", cell: (object) => percentOr(at(object, "spec", "minAvailable")) },
    { name: "Max Unavailable", cell: (object) => percentOr(at(object, "spec", "maxUnavailable")) },
    { name: "Allowed Disruptions", cell: count("status", "disruptionsAllowed") },
    age,
  ],
  deployments: [
    name,
    { name: "Ready", cell: replicas(["spec", "replicas"], ["status", "readyReplicas"]) },
    { name: "Up-to-date", cell: count("status", "updatedReplicas") },
    { name: "Available", cell: count("status", "availableReplicas") },
    age,
  ],
  replicasets: [
    name,
    { name: "Desired", cell: count("spec", "replicas") },
    { name: "Current", cell: count("status", "replicas") },
    { name: "Ready", cell: count("status", "readyReplicas") },
    age,
  ],
  statefulsets: [name, { name: "Ready", cell: replicas(["spec", "replicas"], ["status", "readyReplicas"]) }, age],
  daemonsets: [
    name,
    { name: "Desired", cell: count("status", "desiredNumberScheduled") },
    { name: "Current", cell: count("status", "currentNumberScheduled") },
    { name: "Ready", cell: count("status", "numberReady") },
    { name: "Up-to-date", cell: count("status", "updatedNumberScheduled") },
    { name: "Available", cell: count("status", "numberAvailable") },
    { name: "Node Selector", cell: (object) => selectorText(at(object, "spec", "template", "spec", "nodeSelector")) },
    age,
  ],
  jobs: [name, { name: "Completions", cell: completions }, age],
  configmaps: [name, { name: "Data", cell: ({ data }) => Object.keys(fieldsOf(data)).length }, age],
  leases: [name, { name: "Holder", cell: (object) => text(at(object, "spec", "holderIdentity")) }, age],
};

const selectorText = (selector: unknown): string =>
  Object.entries(fieldsOf(selector))
    .map(([key, value]) => `${key}=${String(value)}`)
    .join(",") || NONE;

/** The columns of a type, by its plural name. */
export const columnsOf = (plural: string): readonly Column[] => columnsByType[plural] ?? [name, age];
