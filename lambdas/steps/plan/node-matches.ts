import type { V1Node, V1NodeSelectorTerm, V1PodSpec, V1Taint, V1Toleration } from "@kubernetes/client-node";
import { type Labels, meets } from "../cluster/label-selector.ts";

/**
 * Does the node meet all requirements of a term? A term without requirements matches no node
 * (k8s.io/component-helpers/scheduling nodeaffinity).
 */
const matchesTerm = (labels: Labels, name: string, { matchExpressions = [], matchFields = [] }: V1NodeSelectorTerm) =>
  matchExpressions.length + matchFields.length > 0 &&
  matchExpressions.every((requirement) => meets(labels, requirement)) &&
  matchFields.every((requirement) => meets({ "metadata.name": name }, requirement));

/** Does the node match one of the terms? Without terms, every node does. */
export const matchesAnyTerm = (node: V1Node, terms: readonly V1NodeSelectorTerm[] | undefined): boolean =>
  terms === undefined ||
  terms.some((term) => matchesTerm(node.metadata?.labels ?? {}, node.metadata?.name ?? "", term));

/** Does the node carry all of these labels? */
export const hasLabels = (node: V1Node, labels: Labels = {}): boolean =>
  Object.entries(labels).every(([key, value]) => node.metadata?.labels?.[key] === value);

/** Do the pod's node selector and its required node affinity allow the node? */
export const isSelected = (spec: V1PodSpec, node: V1Node): boolean =>
  hasLabels(node, spec.nodeSelector) &&
  matchesAnyTerm(node, spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms);

/**
 * Does the toleration match the taint? An empty key with Exists tolerates everything (ToleratesTaint in
 * k8s.io/component-helpers/scheduling/corev1).
 */
const tolerates = ({ key, operator, value, effect }: V1Toleration, taint: V1Taint): boolean =>
  (!effect || effect === taint.effect) &&
  (key ? key === taint.key : operator === "Exists") &&
  (operator === "Exists" || (value ?? "") === (taint.value ?? ""));

/** Does the pod tolerate every taint that keeps new pods off the node? PreferNoSchedule does not keep pods off. */
export const toleratesTaints = (tolerations: readonly V1Toleration[], node: V1Node): boolean =>
  (node.spec?.taints ?? [])
    .filter(({ effect }) => effect !== "PreferNoSchedule")
    .every((taint) => tolerations.some((toleration) => tolerates(toleration, taint)));
