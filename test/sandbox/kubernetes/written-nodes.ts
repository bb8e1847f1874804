import type { Node } from "../../../lib/sandbox/kubernetes/model/shapes.ts";
import type { Answer, Ask } from "./asking.ts";
import type { StillCluster } from "./cluster.ts";

/** The cluster's controllers write labels, annotations and taints of these domains on every Node. */
const isControllers = (key: string): boolean => /^((beta|node|node\.alpha)\.kubernetes\.io|k8s\.ovn\.org)\//.test(key);
const withoutControllers = (fields: Readonly<Record<string, string>> = {}) =>
  Object.fromEntries(Object.entries(fields).filter(([key]) => !isControllers(key)));

const nodesOf = async (cluster: StillCluster): Promise<Node[]> => (await cluster.objects("nodes")) as Node[];

/** Reads Nodes without the fields that kubelets and controllers write all the time. */
export const writtenNodes = async (cluster: StillCluster) =>
  (await nodesOf(cluster)).map(({ metadata, spec }) => ({
    name: metadata.name,
    labels: withoutControllers(metadata.labels),
    annotations: withoutControllers(metadata.annotations),
    finalizers: metadata.finalizers,
    spec: { ...spec, taints: (spec.taints ?? []).filter(({ key }) => !isControllers(key)) },
  }));

interface NodePatch {
  readonly metadata?: object;
  readonly spec?: { readonly taints?: readonly object[] };
}

/** Number of times that a patch is sent because a controller wrote the Node after it was read. */
const TRIES = 10;

/**
 * Patches a Node. A list of taints keeps those that controllers have added, as a person's would: the controller of nodes
 * answers a cordon with a taint of its own, at a time of its choice, and no account may write it away.
 * @param as the account that patches
 * @param body merge patch
 * @returns the answer; 409 only if controllers wrote the Node between each of ten reads and patches
 */
export async function patchNode(cluster: StillCluster, as: Ask, name: string, body: NodePatch): Promise<Answer> {
  const send = (patch: object) =>
    as(`PATCH /api/v1/nodes/${name}`, patch, { "content-type": "application/merge-patch+json" });
  const { spec } = body;
  if (!spec?.taints) return send(body);
  for (let tries = 1; ; tries += 1) {
    const found = (await nodesOf(cluster)).find(({ metadata }) => metadata.name === name);
    const added = (found?.spec.taints ?? []).filter(({ key }) => isControllers(key));
    const metadata = { ...body.metadata, resourceVersion: found?.metadata.resourceVersion };
    const answer = await send({ ...body, metadata, spec: { ...spec, taints: [...spec.taints, ...added] } });
    if (answer.status !== 409 || tries === TRIES) return answer;
  }
}
