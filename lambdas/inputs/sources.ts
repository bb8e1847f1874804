import { ACCOUNT_NAMESPACE } from "../cluster/accounts.ts";
import type { Configuration } from "../configuration/configuration.ts";
import type { FoundObjects, ObjectReference } from "./input.ts";

/** The ConfigMap of clusters without OpenShift's kinds: it has one key for each input. */
const inputsConfigMap: ObjectReference = {
  group: "",
  version: "v1",
  plural: "configmaps",
  kind: "ConfigMap",
  namespace: ACCOUNT_NAMESPACE,
  name: "inputs",
};

/**
 * Makes the `reads` of an input.
 * @param openshift the objects of OpenShift from which it follows
 */
export const readsOf =
  (openshift: readonly ObjectReference[]) =>
  ({ cluster }: Pick<Configuration, "cluster">): readonly ObjectReference[] | null =>
    // A configuration that an execution of the last release has stored has no value.
    ({ none: null, openshift, configmap: [inputsConfigMap] })[cluster.inputs] ?? null;

/** Key of an input in the ConfigMap. */
export type InputKey = "mirrors.yaml" | "proxy.yaml" | "ca-bundle.crt";

/** A text of the ConfigMap, and its source for error messages. */
export interface SourceText {
  readonly text: string;
  /** "ConfigMap casement/inputs, mirrors.yaml". */
  readonly from: string;
}

/**
 * Reads one key of the ConfigMap; the text is empty without the key.
 * @returns null if the configuration names another source
 */
export function textOfKey(
  found: FoundObjects,
  { cluster }: Pick<Configuration, "cluster">,
  key: InputKey,
): SourceText | null {
  if (cluster.inputs !== "configmap") return null;
  const [map] = (found[0] ?? []) as readonly { readonly data?: Readonly<Record<string, string>> }[];
  return { text: map?.data?.[key] ?? "", from: `ConfigMap ${ACCOUNT_NAMESPACE}/${inputsConfigMap.name}, ${key}` };
}
