import type { V1Node, V1Taint } from "@kubernetes/client-node";
import { BUILD_LABEL, taintText } from "../../cluster/node-keys.ts";
import type { FailureCode } from "../../records/failures.ts";
import { instanceIdOf } from "./node-facts.ts";

/** Properties that a new Node must have before pods may run on it. */
export interface WantedNode {
  readonly labels: Readonly<Record<string, string>>;
  /** The pool's own taint. */
  readonly taint: V1Taint;
  readonly instanceId: string;
}

/** A property that a Node lacks, and the code of the failure that it becomes where it has one. */
interface Missing {
  readonly why: string;
  readonly code?: FailureCode | undefined;
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

/** Codes of labels that only Windows sets. */
const labelCodes: Readonly<Record<string, FailureCode>> = { [BUILD_LABEL]: "windows-build" };

const missingLabels = ({ metadata }: V1Node, labels: WantedNode["labels"]): Missing[] =>
  Object.entries(labels)
    .filter(([key, value]) => metadata?.labels?.[key] !== value)
    .map(([key, value]) => ({ why: `the label ${key}=${value}`, code: labelCodes[key] }));

/**
 * Lists the properties that a Node still lacks, in words that follow "waits for". If it lacks none, pods may run on it.
 * @returns an empty list if labels, taint and provider id are as wanted and the cloud provider has initialised the Node
 */
export function missingOn(node: V1Node, { labels, taint, instanceId }: WantedNode): Missing[] {
  const { taints = [], providerID = "empty" } = node.spec ?? {};
  const code = "provider-id-missing";
  return [
    ...missingLabels(node, labels),
    ...(hasTaint(node, taint) ? [] : [{ why: `the taint ${taintText(taint)}` }]),
    ...(instanceIdOf(node) === instanceId
      ? []
      : [{ why: `the provider id of ${instanceId} (it is ${providerID})`, code } as const]),
    ...(taints.some(({ key }) => key === UNINITIALIZED)
      ? [{ why: "the cloud provider to initialise it", code } as const]
      : []),
  ];
}
