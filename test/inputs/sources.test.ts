import { expect, test } from "vitest";
import { readsOf, textOfKey } from "../../lambdas/inputs/sources.ts";
import { configurationWith } from "../profiles/okd/facts.ts";

const kind = { group: "config.openshift.io", version: "v1", plural: "proxies", kind: "Proxy", name: "cluster" };

test.each([
  ["none", null],
  ["openshift", [kind]],
  ["configmap", [expect.objectContaining({ kind: "ConfigMap", namespace: "casement", name: "inputs" })]],
] as const)("an input from %s reads what that source has", (inputs, reads) => {
  expect(readsOf([kind])(configurationWith({ inputs }))).toEqual(reads);
});

test("a key of the ConfigMap is read by its name, and is empty where it is absent", () => {
  const found = [[{ data: { "proxy.yaml": "httpProxy: http://proxy" } }]];
  const configuration = configurationWith({ inputs: "configmap" });
  const from = "ConfigMap casement/inputs, proxy.yaml";
  expect(textOfKey(found, configuration, "proxy.yaml")).toEqual({ text: "httpProxy: http://proxy", from });
  expect(textOfKey(found, configuration, "mirrors.yaml")?.text).toBe("");
  expect(textOfKey([[{}]], configuration, "proxy.yaml")?.text).toBe("");
  expect(textOfKey(found, configurationWith({ inputs: "openshift" }), "proxy.yaml")).toBeNull();
});

test.for([
  ["bytes that are no text", { binaryData: { "proxy.yaml": "//5o" } }, "proxy.yaml is no UTF-8 text"],
  ["another ending", { data: { "proxy.yml": "" } }, "proxy.yaml is missing, but there is proxy.yml: rename it"],
  ["capitals", { data: { "Proxy.yaml": "" } }, "proxy.yaml is missing, but there is Proxy.yaml: rename it"],
] as const)("a key of the ConfigMap that is there as %s is not taken for an absent one", ([, map, why]) => {
  const configuration = configurationWith({ inputs: "configmap" });
  expect(() => textOfKey([[map]], configuration, "proxy.yaml")).toThrow(why);
  expect(() => textOfKey([[map]], configuration, "proxy.yaml")).toThrow("so no node was changed");
  expect(textOfKey([[map]], configuration, "mirrors.yaml")?.text).toBe("");
});
