import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parseAllDocuments } from "yaml";

interface Rule {
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
  readonly nonResourceURLs?: readonly string[];
}

interface Document {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly rules?: readonly Rule[];
  readonly roleRef?: { readonly kind: string; readonly name: string };
  readonly subjects?: readonly unknown[];
}

const file = new URL("../../lib/manifests/cluster-access.yaml", import.meta.url);
const documents = parseAllDocuments(readFileSync(file, "utf8")).map((one) => one.toJS() as Document);
const rules = documents.flatMap(({ metadata, rules: own = [] }) =>
  own.map((rule) => ({ ...rule, role: metadata.name, namespace: metadata.namespace })),
);
const on = (resource: string) => rules.filter(({ resources = [] }) => resources.includes(resource));
const verbsOn = (resource: string): string[] => on(resource).flatMap(({ verbs }) => [...verbs]);

/** Ways to more rights than the file gives (Kubernetes documentation, "Role Based Access Control Good Practices"). */
const escalations = ["escalate", "bind", "impersonate", "deletecollection", "*"];

describe("the roles of the manifest", () => {
  it("say no star, no path, and nothing that leads to more rights", () => {
    for (const { apiGroups = [], resources = [], resourceNames = [], verbs, nonResourceURLs = [] } of rules) {
      expect(nonResourceURLs).toEqual([]);
      expect([...apiGroups, ...resources, ...resourceNames].filter((word) => word.includes("*"))).toEqual([]);
      expect(verbs.filter((verb) => escalations.includes(verb))).toEqual([]);
    }
  });

  it.each([
    ["pods", ["get", "list"]],
    ["pods/eviction", ["create"]],
    ["nodes", ["get", "list", "patch", "delete"]],
    ["certificatesigningrequests", ["get", "list"]],
    ["certificatesigningrequests/approval", ["update"]],
  ])("on %s: %j and no more", (resource, verbs) => {
    expect(verbsOn(resource)).toEqual(verbs);
  });

  it.each([
    "secrets",
    "pods/exec",
    "nodes/status",
    "nodes/proxy",
    "roles",
    "rolebindings",
    "clusterroles",
    "clusterrolebindings",
    "deployments",
    "validatingadmissionpolicies",
    "mutatingwebhookconfigurations",
    "users",
    "groups",
  ])("never speak of %s", (resource) => {
    expect(on(resource)).toEqual([]);
  });

  it("approve for the two signers of kubelets alone", () => {
    const approving = rules.filter(({ verbs }) => verbs.includes("approve"));
    expect(approving.map(({ resources, resourceNames }) => ({ resources, resourceNames }))).toEqual([
      {
        resources: ["signers"],
        resourceNames: ["kubernetes.io/kube-apiserver-client-kubelet", "kubernetes.io/kubelet-serving"],
      },
    ]);
    expect(rules.filter(({ verbs }) => verbs.includes("sign"))).toEqual([]);
  });

  it("make tokens of the bootstrap account alone, in its own namespace", () => {
    expect(on("serviceaccounts/token")).toEqual([
      expect.objectContaining({
        namespace: "openshift-machine-config-operator",
        resourceNames: ["node-bootstrapper"],
        verbs: ["create"],
      }),
    ]);
  });

  it("name one object wherever a namespace's object is read that may hold secrets of others", () => {
    for (const rule of [...on("configmaps"), ...on("serviceaccounts"), ...on("networks")])
      expect(rule.resourceNames).toHaveLength(1);
  });

  it("are bound to the bot's service account and to nobody else", () => {
    const bindings = documents.filter(({ kind }) => kind.endsWith("RoleBinding"));
    expect(bindings.length).toBe(new Set(rules.map(({ role }) => role)).size);
    for (const { metadata, roleRef, subjects } of bindings) {
      expect(roleRef?.name).toBe(metadata.name);
      expect(subjects).toEqual([{ kind: "ServiceAccount", name: "casement", namespace: "casement" }]);
    }
  });
});
