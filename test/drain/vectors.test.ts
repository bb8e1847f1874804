import { afterAll, beforeAll, expect, test } from "vitest";
import { drainingSimulator, placeIn, refusal, type Sent, violates } from "./draining.ts";
import { careful } from "./objects.ts";

let here: Awaited<ReturnType<typeof drainingSimulator>>;
beforeAll(async () => {
  here = await drainingSimulator();
});
afterAll(() => here.simulator.close());

type Place = Awaited<ReturnType<typeof placeIn>>;
const place = (name: string, spec?: object): Promise<Place> => placeIn(here, name, spec);
/** Answers evictions of one pod by a script, one after another; the rest is the server's. */
const evictionsAnswer = (name: string, ...answers: (ReturnType<typeof refusal> | undefined)[]): void => {
  const left = [...answers];
  here.script.answer = ({ method, path }: Sent) =>
    method === "POST" && path.includes(`/pods/${name}/eviction`) ? left.shift() : undefined;
};
test("V3 a DaemonSet that may not be read stops the drain before anything is evicted", async () => {
  const { pod, tick, evictions, name: namespace } = await place("v3");
  const ownerReferences = [{ apiVersion: "apps/v1", kind: "DaemonSet", name: "exporter", uid: "u", controller: true }];
  pod("exporter-1", { metadata: { name: "exporter-1", namespace, ownerReferences, finalizers: ["example.com/kept"] } });
  pod("web-1");
  here.script.answer = ({ path }) => (path.includes("/daemonsets/") ? refusal(403, "not yours") : undefined);
  const { end } = await tick();
  expect(end).toMatchObject({
    kind: "refused",
    refusals: [{ reason: "daemonset-unreadable", detail: "v3/exporter: not yours" }],
  });
  expect(evictions()).toEqual([]);
});

test("V2 a pod whose DaemonSet is gone stops the drain, and is evicted where force allows it", async () => {
  const { pod, tick, drain, evicted, name: namespace } = await place("v2");
  const ownerReferences = [{ apiVersion: "apps/v1", kind: "DaemonSet", name: "gone", uid: "u", controller: true }];
  pod("orphan", { metadata: { name: "orphan", namespace, ownerReferences } });
  const { end } = await tick(null, {}, careful);
  expect(end).toMatchObject({ kind: "refused", refusals: [{ pod: "v2/orphan", reason: "daemonset-orphaned" }] });
  expect(evicted()).toEqual([]);
  expect((await drain()).end).toEqual({ kind: "drained" });
  expect(evicted()).toEqual(["orphan"]);
});

/** Makes a Job without pods of its own, so that none comes back to the node, and the pods of a test in its name. */
async function placeWithJob(name: string, backoffLimit: number, podNames: readonly string[]): Promise<Place> {
  const at = await place(name);
  const template = { spec: { restartPolicy: "Never", containers: [{ name: "main", image: "pause" }] } };
  const spec = { backoffLimit, parallelism: 0, completions: 2, template };
  const owner = at.stored({
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name: "nightly", namespace: name },
    spec,
  });
  const { uid } = owner.metadata;
  const ownerReferences = [{ apiVersion: "batch/v1", kind: "Job", name: "nightly", uid, controller: true }];
  for (const pod of podNames) at.pod(pod, { metadata: { name: pod, namespace: name, ownerReferences } });
  return at;
}

test("a Job that has no retry for each of its pods stops the drain, and is read again before the evictions", async () => {
  const { tick, drain, evictions } = await placeWithJob("no-retry", 1, ["a", "b"]);
  const detail = "Job/nightly: backoffLimit 1, 1 retry left for 2 pods";
  const { end } = await tick(null, {}, careful);
  expect(end).toMatchObject({ kind: "refused", refusals: [{ pod: "no-retry/a", detail }, { detail }] });
  expect(evictions()).toEqual([]);
  expect((await drain()).end).toEqual({ kind: "drained" });
});

test("a pod whose eviction took its Job's last retry ends its grace, and its Job is not asked at each look", async () => {
  const { drain, evicted } = await placeWithJob("last-retry", 1, ["a"]);
  expect((await drain({}, careful)).end).toEqual({ kind: "drained" });
  expect(evicted()).toEqual(["a"]);
  expect(here.sent.filter(({ path }) => path.includes("/jobs/"))).toHaveLength(1);
});

test("a Job that may not be read does not stop the drain", async () => {
  const { drain, evicted } = await placeWithJob("job-unread", 0, ["a"]);
  here.script.answer = ({ path }) => (path.includes("/jobs/") ? refusal(403, "not yours") : undefined);
  expect((await drain({}, careful)).end).toEqual({ kind: "drained" });
  expect(evicted()).toEqual(["a"]);
});

test("V5 a static pod stays on the node, and the drain waits for it no longer than for none", async () => {
  const { pod, pods, order, drain, evicted, name: namespace } = await place("v5");
  const ownerReferences = [{ apiVersion: "v1", kind: "Node", ...order().node, controller: true }];
  const annotations = { "kubernetes.io/config.mirror": "0f1e" };
  pod("static", { metadata: { name: "static", namespace, annotations, ownerReferences } });
  pod("web-1");
  expect((await drain()).end).toEqual({ kind: "drained" });
  expect(evicted()).toEqual(["web-1"]);
  expect(pods().map(({ metadata }) => metadata.name)).toEqual(["static"]);
});

test("V7 a StatefulSet's pod that is made again on another node is done: the new one is never asked", async () => {
  const { pod, drain, budget, evicted, kubectl } = await place("v7");
  pod("web-0");
  await budget("web", { minAvailable: 1 });
  let looks = 0;
  here.script.answer = ({ path }) => {
    looks += path === "/api/v1/pods" ? 1 : 0;
    return undefined;
  };
  let isMoved = false;
  const mayGoOn = async (): Promise<boolean> => {
    if (looks > 2 && !isMoved) {
      isMoved = true;
      await kubectl("DELETE", "/api/v1/namespaces/v7/pods/web-0", { gracePeriodSeconds: 0 });
      pod("web-0", { spec: { nodeName: "v7-other", containers: [{ name: "main", image: "pause" }] } });
    }
    return true;
  };
  expect((await drain({ mayGoOn })).end).toEqual({ kind: "drained" });
  expect(evicted()).toEqual([]);
});

test("V8 a pod of the same name that comes to the same node is another pod, and is evicted by its own UID", async () => {
  const { pod, drain, evictions, kubectl } = await place("v8");
  const before = pod("web-0").metadata.uid;
  evictionsAnswer("web-0", violates("The disruption budget web needs 1 healthy pods and has 1 currently"));
  let after = "";
  const mayGoOn = async (): Promise<boolean> => {
    if (evictions().length === 1 && after === "") {
      after = "soon";
      await kubectl("DELETE", "/api/v1/namespaces/v8/pods/web-0", { gracePeriodSeconds: 0 });
      after = pod("web-0").metadata.uid;
    }
    return true;
  };
  expect((await drain({ mayGoOn })).end).toEqual({ kind: "drained" });
  expect(evictions().map(({ body }) => body.deleteOptions.preconditions.uid)).toEqual([before, after]);
});

test("DR-21 V17 a drain of sixty seconds ends within sixty-one, and evicts nothing after them", async () => {
  const { pod, drain, budget, evictions } = await place("v17");
  pod("web-1");
  await budget("web", { minAvailable: 0 });
  here.script.answer = ({ method }) => (method === "POST" ? violates("needs 1 and has 1") : undefined);
  const { end, seconds } = await drain({ deadline: here.now() + 60_000 });
  expect(end?.kind).toBe("late");
  expect(seconds).toBeGreaterThanOrEqual(60);
  expect(seconds).toBeLessThanOrEqual(61);
  expect(evictions().length).toBeGreaterThan(2);
});

test("V18 a Node that is deleted in the middle of it ends the drain", async () => {
  const { pod, tick, drain, budget, kubectl } = await place("v18");
  pod("web-1");
  await budget("web", { minAvailable: 1 });
  expect((await tick()).end).toBeNull();
  await kubectl("DELETE", "/api/v1/nodes/v18");
  expect((await drain()).end).toEqual({ kind: "node-gone" });
});

test("DR-20 V19 a server that answers 503 for forty seconds while pods are waited for does not end the drain", async () => {
  const { pod, drain } = await place("v19");
  const lifecycle = { preStop: { sleep: { seconds: 60 } } };
  const containers = [{ name: "main", image: "pause", lifecycle }];
  pod("slow", { spec: { nodeName: "v19", containers, terminationGracePeriodSeconds: 90 } });
  let began = 0;
  here.script.answer = ({ method, path, at }) => {
    if (method === "POST") began = at;
    return began > 0 && path === "/api/v1/pods" && at < began + 40 ? refusal(503, "not now") : undefined;
  };
  const { end, seconds } = await drain();
  expect(end).toEqual({ kind: "drained" });
  expect(seconds).toBeGreaterThan(40);
});

test("DR-03 V25 a list that expires on its second page is begun again, and every pod is seen once", async () => {
  const { tick, evicted } = await place("v25");
  const listed = (from: number, count: number) =>
    Array.from({ length: count }, (_, index) => ({
      metadata: {
        name: `p${from + index}`,
        namespace: "v25",
        uid: `u${from + index}`,
        deletionTimestamp: "2026-11-21T08:10:00Z",
      },
      spec: { nodeName: "v25", containers: [] },
    }));
  let hasExpired = false;
  here.script.answer = ({ path, query }) => {
    if (path !== "/api/v1/pods") return undefined;
    const from = Number(query.get("continue") ?? 0);
    if (from > 0 && !hasExpired) {
      hasExpired = true;
      return refusal(410, "The provided continue parameter is too old", "Expired");
    }
    const next = from + 450;
    const more = next < 1_000 ? { continue: String(next) } : {};
    return { status: 200, body: { kind: "PodList", metadata: more, items: listed(from, Math.min(450, 1_000 - from)) } };
  };
  const { state } = await tick(null, { mayGoOn: async () => false });
  expect(state.left).toBe(1_000);
  expect(evicted()).toEqual([]);
});
