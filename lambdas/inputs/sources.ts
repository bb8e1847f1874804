import { ACCOUNT_NAMESPACE } from "../cluster/accounts.ts";
import type { Configuration } from "../configuration/configuration.ts";
import { NO_NODE_CHANGED, Refused } from "../errors.ts";
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

/** The fields of a ConfigMap that are read here. Files that are no UTF-8 text lie in `binaryData`, in base64. */
interface FoundConfigMap {
  readonly data?: Readonly<Record<string, string>>;
  readonly binaryData?: Readonly<Record<string, string>>;
}

const stemOf = (key: string): string => key.toLowerCase().replace(/\.(?:ya?ml|json|crt|pem|cer)$/, "");

/**
 * @throws Refused if a ConfigMap without the key has its file all the same: as bytes that are no text, or under another
 * ending. Taken for an absent file, it would be taken off the machines.
 */
function checkKeyLeft({ data = {}, binaryData = {} }: FoundConfigMap, key: string, from: string): void {
  if (key in binaryData)
    throw new Refused(`${from} is no UTF-8 text (perhaps it was saved as UTF-16), ${NO_NODE_CHANGED}`);
  const near = [...Object.keys(data), ...Object.keys(binaryData)].find((one) => stemOf(one) === stemOf(key));
  if (near !== undefined) throw new Refused(`${from} is missing, but there is ${near}: rename it, ${NO_NODE_CHANGED}`);
}

/**
 * Reads one key of the ConfigMap; the text is empty without the key.
 * @returns null if the configuration names another source
 * @throws Refused if the key's file is there in a form that cannot be read
 */
export function textOfKey(
  found: FoundObjects,
  { cluster }: Pick<Configuration, "cluster">,
  key: InputKey,
): SourceText | null {
  if (cluster.inputs !== "configmap") return null;
  const [map = {}] = (found[0] ?? []) as readonly FoundConfigMap[];
  const from = `ConfigMap ${ACCOUNT_NAMESPACE}/${inputsConfigMap.name}, ${key}`;
  const text = map.data?.[key];
  if (text === undefined) checkKeyLeft(map, key, from);
  return { text: text ?? "", from };
}
