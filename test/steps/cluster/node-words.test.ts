import type { V1Node } from "@kubernetes/client-node";
import { describe, expect, test } from "vitest";
import { authoritiesIn, isLogSigner, lostAuthority, sha256 } from "../../../lambdas/cluster/authorities.ts";
import { bindingsBeyond } from "../../../lambdas/steps/cluster/account-bindings.ts";
import { type ChangeFacts, changeRefusalOf } from "../../../lambdas/steps/cluster/change-rules.ts";
import { meets, selects } from "../../../lambdas/steps/cluster/label-selector.ts";
import {
  awayReason,
  bootedOf,
  bootIdOf,
  detailsOf,
  isControlPlane,
  isStarting,
  labelsOf,
  movedPods,
  readySince,
  rowOf,
  windowsReleaseOf,
} from "../../../lambdas/steps/cluster/node-facts.ts";
import { issue } from "../../inputs/trust/issuing.ts";
import { labelled, launched, NAME, ownersWith, pod, windowsNode } from "./cluster-objects.ts";

const SINCE = new Date("2026-11-21T14:32:00Z");
const conditions = (status: string, since: Date | undefined = SINCE) => ({
  conditions: [
    { type: "DiskPressure", status: "False" },
    { type: "Ready", status, ...(since ? { lastTransitionTime: since } : {}) },
  ],
});
const empty: V1Node = {};

describe("A node", () => {
  test.each<[V1Node, string | null]>([
    [windowsNode("n"), null],
    [windowsNode("n", { spec: { unschedulable: true } }), "cordoned"],
    [windowsNode("n", { status: conditions("False") }), "NotReady since 2026-11-21 14:32 UTC"],
    [
      windowsNode("n", { spec: { unschedulable: true }, status: conditions("Unknown") }),
      "NotReady since 2026-11-21 14:32 UTC",
    ],
    [windowsNode("n", { status: {} }), "NotReady"],
  ])("case %# is out of service: %s", (node, reason) => {
    expect(awayReason(node)).toBe(reason);
  });

  test("is Ready since a time, or since an unknown one", () => {
    expect([readySince(windowsNode("n", { status: conditions("True") })), readySince(empty)]).toEqual([
      SINCE.getTime(),
      0,
    ]);
  });

  test.each<[Record<string, string>, boolean]>([
    [{ "node-role.kubernetes.io/control-plane": "" }, true],
    [{ "node-role.kubernetes.io/master": "" }, true],
    [{ "node-role.kubernetes.io/worker": "" }, false],
    [{ "x.node-role.kubernetes.io/master": "" }, false],
    [{ "node-role.kubernetes.io/master2": "" }, false],
    [{}, false],
  ])("with the labels %j is of the control plane: %s", (labels, is) => {
    expect(isControlPlane(windowsNode("n", labelled(labels)))).toBe(is);
  });

  test("is starting by its taint", () => {
    const taint = (key: string) => windowsNode("n", { spec: { taints: [{ key, effect: "NoSchedule" }] } });
    expect([isStarting(taint("casement.dev/starting")), isStarting(taint("os")), isStarting(empty)]).toEqual([
      true,
      false,
      false,
    ]);
  });

  test("has a boot, if its kubelet reported one", () => {
    const booted = windowsNode("n", { status: { nodeInfo: { bootID: "7" } as never } });
    expect([bootIdOf(booted), bootIdOf(windowsNode("n")), bootIdOf(null)]).toEqual(["7", null, null]);
    expect(bootIdOf(windowsNode("n", { status: { nodeInfo: { bootID: "" } as never } }))).toBeNull();
    expect([bootedOf(booted), bootedOf(empty)]).toEqual([
      { uid: "uid-of-n", bootId: "7" },
      { uid: "", bootId: null },
    ]);
  });

  test("has the release of its pool, or of its build", () => {
    const build = (value: string) => windowsNode("n", labelled({ "node.kubernetes.io/windows-build": value }));
    expect([
      windowsReleaseOf(build("10.0.17763"), { windows: "2022" }),
      windowsReleaseOf(build("10.0.17763"), undefined),
      windowsReleaseOf(build("10.0.1"), undefined),
      windowsReleaseOf(empty, undefined),
    ]).toEqual(["2022", "2019", undefined, undefined]);
  });

  test("of which the cluster knows nothing has an empty row", () => {
    expect(labelsOf(empty)).toEqual({});
    expect(rowOf(empty, undefined)).toEqual({
      name: "",
      status: "Unknown",
      roles: [],
      createdAt: "1970-01-01T00:00:00.000Z",
      version: "",
      pool: null,
      build: null,
      instanceId: null,
    });
  });

  test("shows a quarantine, its version, and the roles of both labels", () => {
    const labels = {
      "casement.dev/quarantined": "true",
      "node-role.kubernetes.io/worker": "",
      "kubernetes.io/role": "infra",
      "node.kubernetes.io/instance-type": "m6i.large",
    };
    const node = windowsNode("n", {
      ...labelled(labels),
      status: {
        ...conditions("True"),
        nodeInfo: { kubeletVersion: "v1.34.2", osImage: "Windows", containerRuntimeVersion: "containerd://1" } as never,
        addresses: [
          { type: "InternalIP", address: "10.0.0.1" },
          { type: "Hostname", address: "n" },
          { type: "InternalDNS", address: "n" },
        ],
      },
    });
    expect(detailsOf(node, launched({}, {}), [pod("a", "n")], { ownership: "managed", heldBy: null })).toEqual({
      name: "n",
      status: "Ready,Quarantined",
      roles: ["infra", "worker"],
      createdAt: "1970-01-01T00:00:00.000Z",
      version: "v1.34.2",
      pool: "web",
      build: null,
      instanceId: "i-0aaa",
      addresses: ["10.0.0.1", "n"],
      osImage: "Windows",
      containerRuntime: "containerd://1",
      instanceType: "m6i.large",
      zone: "us-west-2a",
      instanceState: "running",
      ownership: "managed",
      taints: [],
      conditions: [
        { type: "DiskPressure", status: "False", reason: "", since: "1970-01-01T00:00:00.000Z" },
        { type: "Ready", status: "True", reason: "", since: "2026-11-21T14:32:00.000Z" },
      ],
      pods: ["shop/a"],
      heldBy: null,
    });
  });

  test("without facts and without a machine has empty details", () => {
    expect(detailsOf(empty, undefined, [], { ownership: "observed", heldBy: "add-1" })).toMatchObject({
      addresses: [],
      osImage: "",
      containerRuntime: "",
      instanceType: null,
      zone: null,
      instanceState: null,
      taints: [],
      conditions: [],
      pods: [],
      heldBy: "add-1",
    });
  });
});

test("Pods that move are marked where they may not come back, and lose no volume that they are allowed to lose", () => {
  const volumes = [
    { name: "cache", emptyDir: {} },
    { name: "logs", hostPath: { path: "C:\\logs" } },
  ];
  const one = pod("a", "n", { spec: { containers: [], volumes } });
  const annotations = { "descheduler.alpha.kubernetes.io/evict": "" };
  const allowed = { ...one, metadata: { ...one.metadata, name: "b", annotations } };
  expect(movedPods([one, allowed], new Set(["shop/a"]))).toEqual([
    {
      namespace: "shop",
      name: "a",
      owner: "ReplicaSet web-7d4b9",
      isUncertain: true,
      localData: ["emptyDir cache", "hostPath C:\\logs"],
    },
    { namespace: "shop", name: "b", owner: "ReplicaSet web-7d4b9", localData: ["hostPath C:\\logs"] },
  ]);
  expect(movedPods([{}])).toEqual([{ namespace: "", name: "", owner: null, localData: [] }]);
});

describe("A change of a node in service is refused", () => {
  const facts = (changes: Partial<ChangeFacts> = {}): ChangeFacts => ({
    ...ownersWith(),
    node: windowsNode(NAME),
    machine: launched(),
    assisted: [],
    others: [],
    heldBy: null,
    ...changes,
  });
  const group = { "aws:autoscaling:groupName": "asg" };
  const assistedMachine = launched({ tags: { ...group, "casement:managed": "prod-west" } });
  const assistance = {
    instanceId: "i-0aaa",
    launchedAt: assistedMachine.launchedAt,
    owner: { kind: "auto-scaling-group", owner: "asg" },
    node: NAME,
    state: "assisted",
    operation: "assist-1",
    askedBy: null,
    approvedBy: [],
    at: "2026-11-20T08:00:00.000Z",
  } as const;
  const assisted = { machine: assistedMachine, assisted: [assistance] };

  test.each<[string, Partial<ChangeFacts>, Parameters<typeof changeRefusalOf>[1], ReturnType<typeof changeRefusalOf>]>([
    ["for no reason", {}, "reboot", null],
    ["of Linux", { node: windowsNode("n", labelled({ "kubernetes.io/os": "linux" })) }, "drain", { kind: "linux" }],
    ["without an instance", { machine: undefined }, "drain", { kind: "no-instance" }],
    ["of nobody", { machine: launched({ tags: {} }) }, "drain", { kind: "not-launched-by-us" }],
    [
      "of another owner",
      { machine: launched({ tags: group }) },
      "drain",
      { kind: "owner", owner: { kind: "auto-scaling-group", owner: "asg" }, assistance: "none" },
    ],
    [
      "whose Node has another name",
      { nodes: [windowsNode("other")], node: windowsNode("other") },
      "drain",
      { kind: "identity", fault: { kind: "other-name", instanceId: "i-0aaa", node: "other", wanted: NAME } },
    ],
    ["for no reason, where it is assisted", assisted, "reboot", null],
    ["that is assisted, in a restart", assisted, "restart", { kind: "assisted" }],
    ["that an operation holds", { heldBy: "add-1" }, "drain", { kind: "busy", operation: "add-1" }],
    ["that an operation holds, in an uncordon", { heldBy: "add-1" }, null, { kind: "busy", operation: "add-1" }],
    [
      "that is stopped, in a reboot",
      { machine: launched({ state: "stopped" }) },
      "reboot",
      { kind: "not-running", state: "stopped" },
    ],
    [
      "that stops, in a restart",
      { machine: launched({ state: "stopping" }) },
      "restart",
      { kind: "not-running", state: "stopping" },
    ],
    ["for no reason, that is stopped, in a drain", { machine: launched({ state: "stopped" }) }, "drain", null],
    ["for no reason, that is stopped, in an uncordon", { machine: launched({ state: "stopped" }) }, null, null],
    ["for no reason, that has ended", { machine: launched({ state: "terminated" }) }, "reboot", null],
  ])("%s", (_what, changes, disruption, refusal) => {
    expect(changeRefusalOf(facts(changes), disruption)).toEqual(refusal);
  });
});

describe("A label selector", () => {
  test.each<[string, readonly string[] | undefined, string | undefined, boolean]>([
    ["In", ["a", "b"], "a", true],
    ["In", ["a", "b"], "c", false],
    ["In", ["a"], undefined, false],
    ["In", undefined, "a", false],
    ["NotIn", ["a"], "a", false],
    ["NotIn", ["a"], "b", true],
    ["NotIn", ["a"], undefined, true],
    ["Exists", undefined, "", true],
    ["Exists", undefined, undefined, false],
    ["DoesNotExist", undefined, undefined, true],
    ["DoesNotExist", undefined, "a", false],
    ["Gt", ["5"], "6", true],
    ["Gt", ["5"], "5", false],
    ["Gt", ["5"], undefined, false],
    ["Lt", ["5"], "4", true],
    ["Lt", ["5"], "5", false],
    ["Lt", ["5"], undefined, false],
    ["Like", ["a"], "a", false],
  ])("%s %j of %j: %s", (operator, values, value, expected) => {
    const labels: Record<string, string> = value === undefined ? {} : { key: value };
    expect(meets(labels, { key: "key", operator, ...(values ? { values } : {}) })).toBe(expected);
  });

  test("needs each of its labels and requirements; an empty one matches everything, and none matches nothing", () => {
    const both = { matchLabels: { a: "1" }, matchExpressions: [{ key: "b", operator: "Exists" }] };
    const of = (labels?: Record<string, string>) => selects(both, labels);
    expect([of({ a: "1", b: "" }), of({ a: "1" }), of({ a: "2", b: "" }), of()]).toEqual([true, false, false, false]);
    expect([selects({}, {}), selects({}), selects(undefined, { a: "1" })]).toEqual([true, true, false]);
  });
});

describe("Bindings that give the bot's accounts more rights", () => {
  const binding = (name: string, ...subjects: readonly object[]) => ({
    metadata: { name },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "admin" },
    subjects: subjects as never,
  });
  const account = { kind: "ServiceAccount", namespace: "casement", name: "look" };

  test.each<[object, string | null]>([
    [account, "ServiceAccount casement/look"],
    [{ ...account, namespace: "shop" }, null],
    [{ ...account, name: "other" }, null],
    [{ kind: "User", name: "system:serviceaccount:casement:act" }, "User system:serviceaccount:casement:act"],
    [{ kind: "User", name: "look" }, null],
    [{ kind: "Group", name: "system:serviceaccounts:casement" }, "Group system:serviceaccounts:casement"],
    [{ kind: "Group", name: "system:serviceaccounts" }, null],
  ])("by the subject %j are named: %s", (subject, name) => {
    expect(bindingsBeyond([binding("extra", subject)])).toEqual(
      name === null ? [] : [`extra: ClusterRole admin for ${name}`],
    );
  });

  test("are none in a binding without subjects", () => {
    const { subjects: _none, ...without } = binding("extra");
    expect(bindingsBeyond([without])).toEqual([]);
  });
});

describe("Authorities", () => {
  test("of a bundle have subject, fingerprint and end; several attributes are one line", async () => {
    const { pem, fingerprint } = await issue({ subject: "CN=signer, O=openshift", until: "2040-02-01" });
    const [one, two, ...more] = authoritiesIn(`${pem}\n${pem}`, "x");
    expect(one).toEqual({
      subject: expect.stringMatching(/^(CN=signer, O=openshift|O=openshift, CN=signer)$/),
      fingerprint: fingerprint.replaceAll(":", "").toLowerCase(),
      notAfter: "2040-02-01T00:00:00.000Z",
    });
    expect([two, more]).toEqual([one, []]);
  });

  test.each([
    ["CN=openshift-kube-apiserver-operator_kube-apiserver-to-kubelet-signer@1", true],
    ["CN=csr-signer", false],
  ])("%s signs for logs: %s", (subject, is) => {
    expect(isLogSigner({ subject })).toBe(is);
  });

  const authority = (name: string, notAfter = "2027-01-01T00:00:00.000Z") => ({
    subject: name,
    fingerprint: name,
    notAfter,
  });
  const [a, b] = [authority("a"), authority("b")];
  const ended = authority("b", "2026-01-01T00:00:00.000Z");
  const NOW = Date.parse("2026-01-01T00:00:00.000Z");

  test.each<[string, readonly object[], readonly (readonly object[])[], object | undefined]>([
    ["as machines have them", [a, b], [[a, b]], undefined],
    ["with a new one", [a, b], [[a]], undefined],
    ["replaced by a new one", [b], [[a]], undefined],
    ["without one of a machine's", [a], [[a], [a, b]], b],
    ["without one that has ended", [a], [[a, ended]], undefined],
    ["without any known bundle", [a], [], undefined],
  ])("%s", (_what, published, known, lost) => {
    expect(lostAuthority(published as never, known as never, NOW)).toEqual(lost);
  });

  test("are hashed as text", () => {
    expect(sha256("abc")).toBe("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  });
});
