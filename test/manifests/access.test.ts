import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { clusterAccess } from "../../lambdas/desired/cluster-access.ts";
import { clusterManifest } from "../../lib/manifests/manifest.ts";

interface Role {
  readonly metadata: { readonly namespace?: string };
  readonly rules?: readonly {
    readonly apiGroups: readonly string[];
    readonly resources: readonly string[];
    readonly resourceNames?: readonly string[];
    readonly verbs: readonly string[];
  }[];
}

const file = new URL("../../lib/manifests/cluster-access.yaml", import.meta.url);

/** Every single right that the manifest gives: verb, group, resource, name, namespace. */
const granted = parseAllDocuments(readFileSync(file, "utf8"))
  .map((one) => one.toJS() as Role)
  .flatMap(({ metadata: { namespace = "" }, rules = [] }) =>
    rules.flatMap(({ apiGroups, resources, resourceNames = [""], verbs }) =>
      apiGroups.flatMap((group) =>
        resources.flatMap((resource) =>
          resourceNames.flatMap((name) => verbs.map((verb) => [verb, group, resource, name, namespace].join(" "))),
        ),
      ),
    ),
  );

test("the doctor asks for exactly the rights that the manifest gives", () => {
  const asked = clusterAccess.map(({ verb, group, resource, subresource, name = "", namespace = "" }) =>
    [verb, group, subresource ? `${resource}/${subresource}` : resource, name, namespace].join(" "),
  );
  expect(asked.toSorted()).toEqual(granted.toSorted());
});

test.each(["a b", "x'] + ['y", "*", ""])("a pool's label %j never becomes part of an expression", (key) => {
  expect(() => clusterManifest(["example.com/role", key])).toThrow("does not take");
});

test("the labels of the pools are named one by one, sorted, each once", () => {
  const filled = clusterManifest(["node-role.kubernetes.io/web", "example.com/role", "example.com/role"]);
  expect(filled).toContain(`expression: "['example.com/role', 'node-role.kubernetes.io/web']"`);
});
