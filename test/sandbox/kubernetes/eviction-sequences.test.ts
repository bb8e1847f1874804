import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { KubeObject } from "../../../lib/sandbox/kubernetes/model/object.ts";
import { budget, NOON, needsControllers, type StillCluster, sandboxOnly, stillCluster } from "./cluster.ts";
import { exhausted, wrongUid } from "./eviction-answers/row.ts";

/** Controllers without which a pod stays as it was made: the measured server had no kubelets either. */
const KUBELETS = ["pod-lifecycle", "pod-gc"];

/** Number of the case: a real server soon ends pods of a node that it knows to be missing, so each case names its own. */
let round = 0;

let cluster: StillCluster;
beforeEach(async () => {
  round += 1;
  cluster = await stillCluster(undefined, NOON, KUBELETS);
  needsControllers();
});
afterEach(() => cluster.stop());

const SPACE = "/api/v1/namespaces/default";
const BUDGET = "/apis/policy/v1/namespaces/default/poddisruptionbudgets/b0";
const evict = (name: string, deleteOptions: object = {}) =>
  cluster.admin(`POST ${SPACE}/pods/${name}/eviction`, {
    apiVersion: "policy/v1",
    kind: "Eviction",
    metadata: { name, namespace: "default" },
    deleteOptions,
  });
const status = async () => (await cluster.admin(`GET ${BUDGET}`)).body.status;
interface Told extends KubeObject {
  readonly message: string;
  readonly involvedObject: { readonly uid: string };
}
const eventsAbout = async (path: string, reason: string): Promise<string[]> => {
  const { uid } = (await cluster.admin(`GET ${path}`)).body.metadata;
  const events = (await cluster.objects("events")) as Told[];
  return events.filter((one) => one.reason === reason && one.involvedObject.uid === uid).map(({ message }) => message);
};
/** Waits for the first Event of that reason about an object. */
async function told(path: string, reason: string): Promise<string> {
  await cluster.until(async () => (await eventsAbout(path, reason)).length > 0, `the Event ${reason}`);
  return (await eventsAbout(path, reason))[0] ?? "";
}

/** Makes so many ready pods and a budget over them, and waits for its status. */
async function guarded(count: number, spec: object, owners?: object[]): Promise<string[]> {
  const names = Array.from({ length: count }, (_, index) => `p${index}`);
  for (const name of names)
    cluster.api.create({
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name, namespace: "default", labels: { app: "web" }, ...(owners ? { ownerReferences: owners } : {}) },
      spec: { nodeName: `away-${round}`, containers: [{ name: "main", image: "registry.k8s.io/pause:3.10" }] },
      status: { phase: "Running", conditions: [{ type: "Ready", status: "True" }] },
    } as never);
  cluster.api.create(budget("b0", { ...spec }, "web"));
  await cluster.until(async () => (await status())?.conditions?.length === 1, "the budget's status");
  return names;
}

describe("evictions at once", () => {
  test.each([
    [10, 1],
    [20, 5],
    [60, 60],
    [200, 200],
  ])("of %i pods under a budget that allows %i: so many succeed, the others get 429", async (count, allowed) => {
    const names = await guarded(count, { minAvailable: count - allowed });
    const answers = await Promise.all(names.map((name) => evict(name)));
    const codes = answers.map((answer) => answer.status);
    expect(codes.filter((code) => code === 201)).toHaveLength(allowed);
    expect(codes.filter((code) => code === 429)).toHaveLength(count - allowed);
    await cluster.until(async () => (await status()).disruptedPods === undefined, "the evictions' confirmation");
    expect(await status()).toMatchObject({ currentHealthy: count - allowed, disruptionsAllowed: 0 });
  });
});

describe("an allowance", () => {
  test("is held under the pod's name until its deletion is seen, in less than half a second", async () => {
    sandboxOnly("is faster than the budget's controller");
    const [first = ""] = await guarded(3, { minAvailable: 2 });
    await evict(first);
    expect(await status()).toMatchObject({ disruptionsAllowed: 0, disruptedPods: { [first]: expect.any(String) } });
    await cluster.pass(0.4);
    expect(await status()).not.toHaveProperty("disruptedPods");
  });

  test("comes back two minutes after a refused uid cost it, with a warning on the pod", async () => {
    const [first = "", second = ""] = await guarded(2, { minAvailable: 1 });
    expect((await evict(first, wrongUid)).status).toBe(409);
    const right = { preconditions: { uid: (await cluster.admin(`GET ${SPACE}/pods/${first}`)).body.metadata.uid } };
    await cluster.until(async () => (await status()).currentHealthy === 1, "the budget's count");
    const { body } = await evict(first, right);
    expect(body).toEqual(exhausted(1, 1).body);
    await cluster.pass(118);
    expect((await evict(second)).status).toBe(429);
    expect(await eventsAbout(`${SPACE}/pods/${first}`, "NotDeleted")).toEqual([]);
    await cluster.pass(1.5);
    expect(await eventsAbout(`${SPACE}/pods/${first}`, "NotDeleted")).toEqual([
      "Pod was expected by PDB default/default to be deleted but it wasn't",
    ]);
    expect(await status()).toMatchObject({ disruptionsAllowed: 1 });
    expect((await evict(first, right)).status).toBe(201);
  });
});

describe("a budget's controller", () => {
  test("says which pods have no controller", async () => {
    await guarded(1, { maxUnavailable: 1 });
    expect(await told(BUDGET, "UnmanagedPods")).toContain(
      "(selector: &LabelSelector{MatchLabels:map[string]string{app: web,}",
    );
  });

  test.each([
    ["custom/v1", "ReplicaSet", 'no matches for kind "ReplicaSet" in version "custom/v1"'],
    ["apps/v1", "DaemonSet", "daemonsets.apps does not implement the scale subresource"],
  ])("says why it cannot compute: an owner %s %s", async (apiVersion, kind, why) => {
    await guarded(1, { maxUnavailable: 1 }, [{ apiVersion, kind, name: "x", uid: "u", controller: true }]);
    const { conditions, ...rest } = await status();
    expect(conditions).toMatchObject([
      { type: "DisruptionAllowed", status: "False", reason: "SyncFailed", message: why },
    ]);
    expect(rest.observedGeneration).toBeUndefined();
    expect(await told(BUDGET, "CalculateExpectedPodCountFailed")).toBe(
      `Failed to calculate the number of expected pods: ${why}`,
    );
  });

  test("counts a Deployment once, by its own scale, through any number of ReplicaSets", async () => {
    sandboxOnly("runs without kubelets");
    const template = { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "c", image: "pause" }] } };
    const spec = { replicas: 4, selector: { matchLabels: { app: "web" } }, template };
    const metadata = { name: "web", namespace: "default" };
    cluster.api.create({ apiVersion: "apps/v1", kind: "Deployment", metadata, spec } as never);
    await cluster.pass(1);
    cluster.api.create(budget("b0", { maxUnavailable: "30%" }, "web"));
    await cluster.pass(1);
    expect(await status()).toMatchObject({ expectedPods: 4, desiredHealthy: 2, currentHealthy: 0 });
  });

  test("can never be made to allow less than nothing", async () => {
    await guarded(1, { minAvailable: 0 });
    const merge = { "content-type": "application/merge-patch+json" };
    const answer = await cluster.admin(`PATCH ${BUDGET}/status`, { status: { disruptionsAllowed: -1 } }, merge);
    const message = "Invalid value: -1: must be greater than or equal to 0";
    expect([answer.status, answer.body.message]).toEqual([
      422,
      `PodDisruptionBudget.policy "b0" is invalid: status.disruptionsAllowed: ${message}`,
    ]);
    expect(answer.body.details).toEqual({
      name: "b0",
      group: "policy",
      kind: "PodDisruptionBudget",
      causes: [{ reason: "FieldValueInvalid", message, field: "status.disruptionsAllowed" }],
    });
  });
});

test("A plain DELETE with another uid is refused at once and costs nothing", async () => {
  const [first = ""] = await guarded(2, { minAvailable: 1 });
  const { status: code, body } = await cluster.admin(`DELETE ${SPACE}/pods/${first}`, wrongUid);
  expect([code, body.reason, body.details]).toEqual([409, "Conflict", { name: first, kind: "Pod" }]);
  expect(await status()).toMatchObject({ disruptionsAllowed: 1 });
});
