import type { V1Node, V1Taint } from "@kubernetes/client-node";
import { instanceIdOf } from "./node-facts.ts";

/** Properties that a new Node must have before pods may run on it. */
export interface WantedNode {
  readonly labels: Readonly<Record<string, string>>;
  /** The pool's own taint. */
  readonly taint: V1Taint;
  readonly instanceId: string;
}

/**
 * Taint on a Node until the cloud provider has initialised it (k8s.io/cloud-provider/api, TaintExternalCloudProvider).
 */
const UNINITIALIZED = "node.cloudprovider.kubernetes.io/uninitialized";

const hasTaint = ({ spec }: V1Node, wanted: V1Taint): boolean =>
  (spec?.taints ?? []).some(
    ({ key, value, effect }) =>
      key === wanted.key && (value ?? "") === (wanted.value ?? "") && effect === wanted.effect,
  );

const missingLabels = ({ metadata }: V1Node, labels: WantedNode["labels"]): string[] =>
  Object.entries(labels)
    .filter(([key, value]) => metadata?.labels?.[key] !== value)
    .map(([key, value]) => `the label ${key}=${value}`);

/**
 * Lists the properties that a Node still lacks, in words that follow "waits for". If it lacks none, pods may run on it.
 * @returns an empty list if labels, taint and provider id are as wanted and the cloud provider has initialised the Node
 */
export function missingOn(node: V1Node, { labels, taint, instanceId }: WantedNode): string[] {
  const { taints = [], providerID = "empty" } = node.spec ?? {};
  return [
    ...missingLabels(node, labels),
    ...(hasTaint(node, taint) ? [] : [`the taint ${taint.key}=${taint.value}:${taint.effect}`]),
    ...(instanceIdOf(node) === instanceId ? [] : [`the provider id of ${instanceId} (it is ${providerID})`]),
    ...(taints.some(({ key }) => key === UNINITIALIZED) ? ["the cloud provider to initialise it"] : []),
  ];
}
