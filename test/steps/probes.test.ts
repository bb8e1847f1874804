import { ApiException, type V1Node } from "@kubernetes/client-node";
import { describe, expect, it } from "vitest";
import { probes } from "../../lambdas/steps/probes.ts";

const refused = (code: number) => () => Promise.reject(new ApiException(code, "refused", "", {}));
const verbsOn = (core: object) => probes({ clients: { kubernetes: { core } } } as never);
const stateOf = (status: object | undefined) =>
  verbsOn({ readNamespacedPod: async () => ({ status }) }).state("probe-1");

describe("The state of a probe's pod", () => {
  it.each<[string, object | undefined, object]>([
    ["that nobody has seen", undefined, { exitCode: null, address: null, waiting: "", ended: "" }],
    [
      "that runs",
      { phase: "Running", podIP: "10.1.2.3", containerStatuses: [{ state: { running: {} } }] },
      { exitCode: null, address: "10.1.2.3", waiting: "", ended: "" },
    ],
    [
      "that waits for its image",
      {
        podIP: "no address",
        containerStatuses: [{ state: { waiting: { reason: "ErrImagePull", message: "not\n found" } } }],
      },
      { exitCode: null, address: null, waiting: "ErrImagePull: not found", ended: "" },
    ],
    [
      "whose container has ended",
      { phase: "Failed", containerStatuses: [{ state: { terminated: { exitCode: 3 } } }] },
      { exitCode: 3, address: null, waiting: "", ended: "" },
    ],
    [
      "that its kubelet rejected",
      { phase: "Failed", reason: "OutOfcpu", message: "Node didn't have enough cpu" },
      { exitCode: null, address: null, waiting: "", ended: "OutOfcpu: Node didn't have enough cpu" },
    ],
    [
      "that ended without a word",
      { phase: "Succeeded" },
      { exitCode: null, address: null, waiting: "", ended: "Succeeded" },
    ],
    [
      "that was evicted while its container ended",
      { phase: "Running", reason: "Evicted", containerStatuses: [{ state: { terminated: { exitCode: 137 } } }] },
      { exitCode: 137, address: null, waiting: "", ended: "Evicted" },
    ],
  ])("is read of one %s", async (_what, status, state) => {
    expect(await stateOf(status)).toEqual(state);
  });

  it("keeps 240 characters of the cluster's words", async () => {
    const waiting = { reason: "R", message: "x".repeat(300) };
    expect((await stateOf({ containerStatuses: [{ state: { waiting } }] }))?.waiting).toHaveLength(240);
  });

  it("is none of a pod that does not exist", async () => {
    expect(await verbsOn({ readNamespacedPod: refused(404) }).state("probe-1")).toBeNull();
    await expect(verbsOn({ readNamespacedPod: refused(500) }).state("probe-1")).rejects.toThrow();
  });
});

describe("A probe's pod", () => {
  const pod = { metadata: { name: "probe-1", namespace: "casement" } } as never;

  it("is created once", async () => {
    const made: object[] = [];
    await verbsOn({ createNamespacedPod: async (one: object) => void made.push(one) }).start(pod);
    expect(made).toEqual([{ namespace: "casement", body: pod }]);
    await expect(verbsOn({ createNamespacedPod: refused(409) }).start(pod)).resolves.toBeUndefined();
    await expect(verbsOn({ createNamespacedPod: refused(403) }).start(pod)).rejects.toThrow();
  });

  it("is deleted, whether it exists or not", async () => {
    const deleted: object[] = [];
    await verbsOn({ deleteNamespacedPod: async (one: object) => void deleted.push(one) }).remove("probe-1");
    expect(deleted).toEqual([{ name: "probe-1", namespace: "casement" }]);
    await expect(verbsOn({ deleteNamespacedPod: refused(404) }).remove("probe-1")).resolves.toBeUndefined();
    await expect(verbsOn({ deleteNamespacedPod: refused(500) }).remove("probe-1")).rejects.toThrow();
  });
});

describe("Events about a probe's pod", () => {
  const at = new Date("2026-11-21T14:00:00.000Z");
  const created = { creationTimestamp: new Date("2026-11-21T13:00:00.000Z") };

  it("are read with their time, on one line", async () => {
    const asked: object[] = [];
    const listNamespacedEvent = async (of: object) => {
      asked.push(of);
      return {
        items: [
          { reason: "Failed", message: "no\n such  image", lastTimestamp: at, metadata: created },
          { eventTime: at, metadata: created },
          { message: "x".repeat(2_000), metadata: created },
        ],
      };
    };
    const [first, second, third] = (await verbsOn({ listNamespacedEvent }).events("probe-1")) ?? [];
    expect(asked).toEqual([
      { namespace: "casement", fieldSelector: "involvedObject.kind=Pod,involvedObject.name=probe-1" },
    ]);
    expect(first).toEqual({ reason: "Failed", message: "no such image", at: at.toISOString() });
    expect(second).toEqual({ reason: "", message: "", at: at.toISOString() });
    expect([third?.message.length, third?.at]).toEqual([1_024, "2026-11-21T13:00:00.000Z"]);
  });

  it("are none where an older manifest does not allow to read them", async () => {
    expect(await verbsOn({ listNamespacedEvent: refused(403) }).events("probe-1")).toBeNull();
    await expect(verbsOn({ listNamespacedEvent: refused(500) }).events("probe-1")).rejects.toThrow();
  });
});

it("a pod on Linux gets a user, but where OpenShift assigns one itself", async () => {
  const withAnnotations = (annotations?: object) =>
    verbsOn({ readNamespace: async () => ({ metadata: { annotations } }) });
  expect(await withAnnotations().user()).toBe(65_534);
  expect(await withAnnotations({ "openshift.io/sa.scc.uid-range": "1000/10000" }).user()).toBeNull();
});

describe("The node from which a probe is reached", () => {
  const node = (name: string, { os = "linux", ready = "True", cordoned = false, role = "worker" } = {}): V1Node => ({
    metadata: { name, labels: { "kubernetes.io/os": os, [`node-role.kubernetes.io/${role}`]: "" } },
    spec: { unschedulable: cordoned },
    status: { conditions: [{ type: "Ready", status: ready }] },
  });
  const chosen = (...nodes: readonly V1Node[]) => verbsOn({}).origin(nodes);

  it("is a Linux worker that is Ready and takes pods", () => {
    expect(
      chosen(
        node("windows", { os: "windows" }),
        node("away", { ready: "False" }),
        node("cordoned", { cordoned: true }),
        node("master", { role: "control-plane" }),
        node("linux"),
      ),
    ).toBe("linux");
  });

  it("is another one at each attempt, as long as there are several", () => {
    const origins = (...nodes: readonly V1Node[]) => [1, 2, 3].map((attempt) => verbsOn({}).origin(nodes, attempt));
    const master = node("master", { role: "control-plane" });
    expect(origins(master, node("a"), node("b"))).toEqual(["a", "b", "a"]);
    expect(origins(master, node("a"))).toEqual(["a", "master", "a"]);
    expect(origins(master)).toEqual(["master", "master", "master"]);
  });

  it("is one of the control plane where there is no other, and otherwise none", () => {
    expect(chosen(node("master", { role: "control-plane" }))).toBe("master");
    expect(chosen(node("windows", { os: "windows" }))).toBeNull();
  });
});
