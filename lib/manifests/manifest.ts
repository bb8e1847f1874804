import { readFileSync } from "node:fs";

/** The line of the reviewed file that depends on a cluster's configuration. */
const EMPTY = '    - name: poolLabels\n      expression: "[]"\n';

/** Kubernetes' form of a label key: no other text becomes part of an expression. */
const KEY = /^([a-z0-9]([a-z0-9.-]*[a-z0-9])?\/)?[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$/;

/**
 * Builds the manifest of the bot's access for one cluster: the reviewed file with the label keys of its pools.
 * @param labelKeys labels that the configuration gives to nodes
 * @returns YAML that differs from the file only in that line
 * @throws Error for a key that Kubernetes would refuse
 */
export function clusterManifest(labelKeys: readonly string[]): string {
  const wrong = labelKeys.find((key) => !KEY.test(key));
  if (wrong !== undefined)
    throw new Error(`a pool has a label that Kubernetes does not take: ${JSON.stringify(wrong)}`);
  const text = readFileSync(new URL("./cluster-access.yaml", import.meta.url), "utf8");
  if (!text.includes(EMPTY)) throw new Error("cluster-access.yaml has no empty list of the pools' labels");
  const keys = [...new Set(labelKeys)].toSorted().map((key) => `'${key}'`);
  return text.replace(
    EMPTY,
    EMPTY.replace("[]", () => `[${keys.join(", ")}]`),
  );
}
