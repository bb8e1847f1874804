import { describe, expect, test } from "vitest";
import type { Account } from "../../../lambdas/cluster/accounts.ts";
import { accessChecks, clusterChecks, clusterCredential } from "../../../lambdas/steps/doctor/cluster.ts";
import { ages } from "../../../lambdas/steps/doctor/credential.ts";
import { type ApiAnswers, apiRefusal, clusterSecret, listOf } from "../api-server.ts";
import { foundIn, patientOf } from "./a-cluster.ts";
import { refusal } from "./a-patient.ts";

const HOUR = 3_600_000;
const REVIEW = "POST /apis/authentication.k8s.io/v1/selfsubjectreviews";
const iso = (hours: number): string => new Date(hours * HOUR).toISOString();

const checkOf = (what: string) => {
  const check = clusterChecks.find((one) => one.what === what);
  if (!check) throw new Error(`no check of ${what}`);
  return check;
};

test("The checks of the cluster have their names, and those of a connection come first", () => {
  const names = clusterChecks.map(({ area, what }) => `${area}: ${what}`);
  expect(names).toEqual([
    "Cluster: the credential's end",
    "Cluster: the account's rights",
    "Cluster: the admission policies",
    "Cluster: who gives the accounts more rights",
    "Cluster: the Linux nodes",
  ]);
  expect(accessChecks).toEqual(clusterChecks.slice(0, 3));
  expect(clusterCredential).toMatchObject({
    area: "Cluster",
    what: "whether the API server accepts the credential",
  });
});

describe("Whether the API server accepts the credential", () => {
  const self = (username: string | undefined, date?: string) => ({
    headers: { ...(date ? { date } : {}) },
    body: { status: { userInfo: username === undefined ? {} : { username } } },
  });
  const mine = self("system:serviceaccount:casement:look", new Date(0).toUTCString());

  test("is no finding for the account's own", async () => {
    expect(await foundIn(clusterCredential, { [REVIEW]: mine })).toEqual([]);
  });

  test("is asked with an empty review", async () => {
    const { patient, requests } = patientOf({ [REVIEW]: mine });
    await clusterCredential.observe(patient);
    expect(requests).toMatchObject([{ action: REVIEW, body: {} }]);
  });

  test.each([
    ["system:serviceaccount:casement:act", "it belongs to system:serviceaccount:casement:act, not to"],
    [undefined, "it belongs to , not to"],
  ])("is denied to the credential of %s", async (user, why) => {
    expect(await foundIn(clusterCredential, { [REVIEW]: self(user) })).toEqual([
      { kind: "credential-unusable", account: "look", why: `${why} system:serviceaccount:casement:look` },
    ]);
  });

  test("comes with the difference of the clocks", async () => {
    expect(await foundIn(clusterCredential, { [REVIEW]: mine }, { now: 61_000 })).toEqual([
      { kind: "clock", against: "the cluster", seconds: 61 },
    ]);
  });

  test.each<[string, ApiAnswers[string], number, unknown]>([
    ["401", apiRefusal(401), 1, { kind: "credential-unusable", why: "the API server rejects the token" }],
    ["401 after the token's end", apiRefusal(401), 24, { kind: "credential-expired", at: iso(24) }],
    ["401 when the renewal is overdue", apiRefusal(401), 20, { kind: "credential-unusable" }],
    [
      "a certificate of another authority",
      Object.assign(new Error("no"), { cause: { code: "UNABLE_TO_VERIFY_LEAF_SIGNATURE" } }),
      1,
      {
        kind: "credential-unusable",
        why: "the API server's certificate is not of the authority in `ca`, or not of the name in `server` (UNABLE_TO_VERIFY_LEAF_SIGNATURE)",
      },
    ],
  ])("is judged after %s", async (_what, answer, hours, finding) => {
    expect(await foundIn(clusterCredential, { [REVIEW]: answer }, { now: hours * HOUR })).toEqual([
      expect.objectContaining({ account: "look", ...(finding as object) }),
    ]);
  });

  test.each<[string, ApiAnswers[string], string]>([
    ["503", apiRefusal(503, "later"), "Error: HTTP-Code: 503"],
    ["403", apiRefusal(403), "Error: HTTP-Code: 403"],
    [
      "an error with another cause",
      Object.assign(new Error("reset"), { cause: { code: "ECONNRESET" } }),
      "Error: reset",
    ],
    ["an error without a cause", new Error("reset"), "Error: reset"],
  ])("is not judged after %s", async (_what, answer, words) => {
    expect(await foundIn(clusterCredential, { [REVIEW]: answer })).toEqual(expect.stringContaining(words));
  });

  test.each([
    [
      "has another form",
      { GetSecretValue: () => ({ body: { SecretString: '{"server":"https://a.example.com","ca":"","token":"t"}' } }) },
      {
        kind: "credential-unusable",
        account: "look",
        why: "the cluster credential must be JSON with server, ca and token: ca must be a certificate in PEM",
      },
    ],
    [
      "does not exist",
      { GetSecretValue: refusal("ResourceNotFoundException") },
      {
        kind: "credential-unusable",
        account: "look",
        why: "the secret casement/prod-west/kubernetes/look is empty or does not exist",
      },
    ],
    [
      "cannot be read now",
      { GetSecretValue: refusal("InternalServiceError") },
      { kind: "down", area: "AWS", why: "InternalServiceError: no" },
    ],
  ])("is not asked with a secret that %s", async (_what, aws, finding) => {
    const { patient, requests } = patientOf({}, { aws });
    expect(await clusterCredential.observe(patient)).toEqual([finding]);
    expect(requests).toEqual([]);
  });

  test("is not judged where the secret must not be read", async () => {
    const aws = { GetSecretValue: refusal("AccessDeniedException") };
    expect(await foundIn(clusterCredential, {}, { aws })).toBe("AccessDeniedException: no");
  });
});

describe("The credential's end", () => {
  const end = checkOf("the credential's end");

  test.each([
    [1, []],
    [20, [{ kind: "credential-overdue", account: "look", due: iso(12), at: iso(24) }]],
    [24, [{ kind: "credential-expired", account: "look", at: iso(24) }]],
  ])("after %i hours finds %j", async (hours, findings) => {
    expect(await foundIn(end, {}, { now: hours * HOUR })).toEqual(findings);
  });

  test("is shown by age and renewal, and not at all where it cannot be read", async () => {
    const { context } = patientOf({}, { now: HOUR }).patient;
    expect(await ages(context)).toEqual([{ account: "look", issuedAt: iso(0), renewsAt: iso(12), at: iso(1) }]);
    const aws = { GetSecretValue: refusal("AccessDeniedException") };
    expect(await ages(patientOf({}, { aws }).patient.context)).toEqual([]);
  });

  test("of a token without one is a finding, and has no age", async () => {
    const SecretString = '{"server":"https://a.example.com","ca":"-----BEGIN CERTIFICATE-----","token":"word"}';
    const aws = { GetSecretValue: () => ({ body: { SecretString } }) };
    expect(await foundIn(end, {}, { aws })).toEqual([{ kind: "credential-endless", account: "look" }]);
    expect(await ages(patientOf({}, { aws }).patient.context)).toEqual([]);
  });
});

describe("The account's rights", () => {
  const REVIEWED = "POST /apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
  const rights = checkOf("the account's rights");
  const allowing = (allowed: boolean | undefined): ApiAnswers => ({
    [REVIEWED]: { body: { status: allowed === undefined ? {} : { allowed } } },
  });
  const missing = async (account: Account) => {
    const found = await foundIn(rights, allowing(false), { account });
    return (found as { does: string; right: string }[]).map(({ right, does }) => `${right}: ${does}`);
  };

  test.each<Account>(["look", "act", "join"])("of %s are no finding where the server allows them", async (account) => {
    expect(await foundIn(rights, allowing(true), { account })).toEqual([]);
  });

  test("are asked without their purpose", async () => {
    const { patient, requests } = patientOf(allowing(true));
    await rights.observe(patient);
    expect(requests.map(({ body }) => body)).toEqual(
      expect.arrayContaining([
        { spec: { resourceAttributes: { verb: "list", group: "policy", resource: "poddisruptionbudgets" } } },
      ]),
    );
  });

  test("that the server does not allow are missing, written as kubectl asks for them", async () => {
    expect(await foundIn(rights, allowing(undefined))).toEqual(await foundIn(rights, allowing(false)));
    expect((await foundIn(rights, allowing(false))) as unknown[]).toContainEqual({
      kind: "right-missing",
      account: "look",
      does: "read a node",
      right: "get nodes",
    });
    const look = await missing("look");
    expect(look).toEqual([
      "get nodes: read a node",
      "list nodes: list nodes",
      "get pods: read a pod",
      "list pods: list the pods of a node",
      "get poddisruptionbudgets.policy: read a disruption budget",
      "list poddisruptionbudgets.policy: list disruption budgets",
      "get daemonsets.apps: read a DaemonSet",
      "list daemonsets.apps: list DaemonSets",
      "get jobs.batch: read a Job",
      "list csinodes.storage.k8s.io: list the storage drivers of nodes",
      "list persistentvolumeclaims: see which volumes pods claim",
      "list persistentvolumes: see the zones of volumes",
      "list runtimeclasses.node.k8s.io: list RuntimeClasses",
      "list volumeattachments.storage.k8s.io: list the volumes attached to nodes",
      "list clusterrolebindings.rbac.authorization.k8s.io: see who gives the bot's accounts more rights",
      "get namespaces: read a namespace",
      "get certificatesigningrequests.certificates.k8s.io: read a signing request",
      "list certificatesigningrequests.certificates.k8s.io: list signing requests",
      "get configmaps inputs in casement: read the ConfigMap with what Windows nodes are given",
      "get networks.operator.openshift.io cluster: read the cluster's network",
      "get services dns-default: read the address of the cluster's DNS Service",
      "get controllerconfigs.machineconfiguration.openshift.io machine-config-controller: read the kubelets' client authority",
      "get machines.machine.openshift.io: read a Machine",
      "list machines.machine.openshift.io: list Machines",
      "list machinehealthchecks.machine.openshift.io: see which MachineHealthChecks may delete a Machine",
      "get configmaps windows-instances: read WMCO's list of machines",
      "get deployments.apps windows-machine-config-operator: read WMCO's Deployment",
      "get infrastructures.config.openshift.io cluster: read the cluster's platform",
      "get imagedigestmirrorsets.config.openshift.io: read an ImageDigestMirrorSet",
      "list imagedigestmirrorsets.config.openshift.io: list objects of the kind ImageDigestMirrorSet",
      "get imagetagmirrorsets.config.openshift.io: read an ImageTagMirrorSet",
      "list imagetagmirrorsets.config.openshift.io: list objects of the kind ImageTagMirrorSet",
      "get imagecontentsourcepolicies.operator.openshift.io: read an ImageContentSourcePolicy",
      "list imagecontentsourcepolicies.operator.openshift.io: list objects of the kind ImageContentSourcePolicy",
      "get images.config.openshift.io cluster: read how the cluster reaches registries",
      "get proxies.config.openshift.io cluster: read the cluster's proxy",
      "get configmaps in openshift-config: read the ConfigMaps with trusted authorities",
      "get serviceaccounts node-bootstrapper: see the account that machines join with",
      "create serviceaccounts/token look in casement: renew its own credential",
    ]);
    const others = [...(await missing("act")), ...(await missing("join"))].filter((one) => !look.includes(one));
    expect(others).toEqual([
      "patch nodes: cordon, label, taint and annotate nodes",
      "delete nodes: delete the Node of a terminated machine",
      "create events in default: write Events on nodes",
      "patch events in default: change Events on nodes",
      "list events in default: list Events on nodes",
      "get pods/log: see that a kubelet trusts the API server",
      "create pods/eviction: evict pods",
      "create pods in casement: try a node's data plane by a pod",
      "list events in casement: see why a pod of its own does not start",
      "delete pods in casement: remove its own pods",
      "create serviceaccounts/token act in casement: renew its own credential",
      "patch nodes: cordon, label, taint and annotate nodes",
      "delete nodes: delete the Node of a terminated machine",
      "create events in default: write Events on nodes",
      "patch events in default: change Events on nodes",
      "list events in default: list Events on nodes",
      "update certificatesigningrequests.certificates.k8s.io/approval: approve signing requests",
      "approve signers.certificates.k8s.io kubernetes.io/kube-apiserver-client-kubelet: approve requests to the signer kubernetes.io/kube-apiserver-client-kubelet",
      "approve signers.certificates.k8s.io kubernetes.io/kubelet-serving: approve requests to the signer kubernetes.io/kubelet-serving",
      "create serviceaccounts/token node-bootstrapper in openshift-machine-config-operator: issue join tokens",
      "create serviceaccounts/token join in casement: renew its own credential",
    ]);
  });
});

describe("Who gives the accounts more rights", () => {
  const PLACE = "GET /apis/rbac.authorization.k8s.io/v1/clusterrolebindings";
  const bindings = checkOf("who gives the accounts more rights");
  const binding = (name: string, subject: object) => ({
    metadata: { name },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "cluster-admin" },
    subjects: [subject],
  });

  test("is named by binding and role", async () => {
    const ours = binding("too-much", { kind: "ServiceAccount", namespace: "casement", name: "act" });
    const others = binding("of-others", { kind: "ServiceAccount", namespace: "shop", name: "act" });
    expect(await foundIn(bindings, { [PLACE]: listOf(ours, others) })).toEqual([
      {
        bindings: ["too-much: ClusterRole cluster-admin for ServiceAccount casement/act"],
        kind: "accounts-bound",
      },
    ]);
    expect(await foundIn(bindings, { [PLACE]: listOf(others) })).toEqual([]);
  });

  test("is not known without the right to list bindings, and any other error is thrown", async () => {
    expect(await foundIn(bindings, { [PLACE]: apiRefusal(403) })).toEqual([]);
    expect(await foundIn(bindings, { [PLACE]: apiRefusal(503) })).toContain("HTTP-Code: 503");
  });
});

describe("The Linux nodes", () => {
  const linux = checkOf("the Linux nodes");
  const node = (os: string, status: string) => ({
    metadata: { name: "n", labels: { "kubernetes.io/os": os } },
    status: { conditions: [{ type: "Ready", status }] },
  });

  test.each([
    ["a Linux node that is Ready", [node("windows", "True"), node("linux", "True")], []],
    ["a Linux node that is not Ready", [node("linux", "False")], [{ kind: "no-linux-node" }]],
    ["a Windows node alone", [node("windows", "True")], [{ kind: "no-linux-node" }]],
    ["no node", [], [{ kind: "no-linux-node" }]],
  ])("in a cluster with %s", async (_what, nodes, findings) => {
    expect(await foundIn(linux, { "GET /api/v1/nodes": listOf(...nodes) })).toEqual(findings);
  });
});

test("A token of 48 hours is due as one of a day", async () => {
  const surroundings = { aws: clusterSecret(48), now: 15 * HOUR };
  expect(await foundIn(checkOf("the credential's end"), {}, surroundings)).toEqual([
    { kind: "credential-overdue", account: "look", due: iso(12), at: iso(48) },
  ]);
});
