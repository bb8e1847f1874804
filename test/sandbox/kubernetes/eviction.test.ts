import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { KubeObject } from "../../../lib/sandbox/kubernetes/model/object.ts";
import { isTrue, type Pod } from "../../../lib/sandbox/kubernetes/model/shapes.ts";
import {
  type Ask,
  budget,
  deployment,
  linuxNode,
  needsControllers,
  type StillCluster,
  sandboxOnly,
  stillCluster,
} from "./cluster.ts";

let cluster: StillCluster;
let bot: Ask;

const pods = "/api/v1/namespaces/default/pods";
const all = () => cluster.objects("pods") as Promise<Pod[]>;
const podNames = async () =>
  (await all()).filter(({ metadata }) => metadata.labels?.app === "web").map(({ metadata }) => metadata.name);
const evict = (name: string, deleteOptions: object = {}, query = "", ask = bot) =>
  ask(`POST ${pods}/${name}/eviction${query}`, {
    apiVersion: "policy/v1",
    kind: "Eviction",
    metadata: { name, namespace: "default" },
    deleteOptions,
  });
const first = async (): Promise<string> => (await podNames())[0] ?? "";
const MERGE = { "content-type": "application/merge-patch+json" };
const minAvailable = (pods: number) => ({ spec: { minAvailable: pods } });
const podOf = (app: string, metadata: object = {}): KubeObject =>
  ({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: app, namespace: "default", labels: { app }, ...metadata },
    spec: { containers: [{ name: "main", image: "pause" }] },
  }) as unknown as KubeObject;
/** Makes the pod unready; its kubelet does not change that. */
const notReady = async (name: string): Promise<void> => {
  sandboxOnly("takes a pod's kubelet away");
  await cluster.admin("DELETE /api/v1/nodes/n");
  const status = { conditions: [{ type: "Ready", status: "False" }] };
  const strategic = { "content-type": "application/strategic-merge-patch+json" };
  await cluster.admin(`PATCH ${pods}/${name}/status`, { status }, strategic);
};
const pdb = async () =>
  (await cluster.objects("poddisruptionbudgets", "policy")).find(({ metadata }) => metadata.namespace === "default")
    ?.status as Record<string, unknown> | undefined;
/** Creates a budget and waits until its controller has computed its status. */
const guarded = async (wanted: KubeObject): Promise<void> => {
  cluster.api.create(wanted);
  const isWorkedOut = async () => ((await pdb())?.conditions as unknown[] | undefined)?.length === 1;
  await cluster.until(isWorkedOut, "the budget's status");
};
/** Finds a running pod of the Deployment that is not terminating. */
const isUp = ({ metadata, status }: Pod): boolean =>
  metadata.labels?.app === "web" && !metadata.deletionTimestamp && isTrue(status?.conditions, "Ready");
/** Set once the server has started no pod, so that other cases do not wait again. */
let startsNoPods = false;

beforeEach(async () => {
  cluster = await stillCluster();
  bot = cluster.as("system:serviceaccount:casement:act");
  needsControllers();
  if (startsNoPods) sandboxOnly("starts pods, which this server does not");
  if ((await cluster.objects("nodes")).length === 0) cluster.api.create(linuxNode("n"));
  cluster.api.create(deployment("web", 2, { containers: [{ name: "main", image: "registry.k8s.io/pause:3.10" }] }));
  try {
    await cluster.until(async () => (await all()).filter(isUp).length === 2, "two running pods");
  } catch (error) {
    startsNoPods = true;
    sandboxOnly("starts pods, which this server does not");
    throw error;
  }
});
afterEach(() => cluster.stop());

describe("without a budget", () => {
  test("deletes the pod with its own grace", async () => {
    const name = await first();
    const { status, body } = await evict(name);
    expect([status, body.status]).toEqual([201, "Success"]);
    expect((await bot(`GET ${pods}/${name}`)).body.metadata.deletionGracePeriodSeconds).toBe(30);
    await cluster.pass(10);
    expect(await podNames()).not.toContain(name);
    expect(await podNames()).toHaveLength(2);
  });

  test("answers 404 for a pod that is gone and 409 for another one of the same name", async () => {
    expect((await evict("gone")).body.reason).toBe("NotFound");
    const { status, body } = await evict(await first(), { preconditions: { uid: "another" } });
    expect([status, body.reason, body.details.kind]).toEqual([409, "Conflict", "Pod"]);
    expect(body.message).toContain(
      `Operation cannot be fulfilled on Pod "${await first()}": the UID in the precondition`,
    );
    expect(await podNames()).toHaveLength(2);
  });

  test("changes nothing in a dry run, by parameter or by option", async () => {
    expect((await evict(await first(), {}, "?dryRun=All")).status).toBe(201);
    expect((await evict(await first(), { dryRun: ["All"] })).status).toBe(201);
    expect((await all()).filter(({ metadata }) => metadata.deletionTimestamp)).toEqual([]);
  });

  test("is a creation, which a terminating namespace refuses", async () => {
    cluster.api.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: "leaving" } } as never);
    const spec = { containers: [{ name: "main", image: "pause" }] };
    const held = { name: "held", namespace: "leaving", finalizers: ["example.com/held"] };
    cluster.api.create({ apiVersion: "v1", kind: "Pod", metadata: held, spec } as never);
    await cluster.admin("DELETE /api/v1/namespaces/leaving");
    const eviction = { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: "held", namespace: "leaving" } };
    const { status, body } = await bot("POST /api/v1/namespaces/leaving/pods/held/eviction", eviction);
    expect([status, body.details.causes[0].reason]).toEqual([403, "NamespaceTerminating"]);
  });

  test("records the reason on the pod", async () => {
    const name = await first();
    await evict(name);
    const { body } = await bot(`GET ${pods}/${name}`);
    expect(body.status.conditions).toContainEqual({
      type: "DisruptionTarget",
      status: "True",
      reason: "EvictionByEvictionAPI",
      message: "Eviction API: evicting",
      lastTransitionTime: expect.any(String),
    });
  });

  test("accepts v1beta1 of its kind, and a body without a namespace", async () => {
    const eviction = { apiVersion: "policy/v1beta1", kind: "Eviction", metadata: { name: await first() } };
    expect((await bot(`POST ${pods}/${await first()}/eviction`, eviction)).status).toBe(201);
  });

  test.each([
    ["no body", undefined, "the object provided is unrecognized (must be of type Eviction)"],
    ["another name", { metadata: { name: "other" } }, "name in URL does not match name in Eviction object"],
    ["no name", {}, "name in URL does not match name in Eviction object"],
    [
      "another namespace",
      { metadata: { name: "x", namespace: "kube-system" } },
      "the namespace of the provided object does not match the namespace sent on the request",
    ],
    [
      "another kind",
      { apiVersion: "v1", kind: "Pod", metadata: { name: "x" } },
      'Pod in version "v1" cannot be handled as a Eviction: converting (v1.Pod) to (policy.Eviction): unknown conversion',
    ],
    [
      "a version that there is not",
      { apiVersion: "policy/v2", kind: "Eviction" },
      'no kind "Eviction" is registered for version "policy/v2"',
    ],
  ])("is refused with 400 for %s", async (_what, body, words) => {
    const answer = await bot(`POST ${pods}/x/eviction`, body);
    expect([answer.status, answer.body.reason]).toEqual([400, "BadRequest"]);
    expect(answer.body.message).toContain(words);
  });

  test("refuses a misspelt dry run, and warns of an unknown field", async () => {
    const misspelt = await evict(await first(), { dryRun: ["Some"] });
    expect([misspelt.status, misspelt.body.message]).toEqual([
      422,
      'DeleteOptions.meta.k8s.io "" is invalid: dryRun: Unsupported value: ["Some"]: supported values: "All"',
    ]);
    const { status, headers } = await evict(await first(), { dryRun: ["All"], graceSeconds: 3 });
    expect([status, headers.warning]).toEqual([201, '299 - "unknown field \\"deleteOptions.graceSeconds\\""']);
  });

  test.each([
    [-1, 1],
    [1, 1],
    [600, 600],
  ])("reads a grace of %i seconds as %i", async (gracePeriodSeconds, seconds) => {
    const name = await first();
    expect((await evict(name, { gracePeriodSeconds }, "", cluster.admin)).status).toBe(201);
    expect((await bot(`GET ${pods}/${name}`)).body.metadata.deletionGracePeriodSeconds).toBe(seconds);
  });
});

describe("with a precondition that is not met", () => {
  const another = { preconditions: { uid: "another" } };

  test("costs a disruption for two minutes when the budget has one left", async () => {
    await guarded(budget("web", { minAvailable: 1 }));
    const [one = "", two = ""] = await podNames();
    expect((await evict(one, another)).status).toBe(409);
    expect(await pdb()).toMatchObject({ disruptionsAllowed: 0, disruptedPods: { [one]: expect.any(String) } });
    expect((await evict(two)).status).toBe(429);
    await cluster.pass(110);
    expect((await evict(one)).status).toBe(429);
    await cluster.pass(15);
    expect((await pdb())?.disruptionsAllowed).toBe(1);
    expect((await evict(two)).status).toBe(201);
  });

  test("costs nothing in a dry run or when the budget has none left", async () => {
    await guarded(budget("web", { minAvailable: 1 }));
    expect((await evict(await first(), { ...another, dryRun: ["All"] })).status).toBe(409);
    expect((await pdb())?.disruptionsAllowed).toBe(1);
    await cluster.admin("PATCH /apis/policy/v1/namespaces/default/poddisruptionbudgets/web", minAvailable(2), MERGE);
    await cluster.pass(1);
    expect((await evict(await first(), another)).status).toBe(429);
  });

  test("is retried for ten seconds on a terminating pod", async () => {
    const name = await first();
    await evict(name, { gracePeriodSeconds: 600 });
    let answered: number | undefined;
    const asked = cluster.simulation.clock.now();
    void evict(name, another).then(({ status }) => {
      expect(status).toBe(409);
      answered = cluster.simulation.clock.now() - asked;
    });
    await cluster.pass(1);
    expect(answered).toBeUndefined();
    await cluster.pass(10);
    expect(answered).toBe(10_000);
  });

  test("looks like an uncomputed budget on an unready pod", async () => {
    await guarded(budget("web", { minAvailable: 1 }));
    await notReady(await first());
    await cluster.pass(1);
    const { status, headers, body } = await evict(await first(), another);
    expect([status, headers["retry-after"]]).toEqual([429, "10"]);
    expect(body.details.causes[0].message).toContain("still being processed by the server");
    expect((await evict(await first(), { preconditions: { resourceVersion: "1" } })).status).toBe(201);
  });
});

describe("with a budget", () => {
  test("is never allowed when the pod has no controller and the budget sets maxUnavailable", async () => {
    cluster.api.create(podOf("alone"));
    cluster.api.create(budget("alone", { maxUnavailable: 1 }));
    await cluster.pass(10);
    const { status, headers, body } = await evict("alone");
    expect([status, headers["retry-after"], body.details.causes[0].message]).toEqual([
      429,
      undefined,
      // Words of 1.34 and of 1.36.
      expect.stringMatching(
        /disruption budget alone (?:needs 0 healthy pods and has 1|does not allow evicting pods) currently/,
      ),
    ]);
  });

  test("is never computed when the pod belongs to a kind without a scale", async () => {
    const owner = { apiVersion: "example.com/v1", kind: "Gadget", name: "g", uid: "u", controller: true };
    cluster.api.create(podOf("odd", { ownerReferences: [owner] }));
    cluster.api.create(budget("odd", { maxUnavailable: 1 }));
    await cluster.pass(60);
    const { status, headers } = await evict("odd");
    expect([status, headers["retry-after"]]).toEqual([429, "10"]);
    expect((await pdb())?.conditions).toMatchObject([{ status: "False", reason: "SyncFailed" }]);
  });

  test.each([
    ["all pods when its selector is empty", { selector: {} }, 429],
    ["none when it has no selector", { selector: undefined }, 201],
  ])("guards %s", async (_what, selector, wanted) => {
    await guarded(budget("any", { minAvailable: 2, ...selector }));
    expect((await evict(await first(), { dryRun: ["All"] })).status).toBe(wanted);
  });

  test("refuses with the budget's cause and without Retry-After while it is exhausted", async () => {
    await guarded(budget("web", { minAvailable: 2 }));
    const { status, headers, body } = await evict(await first());
    expect([status, headers["retry-after"], body.message]).toEqual([
      429,
      undefined,
      "Cannot evict pod as it would violate the pod's disruption budget.",
    ]);
    expect(body.details.causes).toEqual([
      { reason: "DisruptionBudget", message: "The disruption budget web needs 2 healthy pods and has 2 currently" },
    ]);
  });

  test("asks for a retry in ten seconds while the budget is newer than its status", async () => {
    sandboxOnly("is faster than the budget's controller");
    cluster.api.create(budget("web", { minAvailable: 1 }));
    const { status, headers, body } = await evict(await first());
    expect([status, headers["retry-after"], body.details.retryAfterSeconds]).toEqual([429, "10", 10]);
    await cluster.pass(1);
    expect((await evict(await first())).status).toBe(201);
  });

  test("allows one eviction at a time and the next when the replacement is ready", async () => {
    await guarded(budget("web", { maxUnavailable: 1 }));
    const [one = "", two = ""] = await podNames();
    expect((await evict(one)).status).toBe(201);
    expect((await evict(two)).status).toBe(429);
    await cluster.pass(1);
    expect((await evict(two)).status).toBe(429);
    await cluster.pass(10);
    expect((await evict(two)).status).toBe(201);
  });

  test("spends nothing of the budget in a dry run", async () => {
    await guarded(budget("web", { minAvailable: 1 }));
    await evict(await first(), {}, "?dryRun=All");
    expect((await pdb())?.disruptionsAllowed).toBe(1);
  });

  test("computes percentages of the workload's scale", async () => {
    await guarded(budget("web", { minAvailable: "50%" }));
    expect(await pdb()).toMatchObject({ expectedPods: 2, desiredHealthy: 1, currentHealthy: 2, disruptionsAllowed: 1 });
  });

  test("answers 500 when two budgets select the pod", async () => {
    cluster.api.create(budget("one", { minAvailable: 0 }, "web"));
    cluster.api.create(budget("two", { minAvailable: 0 }, "web"));
    const { status, body } = await evict(await first());
    expect([status, body.reason, body.message]).toEqual([
      500,
      undefined,
      "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.",
    ]);
  });

  test("does not guard a pod that has not started or is terminating", async () => {
    cluster.api.create(budget("web", { minAvailable: 2 }));
    await cluster.admin(
      "PATCH /api/v1/nodes/n",
      { spec: { unschedulable: true } },
      { "content-type": "application/merge-patch+json" },
    );
    await cluster.admin(`DELETE ${pods}/${await first()}`);
    expect((await evict(await first())).status).toBe(201);
    await cluster.pass(10);
    const waiting = (await all()).find(({ status }) => (status as { phase: string }).phase === "Pending");
    expect((await evict(waiting?.metadata.name ?? "")).status).toBe(201);
  });

  test.each([
    ["IfHealthyBudget", 429],
    ["AlwaysAllow", 201],
  ])("treats an unready pod by its policy %s", async (unhealthyPodEvictionPolicy, wanted) => {
    cluster.api.create(budget("web", { minAvailable: 2, unhealthyPodEvictionPolicy }));
    const name = await first();
    await cluster.pass(1);
    await notReady(name);
    await cluster.pass(1);
    expect((await evict(name)).status).toBe(wanted);
  });
});
