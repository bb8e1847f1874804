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
  readonly subjects?: readonly { readonly name: string }[];
}

const file = new URL("../../lib/manifests/cluster-access.yaml", import.meta.url);
const documents = parseAllDocuments(readFileSync(file, "utf8")).map((one) => one.toJS() as Document);
const rules = documents.flatMap(({ metadata, rules: own = [] }) =>
  own.map((rule) => ({ ...rule, role: metadata.name, namespace: metadata.namespace })),
);
const on = (resource: string) => rules.filter(({ resources = [] }) => resources.includes(resource));
const verbsOn = (resource: string) => Object.fromEntries(on(resource).map(({ role, verbs }) => [role, verbs]));

/** Rights that lead to more rights (Kubernetes documentation, "Role Based Access Control Good Practices"). */
const escalations = ["escalate", "bind", "impersonate", "deletecollection", "*"];

describe("the roles of the manifest", () => {
  it("contain no star, no path, and no rule that leads to more rights", () => {
    for (const { apiGroups = [], resources = [], resourceNames = [], verbs, nonResourceURLs = [] } of rules) {
      expect(nonResourceURLs).toEqual([]);
      expect([...apiGroups, ...resources, ...resourceNames].filter((word) => word.includes("*"))).toEqual([]);
      expect(verbs.filter((verb) => escalations.includes(verb))).toEqual([]);
    }
  });

  it.each([
    ["pods", { "casement-look": ["get", "list"], "casement-act": ["create", "delete"] }],
    ["pods/eviction", { "casement-act": ["create"] }],
    ["pods/log", { "casement-act": ["get"] }],
    [
      "nodes",
      { "casement-look": ["get", "list"], "casement-act": ["patch", "delete"], "casement-join": ["patch", "delete"] },
    ],
    ["certificatesigningrequests", { "casement-look": ["get", "list"] }],
    ["certificatesigningrequests/approval", { "casement-join": ["update"] }],
    ["imagedigestmirrorsets", { "casement-look": ["get", "list"] }],
    ["imagetagmirrorsets", { "casement-look": ["get", "list"] }],
    ["imagecontentsourcepolicies", { "casement-look": ["get", "list"] }],
  ])("on %s: %j and no more", (resource, verbs) => {
    expect(verbsOn(resource)).toEqual(verbs);
  });

  it("lets pods be made and deleted in the namespace of Casement alone", () => {
    const writing = on("pods").filter(({ verbs }) => verbs.includes("delete"));
    expect(writing.map(({ namespace }) => namespace)).toEqual(["casement"]);
  });

  it.each([
    "secrets",
    "pods/exec",
    "nodes/status",
    "nodes/proxy",
    "roles",
    "rolebindings",
    "clusterroles",
    "validatingadmissionpolicies",
    "mutatingwebhookconfigurations",
    "users",
    "groups",
  ])("never name %s", (resource) => {
    expect(on(resource)).toEqual([]);
  });

  it("only list ClusterRoleBindings", () => {
    expect(on("clusterrolebindings").map(({ verbs }) => verbs)).toEqual([["list"]]);
  });

  it("approve for the two kubelet signers only", () => {
    const approving = rules.filter(({ verbs }) => verbs.includes("approve"));
    expect(approving.map(({ resources, resourceNames }) => ({ resources, resourceNames }))).toEqual([
      {
        resources: ["signers"],
        resourceNames: ["kubernetes.io/kube-apiserver-client-kubelet", "kubernetes.io/kubelet-serving"],
      },
    ]);
    expect(rules.filter(({ verbs }) => verbs.includes("sign"))).toEqual([]);
  });

  it("make tokens for the account itself and, for machines that join, for the bootstrap account", () => {
    const tokens = on("serviceaccounts/token").map(({ role, namespace, resourceNames, verbs }) => [
      role,
      namespace,
      resourceNames,
      verbs,
    ]);
    expect(tokens).toEqual([
      ["casement-join", "openshift-machine-config-operator", ["node-bootstrapper"], ["create"]],
      ["casement-look", "casement", ["look"], ["create"]],
      ["casement-act", "casement", ["act"], ["create"]],
      ["casement-join", "casement", ["join"], ["create"]],
    ]);
  });

  it("name the one object wherever they read an object of another owner", () => {
    const read = [
      "configmaps",
      "serviceaccounts",
      "networks",
      "infrastructures",
      "deployments",
      "controllerconfigs",
      "images",
      "proxies",
    ].flatMap(on);
    expect(read).toHaveLength(10);
    // Administrators choose the names of the ConfigMaps with authorities.
    for (const rule of read.filter(({ role }) => role !== "casement-authorities"))
      expect([rule.resourceNames?.length, rule.verbs]).toEqual([1, ["get"]]);
  });

  it("are in no namespace that an optional operator creates", () => {
    const named = documents.flatMap(({ metadata }) => metadata.namespace ?? []);
    expect(new Set(named)).toEqual(
      new Set(["casement", "default", "openshift-config", "openshift-machine-config-operator"]),
    );
  });

  it("are bound to the accounts that need them and to no others", () => {
    const bindings = documents.filter(({ kind }) => kind.endsWith("RoleBinding"));
    const bound = bindings.map(({ metadata, roleRef, subjects = [] }) => {
      expect(roleRef?.name).toBe(metadata.name);
      for (const subject of subjects) expect(subject).toMatchObject({ kind: "ServiceAccount", namespace: "casement" });
      return [metadata.name, metadata.namespace, subjects.map(({ name }) => name)];
    });
    expect(bound).toEqual([
      ["casement-look", undefined, ["look", "act", "join"]],
      ["casement-act", undefined, ["act"]],
      ["casement-join", undefined, ["join"]],
      ["casement-join", "openshift-machine-config-operator", ["join"]],
      ["casement-events", "default", ["act", "join"]],
      ["casement-inputs", "casement", ["look", "act", "join"]],
      ["casement-authorities", "openshift-config", ["look", "act", "join"]],
      ["casement-look", "casement", ["look"]],
      ["casement-act", "casement", ["act"]],
      ["casement-join", "casement", ["join"]],
    ]);
  });

  it("are granted after the policies that hold the accounts, because a policy takes effect shortly after its creation", () => {
    const kinds = documents.map(({ kind }) => kind);
    expect(kinds.lastIndexOf("ValidatingAdmissionPolicyBinding")).toBeLessThan(kinds.indexOf("ClusterRole"));
  });
});
