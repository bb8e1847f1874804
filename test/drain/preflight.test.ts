import { afterAll, beforeAll, expect, test } from "vitest";
import type { DrainOptions } from "../../lambdas/steps/drain/filters.ts";
import { drainingSimulator, placeIn, refusal, violates } from "./draining.ts";
import { careful, forced } from "./objects.ts";

let here: Awaited<ReturnType<typeof drainingSimulator>>;
beforeAll(async () => {
  here = await drainingSimulator();
});
afterAll(() => here.simulator.close());

/** The plan of emptying a place, as a card shows it. */
async function planOf(name: string, options: DrainOptions = forced) {
  const nodes = await here.verbs.nodes.all();
  const node = nodes.find(({ metadata }) => metadata?.name === name);
  if (!node) throw new Error(`there is no node ${name}`);
  const known = { pool: null, away: [], maxUnavailable: 1, others: [], mostMinutes: 15, connectionSeconds: 30 };
  return here.verbs.plan.of({ node, nodes, options, unread: [], ...known });
}

test("DR-08 each eviction is tried as a dry run by the query, costs nothing, and a budget's pods count as turns", async () => {
  const { pod, budget, evictions, pods } = await placeIn(here, "dr-08");
  for (const name of ["a", "b", "c"]) pod(name);
  await budget("web", { minAvailable: 2 });
  const plan = await planOf("dr-08");
  expect(plan).toMatchObject({ blockers: [], untried: null });
  // 30 s for connections, then three turns of 30 s with a minute between them.
  expect(plan.minutes).toBe(4);
  expect(evictions().map(({ query, body }) => [query.get("dryRun"), body.deleteOptions])).toEqual(
    Array.from({ length: 3 }, () => ["All", undefined]),
  );
  expect(pods().filter(({ metadata }) => metadata.deletionTimestamp)).toEqual([]);
});

test("DR-08 a webhook that refuses, and a loss that is not allowed, are known before anybody approves", async () => {
  const { pod } = await placeIn(here, "dr-08b");
  pod("a");
  const words = 'admission webhook "a.example.com" denied the request: no';
  here.script.answer = ({ method }) => (method === "POST" ? refusal(400, words) : undefined);
  expect((await planOf("dr-08b")).blockers).toEqual([
    { budgets: [], pods: ["dr-08b/a"], why: words, isForever: false },
  ]);
  expect((await planOf("dr-08b", careful)).refusals).toMatchObject([{ pod: "dr-08b/a", reason: "unmanaged" }]);
});

test("V14 the plan says of a budget that needs all of its pods that it never allows an eviction", async () => {
  const { pod, budget } = await placeIn(here, "v14");
  pod("a");
  await budget("web", { minAvailable: 1 });
  const { blockers } = await planOf("v14");
  expect(blockers).toMatchObject([{ budgets: ["v14/web"], pods: ["v14/a"], isForever: true }]);
});

test("a budget whose status lags behind blocks as soon as the server says so", async () => {
  const { pod, budget } = await placeIn(here, "lags");
  for (const name of ["a", "b"]) pod(name);
  await budget("web", { minAvailable: 1 });
  const words = "The disruption budget web needs 1 healthy pods and has 1 currently";
  here.script.answer = ({ method }) => (method === "POST" ? violates(words) : undefined);
  expect((await planOf("lags")).blockers).toEqual([
    { budgets: ["lags/web"], pods: ["lags/a", "lags/b"], why: words, isForever: false },
  ]);
});

test("where the server cannot be asked, one batch is enough to know it, and the budgets' status judges", async () => {
  const { pod, budget, evictions } = await placeIn(here, "asked-in-vain");
  for (let at = 0; at < 15; at += 1) pod(`a-${at}`);
  await budget("web", { minAvailable: 15 });
  here.script.answer = ({ method }) => (method === "POST" ? { status: 429, body: "Too many requests" } : undefined);
  const plan = await planOf("asked-in-vain");
  expect(plan.untried).toEqual({ pods: 15, why: "too many requests" });
  expect(plan.blockers).toMatchObject([{ budgets: ["asked-in-vain/web"], isForever: true }]);
  expect(evictions()).toHaveLength(10);
});

test("a hundred evictions are tried at most, and the card says how many were not", { tags: ["long"] }, async () => {
  const { pod, evictions } = await placeIn(here, "many");
  for (let at = 0; at < 104; at += 1) pod(`a-${at}`);
  const { untried } = await planOf("many");
  expect(untried).toEqual({ pods: 4, why: "100 are tried at most" });
  expect(evictions()).toHaveLength(100);
});

test("the plan names the Jobs that could not be read, and the pods whose Job creates no other", async () => {
  const { pod, stored } = await placeIn(here, "jobs");
  const template = { spec: { restartPolicy: "Never", containers: [{ name: "main", image: "pause" }] } };
  const metadata = { name: "nightly", namespace: "jobs" };
  const spec = { backoffLimit: 0, parallelism: 0, completions: 1, template };
  const { uid } = stored({ apiVersion: "batch/v1", kind: "Job", metadata, spec }).metadata;
  const ownerReferences = [{ apiVersion: "batch/v1", kind: "Job", name: "nightly", uid, controller: true }];
  pod("step", { metadata: { name: "step", namespace: "jobs", ownerReferences } });
  expect(await planOf("jobs")).toMatchObject({ unread: [], pods: [{ name: "step", isUncertain: true }] });
  expect((await planOf("jobs", careful)).refusals).toMatchObject([{ pod: "jobs/step", reason: "uncertain-owner" }]);
  here.script.answer = ({ path }) => (path.includes("/jobs/") ? refusal(403, "not yours") : undefined);
  const blind = await planOf("jobs", careful);
  expect(blind).toMatchObject({ unread: ["the Job of 1 pod (jobs/nightly: not yours)"], refusals: [] });
  expect(blind.pods).toEqual([expect.not.objectContaining({ isUncertain: true })]);
});

test("pods that are Terminating on a silent node are named apart from those of DaemonSets, and nothing waits for them", async () => {
  const { pod, kubectl, name: namespace } = await placeIn(here, "silent");
  here.simulator.simulation.faults.inject("containers-hang", { namespace });
  pod("a", { metadata: { name: "a", namespace, finalizers: ["example.com/kept"] } });
  pod("static", { metadata: { name: "static", namespace, annotations: { "kubernetes.io/config.mirror": "x" } } });
  await kubectl("DELETE", "/api/v1/namespaces/silent/pods/a", { gracePeriodSeconds: 1 });
  await here.simulator.pass(90);
  const options = { ...forced, skipAfterSeconds: 60 };
  expect(await planOf("silent", options)).toMatchObject({ pods: [], staying: 1, terminating: ["silent/a"] });
  expect(await planOf("silent")).toMatchObject({ pods: [{ name: "a" }], staying: 1 });
});
