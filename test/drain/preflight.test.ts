import { afterAll, beforeAll, expect, test } from "vitest";
import { drainingSimulator, placeIn, refusal } from "./draining.ts";
import { careful, forced } from "./objects.ts";

let here: Awaited<ReturnType<typeof drainingSimulator>>;
beforeAll(async () => {
  here = await drainingSimulator();
});
afterAll(() => here.simulator.close());

test("DR-08 each eviction is tried as a dry run by the query, costs nothing, and budgets are counted by the plan itself", async () => {
  const { pod, budget, evictions, pods } = await placeIn(here, "dr-08");
  for (const name of ["a", "b", "c"]) pod(name);
  await budget("web", { minAvailable: 2 });
  const plan = await here.verbs.drainPreflight.judge("dr-08", forced);
  expect(plan.budgets).toEqual([{ budget: "dr-08/web", allowed: 1, pods: ["dr-08/a", "dr-08/b", "dr-08/c"] }]);
  expect(plan.holdUps).toEqual([]);
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
  const plan = await here.verbs.drainPreflight.judge("dr-08b", careful);
  expect(plan.holdUps).toMatchObject([{ pod: "dr-08b/a", kind: "refused", by: "webhook" }]);
  expect(plan.refusals).toMatchObject([{ pod: "dr-08b/a", reason: "unmanaged" }]);
});

test("V14 the plan says of a budget that needs all of its pods that it never allows an eviction", async () => {
  const { pod, budget } = await placeIn(here, "v14");
  pod("a");
  await budget("web", { minAvailable: 1 });
  const { holdUps } = await here.verbs.drainPreflight.judge("v14", forced);
  expect(holdUps).toMatchObject([{ kind: "budget", budget: "v14/web", needs: 1, has: 1, isForever: true }]);
});
