import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Ask, budget, deployment, linuxNode, type StillCluster, stillCluster } from "./cluster.ts";

let cluster: StillCluster;
let bot: Ask;

const pods = "/api/v1/namespaces/default/pods";
const podNames = () => cluster.api.objects("pods").map(({ metadata }) => metadata.name);
const evict = (name: string, deleteOptions: object = {}, query = "") =>
  bot(`POST ${pods}/${name}/eviction${query}`, {
    apiVersion: "policy/v1",
    kind: "Eviction",
    metadata: { name, namespace: "default" },
    deleteOptions,
  });
const first = (): string => podNames()[0] ?? "";
const pdb = () => cluster.api.objects("poddisruptionbudgets", "policy")[0]?.status as Record<string, unknown>;

beforeEach(async () => {
  cluster = await stillCluster();
  bot = cluster.as("system:serviceaccount:casement:casement");
  cluster.api.create(linuxNode("n"));
  cluster.api.create(deployment("web", 2));
  await cluster.pass(10);
});
afterEach(() => cluster.stop());

describe("without a budget", () => {
  test("deletes the pod with its own grace", async () => {
    const name = first();
    const { status, body } = await evict(name);
    expect([status, body.status]).toEqual([201, "Success"]);
    expect((await bot(`GET ${pods}/${name}`)).body.metadata.deletionGracePeriodSeconds).toBe(30);
    await cluster.pass(10);
    expect(podNames()).not.toContain(name);
    expect(podNames()).toHaveLength(2);
  });

  test("answers 404 for a pod that is gone and 409 for another one of the same name", async () => {
    expect((await evict("gone")).body.reason).toBe("NotFound");
    const { status, body } = await evict(first(), { preconditions: { uid: "another" } });
    expect([status, body.reason]).toEqual([409, "Conflict"]);
    expect(podNames()).toHaveLength(2);
  });

  test("only looks in a dry run, by parameter or by option", async () => {
    expect((await evict(first(), {}, "?dryRun=All")).status).toBe(201);
    expect((await evict(first(), { dryRun: ["All"] })).status).toBe(201);
    expect(cluster.api.objects("pods").filter(({ metadata }) => metadata.deletionTimestamp)).toEqual([]);
  });

  test("is something new, which a namespace that goes does not take", async () => {
    cluster.api.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: "leaving" } } as never);
    const spec = { containers: [{ name: "main", image: "pause" }] };
    const held = { name: "held", namespace: "leaving", finalizers: ["example.com/held"] };
    cluster.api.create({ apiVersion: "v1", kind: "Pod", metadata: held, spec } as never);
    await cluster.admin("DELETE /api/v1/namespaces/leaving");
    const eviction = { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: "held", namespace: "leaving" } };
    const { status, body } = await bot("POST /api/v1/namespaces/leaving/pods/held/eviction", eviction);
    expect([status, body.details.causes[0].reason]).toEqual([403, "NamespaceTerminating"]);
  });

  test("refuses a name that is not the one in the URL", async () => {
    const { status } = await bot(`POST ${pods}/${first()}/eviction`, {
      apiVersion: "policy/v1",
      kind: "Eviction",
      metadata: { name: "other" },
    });
    expect(status).toBe(400);
  });
});

describe("with a budget", () => {
  test("refuses with the budget's cause and without Retry-After while it is spent", async () => {
    cluster.api.create(budget("web", { minAvailable: 2 }));
    await cluster.pass(1);
    const { status, headers, body } = await evict(first());
    expect([status, headers["retry-after"], body.message]).toEqual([
      429,
      undefined,
      "Cannot evict pod as it would violate the pod's disruption budget.",
    ]);
    expect(body.details.causes).toEqual([
      { reason: "DisruptionBudget", message: "The disruption budget web needs 2 healthy pods and has 2 currently" },
    ]);
  });

  test("asks to wait ten seconds while the budget is newer than its status", async () => {
    cluster.api.create(budget("web", { minAvailable: 1 }));
    const { status, headers, body } = await evict(first());
    expect([status, headers["retry-after"], body.details.retryAfterSeconds]).toEqual([429, "10", 10]);
    await cluster.pass(1);
    expect((await evict(first())).status).toBe(201);
  });

  test("lets one go at a time and the next when its replacement is ready", async () => {
    cluster.api.create(budget("web", { maxUnavailable: 1 }));
    await cluster.pass(1);
    const [one = "", two = ""] = podNames();
    expect((await evict(one)).status).toBe(201);
    expect((await evict(two)).status).toBe(429);
    await cluster.pass(1);
    expect((await evict(two)).status).toBe(429);
    await cluster.pass(10);
    expect((await evict(two)).status).toBe(201);
  });

  test("spends nothing of the budget in a dry run", async () => {
    cluster.api.create(budget("web", { minAvailable: 1 }));
    await cluster.pass(1);
    await evict(first(), {}, "?dryRun=All");
    expect(pdb()?.disruptionsAllowed).toBe(1);
  });

  test("counts shares of what the workload wants", async () => {
    cluster.api.create(budget("web", { minAvailable: "50%" }));
    await cluster.pass(1);
    expect(pdb()).toMatchObject({ expectedPods: 2, desiredHealthy: 1, currentHealthy: 2, disruptionsAllowed: 1 });
  });

  test("answers 500 when two budgets choose the pod", async () => {
    cluster.api.create(budget("one", { minAvailable: 0 }, "web"));
    cluster.api.create(budget("two", { minAvailable: 0 }, "web"));
    const { status, body } = await evict(first());
    expect([status, body.reason, body.message]).toEqual([
      500,
      undefined,
      "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.",
    ]);
  });

  test("does not guard a pod that has not started or is going already", async () => {
    cluster.api.create(budget("web", { minAvailable: 2 }));
    await cluster.admin(
      "PATCH /api/v1/nodes/n",
      { spec: { unschedulable: true } },
      { "content-type": "application/merge-patch+json" },
    );
    await cluster.admin(`DELETE ${pods}/${first()}`);
    expect((await evict(first())).status).toBe(201);
    await cluster.pass(10);
    const waiting = cluster.api.objects("pods").find(({ status }) => (status as { phase: string }).phase === "Pending");
    expect((await evict(waiting?.metadata.name ?? "")).status).toBe(201);
  });

  test.each([
    ["IfHealthyBudget", 429],
    ["AlwaysAllow", 201],
  ])("treats a pod that is not ready by its policy %s", async (unhealthyPodEvictionPolicy, wanted) => {
    cluster.api.create(budget("web", { minAvailable: 2, unhealthyPodEvictionPolicy }));
    const name = first();
    const notReady = { status: { conditions: [{ type: "Ready", status: "False" }] } };
    await cluster.pass(1);
    await cluster.admin("DELETE /api/v1/nodes/n");
    await cluster.admin(`PATCH ${pods}/${name}/status`, notReady, {
      "content-type": "application/strategic-merge-patch+json",
    });
    await cluster.pass(1);
    expect((await evict(name)).status).toBe(wanted);
  });
});
