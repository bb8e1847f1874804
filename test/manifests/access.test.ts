import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { accounts } from "../../lambdas/cluster/accounts.ts";
import { accessOf } from "../../lambdas/cluster/cluster-access.ts";
import { okd } from "../../lambdas/profiles/okd/okd.ts";
import { clusterManifest } from "../../lib/manifests/manifest.ts";

interface Role {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly roleRef?: { readonly kind: string; readonly name: string };
  readonly subjects?: readonly { readonly name: string }[];
  readonly rules?: readonly {
    readonly apiGroups: readonly string[];
    readonly resources: readonly string[];
    readonly resourceNames?: readonly string[];
    readonly verbs: readonly string[];
  }[];
}

const file = new URL("../../lib/manifests/cluster-access.yaml", import.meta.url);

const documents = parseAllDocuments(readFileSync(file, "utf8")).map((one) => one.toJS() as Role);

/** Lists every right of a role: verb, group, resource, name, namespace. */
const rightsOf = ({ metadata: { namespace = "" }, rules = [] }: Role): string[] =>
  rules.flatMap(({ apiGroups, resources, resourceNames = [""], verbs }) =>
    apiGroups.flatMap((group) =>
      resources.flatMap((resource) =>
        resourceNames.flatMap((name) => verbs.map((verb) => [verb, group, resource, name, namespace].join(" "))),
      ),
    ),
  );

const grantedTo = (account: string): string[] =>
  documents
    .filter(({ subjects = [] }) => subjects.some(({ name }) => name === account))
    .flatMap(({ roleRef, metadata: { namespace } }) =>
      documents.filter(
        ({ kind, metadata }) =>
          kind === roleRef?.kind && metadata.name === roleRef.name && metadata.namespace === namespace,
      ),
    )
    .flatMap(rightsOf);

test.each(accounts)("the doctor checks exactly the rights that the manifest grants to the account %s", (account) => {
  const asked = accessOf(okd)[account].map(({ verb, group, resource, subresource, name = "", namespace = "" }) =>
    [verb, group, subresource ? `${resource}/${subresource}` : resource, name, namespace].join(" "),
  );
  expect(asked.toSorted()).toEqual(grantedTo(account).toSorted());
});

test.each(["a b", "x'] + ['y", "*", ""])("a pool's label %j never becomes part of an expression", (key) => {
  expect(() => clusterManifest({ labelKeys: ["example.com/role", key], probeImages: [] })).toThrow("does not take");
});

test.each(["a b", "x'] + ['y", ""])("a probe's image %j never becomes part of an expression", (image) => {
  expect(() => clusterManifest({ labelKeys: [], probeImages: [image] })).toThrow("is none");
});

test("the labels of the pools and the images of probes are listed one by one, sorted, without duplicates", () => {
  const filled = clusterManifest({
    labelKeys: ["node-role.kubernetes.io/web", "example.com/role", "example.com/role"],
    probeImages: ["r.example.com:5000/a@sha256:00", "r.example.com/b:1"],
  });
  expect(filled).toContain(`expression: "['example.com/role', 'node-role.kubernetes.io/web']"`);
  expect(filled).toContain(`expression: "['r.example.com/b:1', 'r.example.com:5000/a@sha256:00']"`);
});
