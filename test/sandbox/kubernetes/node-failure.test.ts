import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { conditionOf, type Node, type Pod } from "../../../lib/sandbox/kubernetes/model/shapes.ts";
import { budget, linuxNode, type StillCluster, stillCluster } from "./cluster.ts";

// Times of a kube-controller-manager 1.34.4 with its defaults, measured in November 2026.

let cluster: StillCluster;
beforeEach(async () => {
  // The nodes' heartbeats are sent by the cases themselves.
  cluster = await stillCluster(undefined, undefined, ["linux-kubelets"]);
});
afterEach(() => cluster.stop());

const MERGE = { "content-type": "application/merge-patch+json" };
const nodeOf = (name: string) => cluster.api.objects("nodes").find(({ metadata }) => metadata.name === name) as Node;
const podOf = (name: string) => cluster.api.objects("pods").find(({ metadata }) => metadata.name === name) as Pod;
const taintsOf = (name: string) =>
  (nodeOf(name)?.spec.taints ?? []).map(({ key, effect }) => `${key.split("/").at(-1)}:${effect}`);
const beat = (name: string, status: "True" | "False" = "True") => {
  const lastHeartbeatTime = new Date(cluster.simulation.clock.now()).toISOString();
  const conditions = [{ type: "Ready", status, lastHeartbeatTime }];
  return cluster.admin(`PATCH /api/v1/nodes/${name}/status`, { status: { conditions } }, MERGE);
};
/** Lets heartbeats come for so many seconds. */
const live = async (names: readonly string[], seconds: number): Promise<void> => {
  for (let lived = 0; lived < seconds; lived += 10) {
    for (const name of names) await beat(name);
    await cluster.pass(10);
  }
};
const pod = (name: string, node: string, spec: object = {}) =>
  cluster.api.create({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace: "default", labels: { app: name } },
    spec: { nodeName: node, containers: [{ name: "main", image: "pause" }], ...spec },
  } as never);
/** Seconds until the condition holds, asked every half second. */
async function secondsUntil(isSo: () => boolean, most: number): Promise<number> {
  const start = cluster.simulation.clock.now();
  while (!isSo()) {
    if (cluster.simulation.clock.now() > start + most * 1_000) throw new Error(`not within ${most} s`);
    await cluster.pass(0.5);
  }
  return (cluster.simulation.clock.now() - start) / 1_000;
}
const outOfService = (name: string) =>
  cluster.admin(
    `PATCH /api/v1/nodes/${name}`,
    {
      spec: {
        taints: [
          ...(nodeOf(name).spec.taints ?? []),
          { key: "node.kubernetes.io/out-of-service", effect: "NoExecute" },
        ],
      },
    },
    MERGE,
  );

describe("a silent node", () => {
  test("is Unknown 50 to 55 s after its last heartbeat, and the second of its zone is evicted 10 s later", async () => {
    for (const name of ["a", "b"]) cluster.api.create(linuxNode(name));
    await live(["a", "b"], 20);
    const isUnknown = () => conditionOf(nodeOf("b").status?.conditions, "Ready")?.status === "Unknown";
    const took = 10 + (await secondsUntil(isUnknown, 60));
    expect(took).toBeGreaterThanOrEqual(50);
    expect(took).toBeLessThanOrEqual(56);
    await cluster.pass(1);
    expect(taintsOf("a")).toEqual(["unreachable:NoSchedule", "unreachable:NoExecute"]);
    expect(taintsOf("b")).toEqual(["unreachable:NoSchedule"]);
    await cluster.pass(10);
    expect(taintsOf("b")).toEqual(["unreachable:NoSchedule", "unreachable:NoExecute"]);
  });

  test("loses its pods after exactly 300 s whatever their budgets say, and each stays terminating for ever", async () => {
    cluster.api.create(linuxNode("a"));
    pod("app", "a");
    pod("quick", "a", {
      tolerations: [
        { key: "node.kubernetes.io/unreachable", operator: "Exists", effect: "NoExecute", tolerationSeconds: 30 },
      ],
    });
    cluster.api.create(budget("app", { minAvailable: 1 }));
    await live(["a"], 10);
    await secondsUntil(() => taintsOf("a").includes("unreachable:NoExecute"), 70);
    const short = await secondsUntil(() => podOf("quick").metadata.deletionTimestamp !== undefined, 60);
    expect(Math.abs(short - 30)).toBeLessThanOrEqual(1);
    const rest = await secondsUntil(() => podOf("app").metadata.deletionTimestamp !== undefined, 400);
    expect(Math.abs(short + rest - 300)).toBeLessThanOrEqual(1);
    expect(conditionOf(podOf("app").status?.conditions, "DisruptionTarget")).toMatchObject({
      status: "True",
      reason: "DeletionByTaintManager",
      message: "Taint manager: deleting due to NoExecute taint",
    });
    const events = cluster.api.objects("events").filter(({ reason }) => reason === "NodeNotReady");
    expect(events.map(({ message, involvedObject }) => [(involvedObject as { name: string }).name, message])).toEqual(
      expect.arrayContaining([
        ["a", "Node a status is now: NodeNotReady"],
        ["app", "Node is not ready"],
      ]),
    );
    await cluster.pass(1_200);
    expect(podOf("app")).toBeDefined();
  });

  test("loses all pods within a round of the collector once it is declared out of service", async () => {
    cluster.api.create(linuxNode("a"));
    pod("app", "a");
    await live(["a"], 10);
    await secondsUntil(() => taintsOf("a").includes("unreachable:NoExecute"), 70);
    await outOfService("a");
    await cluster.pass(0.5);
    expect(podOf("app").metadata.deletionTimestamp).toBeDefined();
    expect(await secondsUntil(() => podOf("app") === undefined, 21)).toBeLessThanOrEqual(20);
  });
});

test("A node that says it is not ready gets NoSchedule at once and NoExecute within 5 s", async () => {
  cluster.api.create(linuxNode("a"));
  await live(["a"], 10);
  await cluster.pass(1);
  await beat("a", "False");
  await cluster.pass(0.1);
  expect(taintsOf("a")).toEqual(["not-ready:NoSchedule"]);
  expect(await secondsUntil(() => taintsOf("a").includes("not-ready:NoExecute"), 6)).toBeLessThanOrEqual(5);
});

test("A Ready node that is declared out of service loses its pods, but none by force", async () => {
  cluster.api.create(linuxNode("a"));
  pod("held", "a", { terminationGracePeriodSeconds: 600, containers: [sleeping(500)] });
  await live(["a"], 20);
  await outOfService("a");
  await live(["a"], 220);
  expect(podOf("held").metadata.deletionGracePeriodSeconds).toBe(600);
});

const sleeping = (seconds: number) => ({
  name: "main",
  image: "pause",
  lifecycle: { preStop: { sleep: { seconds } } },
});

test("Pods of a Node that was deleted are Failed and gone 40 to 60 s later, whatever their grace", async () => {
  cluster.api.create(linuxNode("a"));
  pod("long", "a", { terminationGracePeriodSeconds: 3_600 });
  await live(["a"], 10);
  const phases: (string | undefined)[] = [];
  cluster.api.cluster.objects.listen(({ type, object }) => {
    if (type.plural === "pods") phases.push((object as Pod).status?.phase);
  });
  await cluster.admin("DELETE /api/v1/nodes/a");
  const took = await secondsUntil(() => podOf("long") === undefined, 61);
  expect(took).toBeGreaterThanOrEqual(40);
  expect(phases).toContain("Failed");
});
