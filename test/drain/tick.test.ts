import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Refused } from "../../lambdas/errors.ts";
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
const secondsBetween = (times: readonly number[]): number[] =>
  times.slice(1).map((time, index) => Math.round(time - (times[index] ?? 0)));

test("DR-01 nothing is evicted from a node that is not cordoned", async () => {
  const { pod, tick, evictions } = await place("dr-01", {});
  pod("web-1");
  expect((await tick()).end).toEqual({ kind: "uncordoned" });
  expect(evictions()).toEqual([]);
});

test("DR-03 DR-20 one list a second shows which pods are gone: no pod is read by name while it is waited for", async () => {
  const { pod, drain } = await place("dr-03", { unschedulable: true });
  pod("slow", {
    spec: {
      nodeName: "dr-03",
      terminationGracePeriodSeconds: 30,
      containers: [{ name: "main", image: "pause", lifecycle: { preStop: { sleep: { seconds: 12 } } } }],
    },
  });
  expect((await drain()).end).toEqual({ kind: "drained" });
  const reads = here.sent.filter(({ method, path }) => method === "GET" && path.endsWith("/pods/slow"));
  const lists = here.sent.filter(({ path }) => path === "/api/v1/pods");
  expect(reads).toHaveLength(1);
  expect(lists.length).toBeGreaterThan(10);
  expect(Math.min(...secondsBetween(lists.map(({ at }) => at)))).toBeGreaterThanOrEqual(1);
  expect(lists.every(({ query }) => query.get("limit") === "500")).toBe(true);
});

test("DR-05 one pod that may not be lost keeps all of them: nothing is evicted", async () => {
  const { pod, tick, evictions } = await place("dr-05");
  pod("done", { status: { phase: "Succeeded" } });
  pod("alone");
  const { end } = await tick(null, {}, careful);
  expect(end).toMatchObject({ kind: "refused", refusals: [{ pod: "dr-05/alone", reason: "unmanaged" }] });
  expect(evictions()).toEqual([]);
});

test("DR-06 a DaemonSet is looked up once in a drain", async () => {
  const { pod, drain } = await place("dr-06");
  const ownerReferences = [{ apiVersion: "apps/v1", kind: "DaemonSet", name: "exporter", uid: "u", controller: true }];
  here.script.answer = ({ path }) =>
    path.includes("/daemonsets/") ? { status: 200, body: { kind: "DaemonSet" } } : undefined;
  // The simulator's garbage collector would take a pod whose owner it does not know: a finalizer keeps it.
  const finalizers = ["example.com/kept"];
  for (const name of ["exporter-1", "exporter-2"])
    pod(name, { metadata: { name, namespace: "dr-06", ownerReferences, finalizers } });
  expect((await drain()).end).toMatchObject({ kind: "drained" });
  expect(here.sent.filter(({ path }) => path.includes("/daemonsets/"))).toHaveLength(1);
});

test("DR-07 DR-12 pods leave by policy/v1 evictions with the pod's UID and their own grace, never by a DELETE", async () => {
  const { pod, drain, evictions } = await place("dr-07");
  const { uid } = pod("web-1").metadata;
  await drain();
  expect(evictions().map(({ body }) => body)).toEqual([
    {
      apiVersion: "policy/v1",
      kind: "Eviction",
      metadata: { name: "web-1", namespace: "dr-07" },
      deleteOptions: { preconditions: { uid } },
    },
  ]);
  expect(here.sent.filter(({ method }) => method === "DELETE")).toEqual([]);
});

test("DR-09 a pod that comes within five seconds after the last one has left is drained too", async () => {
  const { pod, pods, drain, evicted } = await place("dr-09");
  pod("web-1");
  let hasCome = false;
  const mayGoOn = async (): Promise<boolean> => {
    if (!hasCome && pods().length === 0) {
      hasCome = true;
      pod("late");
    }
    return true;
  };
  expect((await drain({ mayGoOn })).end).toEqual({ kind: "drained" });
  expect(evicted()).toEqual(["web-1", "late"]);
});

describe("DR-10", () => {
  test("a pod that was made anew since it was listed is not asked, and its budget loses nothing", async () => {
    const { pod, tick, budget, evictions, kubectl, name: namespace } = await place("dr-10");
    pod("web-0");
    await budget("web", { minAvailable: 0 });
    const path = `/api/v1/namespaces/${namespace}/pods/web-0`;
    const elsewhere = { nodeName: "elsewhere", containers: [{ name: "main", image: "pause" }] };
    let isReplaced = false;
    const mayGoOn = async (): Promise<boolean> => {
      if (isReplaced) return true;
      isReplaced = true;
      await kubectl("DELETE", path, { gracePeriodSeconds: 0 });
      pod("web-0", { spec: elsewhere });
      return true;
    };
    await tick(null, { mayGoOn });
    expect(here.sent.some((sent) => sent.method === "GET" && sent.path === path)).toBe(true);
    expect(evictions()).toEqual([]);
  });

  test("a pod with a random name is read again only when its list is old", async () => {
    const { pod, tick } = await place("dr-10b");
    const ownerReferences = [{ apiVersion: "apps/v1", kind: "ReplicaSet", name: "web", uid: "u", controller: true }];
    pod("web-x7k2p", {
      metadata: { name: "web-x7k2p", namespace: "dr-10b", ownerReferences, finalizers: ["example.com/kept"] },
    });
    await tick();
    expect(here.sent.filter(({ method, path }) => method === "GET" && path.endsWith("/web-x7k2p"))).toEqual([]);
  });
});

describe("DR-13", () => {
  const asks = (name: string) =>
    here.sent.filter(({ method, path }) => method === "POST" && path.includes(`/pods/${name}/`)).map(({ at }) => at);

  test("V6 three refusals by a budget are followed by growing pauses, and then by the success", async () => {
    const { pod, drain, budget } = await place("v6");
    pod("web-1");
    await budget("web", { minAvailable: 0 });
    const no = violates("The disruption budget web needs 1 healthy pods and has 1 currently");
    evictionsAnswer("web-1", no, no, no);
    expect((await drain()).end).toEqual({ kind: "drained" });
    const [first = 0, second = 0, third = 0, ...more] = secondsBetween(asks("web-1"));
    expect(more).toEqual([]);
    expect(first).toBeGreaterThanOrEqual(4);
    expect(second).toBeGreaterThan(first);
    expect(third).toBeGreaterThan(second);
  });

  test("the pause that the server asks for is kept", async () => {
    const { pod, drain } = await place("dr-13");
    pod("web-1");
    evictionsAnswer("web-1", violates("The disruption budget web is still being processed by the server.", 25));
    await drain();
    expect(secondsBetween(asks("web-1"))[0]).toBeGreaterThanOrEqual(25);
  });

  test("an overloaded server gets no eviction at all for a while, and no budget is blamed", async () => {
    const { pod, drain, evictions } = await place("dr-13b");
    for (const name of ["a", "b", "c"]) pod(name);
    const busy = { status: 429, headers: { "retry-after": "1" }, body: "Too many requests, please try again later.\n" };
    evictionsAnswer("a", busy);
    const { end, waitsFor } = await drain();
    expect(end).toEqual({ kind: "drained" });
    expect(waitsFor.join()).not.toContain("budget");
    expect(evictions().filter(({ path }) => path.includes("/a/"))).toHaveLength(2);
    expect(secondsBetween(asks("a"))[0]).toBeGreaterThanOrEqual(4);
  });
});

test("DR-14 V10 a pod under two budgets is not asked at all, and both are named at once and at the deadline", async () => {
  const { pod, tick, drain, budget, evictions } = await place("v10");
  pod("web-1");
  await budget("one", { minAvailable: 0 });
  await budget("two", { minAvailable: 0 });
  expect((await tick()).waitsFor).toContain("it has 2 disruption budgets: v10/one, v10/two");
  const { end } = await drain({ deadline: here.now() + 60_000 });
  expect(end).toMatchObject({ kind: "late", holdUps: [{ kind: "several-budgets", budgets: ["v10/one", "v10/two"] }] });
  expect(evictions()).toEqual([]);
});

describe("DR-15", () => {
  test.each([502, 503, 504])("a %i is asked again, and other pods do not wait", async (code) => {
    const { pod, drain, evicted } = await place(`dr-15-${code}`);
    for (const name of ["a", "b"]) pod(name);
    evictionsAnswer("a", refusal(code, "later"), refusal(code, "later"));
    expect((await drain()).end).toEqual({ kind: "drained" });
    expect(evicted().toSorted()).toEqual(["a", "a", "a", "b"]);
  });

  test("a refusal that no budget gave is named with who gave it, and holds up no other pod", async () => {
    const { pod, drain, pods } = await place("dr-15");
    for (const name of ["rbac", "policy", "hook", "free"]) pod(name);
    const words: Record<string, ReturnType<typeof refusal>> = {
      rbac: refusal(403, 'pods "rbac" is forbidden: User "act" cannot create resource "pods/eviction"', "Forbidden"),
      policy: refusal(422, "pods is forbidden: ValidatingAdmissionPolicy 'p' with binding 'p' denied request: no"),
      hook: refusal(400, 'admission webhook "a.example.com" denied the request: no'),
    };
    here.script.answer = ({ method, path }) => (method === "POST" ? words[path.split("/").at(-2) ?? ""] : undefined);
    const { end } = await drain({ deadline: here.now() + 60_000 });
    const by = end?.kind === "late" ? end.holdUps.map((held) => [held.pod, "by" in held ? held.by : ""]) : [];
    expect(by.toSorted()).toEqual([
      ["dr-15/hook", "webhook"],
      ["dr-15/policy", "policy"],
      ["dr-15/rbac", "rbac"],
    ]);
    expect(pods().some(({ metadata }) => metadata.name === "free")).toBe(false);
  });
});

test("DR-16 V11 in a namespace that is being deleted a pod is asked again until the namespace has told it to end", async () => {
  const { pod, drain, evictions } = await place("v11");
  pod("web-1");
  const ends = refusal(403, "because it is being terminated", "Forbidden", [{ reason: "NamespaceTerminating" }]);
  evictionsAnswer("web-1", ends);
  expect((await drain()).end).toEqual({ kind: "drained" });
  expect(evictions()).toHaveLength(2);
});

test("V11 a pod that is deleted with its namespace is only waited for", async () => {
  const { pod, drain, evictions, kubectl } = await place("v11b");
  pod("web-1");
  await kubectl("DELETE", "/api/v1/namespaces/v11b/pods/web-1");
  expect((await drain()).end).toEqual({ kind: "drained" });
  expect(evictions()).toEqual([]);
});

describe("DR-22 a pod that is terminating", () => {
  test("for more than a minute after its grace is told as stuck, at the deadline with how long", async () => {
    const { pod, drain, kubectl, name: namespace } = await place("dr-22");
    here.simulator.simulation.faults.inject("containers-hang", { namespace });
    pod("stuck", { metadata: { name: "stuck", namespace, finalizers: ["example.com/kept"] } });
    await kubectl("DELETE", "/api/v1/namespaces/dr-22/pods/stuck", { gracePeriodSeconds: 1 });
    const { end, waitsFor } = await drain({ deadline: here.now() + 120_000 });
    expect(waitsFor.at(-1)).toBe("1 pod stuck terminating (dr-22/stuck)");
    const [held] = end?.kind === "late" ? end.holdUps : [];
    expect(held).toMatchObject({ kind: "terminating", isStuck: true, finalizers: ["example.com/kept"] });
    expect(end).toMatchObject({ wouldDelete: [] });
    expect(held?.kind === "terminating" && held.overMs).toBeGreaterThan(100_000);
  });
});

test("a pod whose containers have ended and that only a finalizer keeps is named, and is not waited for", async () => {
  const { pod, drain, name: namespace } = await place("kept");
  pod("billed", { metadata: { name: "billed", namespace, finalizers: ["example.com/billing"] } });
  const { end } = await drain();
  expect(end).toEqual({ kind: "drained", kept: ["kept/billed (example.com/billing)"] });
});

test("DR-25 V22 an emptied node is looked at again: uncordoned, or with a pod, it is not drained any more", async () => {
  const { pod, drain, kubectl, order } = await place("v22");
  expect((await drain()).end).toEqual({ kind: "drained" });
  const check = () => here.verbs.drain.check(order().node, order().options);
  expect(await check()).toEqual([]);
  pod("late");
  expect(await check()).toEqual(["v22/late"]);
  await kubectl("PATCH", "/api/v1/nodes/v22", { spec: { unschedulable: null } });
  expect(await check()).toBe("uncordoned");
});

test("DR-26 V23 a poll that runs again, or twice at once, asks no pod twice", async () => {
  const { pod, tick, evicted } = await place("v23");
  for (const name of ["a", "b"])
    pod(name, { metadata: { name, namespace: "v23", finalizers: ["example.com/kept"], labels: { app: "web" } } });
  const stop = { mayGoOn: async () => evicted().length < 2 };
  await tick(null, stop);
  expect(evicted().toSorted()).toEqual(["a", "b"]);
  await tick(null, { deadline: here.now() + 3_000 });
  expect(evicted()).toHaveLength(2);
});

describe("DR-27", () => {
  test("a cancellation is heard between any two evictions", async () => {
    const { pod, tick, evicted } = await place("dr-27");
    for (let index = 0; index < 30; index += 1) pod(`p${index}`);
    await tick(null, { mayGoOn: async () => evicted().length < 12 });
    expect(evicted().length).toBeGreaterThanOrEqual(12);
    expect(evicted().length).toBeLessThan(30);
  });

  test("a lost lease ends the drain before the API server is asked", async () => {
    const { pod, tick, evicted, held } = await place("dr-27b");
    pod("web-1");
    await expect(tick(null, { held: { ...held, epoch: held.epoch + 1 } })).rejects.toThrow(Refused);
    expect(evicted()).toEqual([]);
  });
});

test("DR-11 a pod that was bound to another node meanwhile is left alone", async () => {
  const { pod, tick, evicted } = await place("dr-11");
  pod("web-0");
  here.script.answer = ({ method, path }) =>
    method === "GET" && path.endsWith("/pods/web-0")
      ? { status: 200, body: { kind: "Pod", metadata: { uid: "u" }, spec: { nodeName: "elsewhere" } } }
      : undefined;
  await tick(null, { mayGoOn: async () => here.sent.length < 6 });
  expect(evicted()).toEqual([]);
});
