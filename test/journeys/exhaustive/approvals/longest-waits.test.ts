import { afterEach, expect, test } from "vitest";
import { userNameOf } from "../../../../lambdas/cluster/accounts.ts";
import { join } from "../../../../lambdas/profiles/okd/join.ts";
import { type StageName, stagesOf } from "../../../../lambdas/stages.ts";
import { newest, settled } from "../../evidence.ts";
import { type Journey, startJourney } from "../../journey.ts";
import { cordonByHand, edge, guardedPod, kubectl, otherWeb, web } from "../../others.ts";
import { injectFault } from "../../outside.ts";
import { confirmRemoval } from "../../removal.ts";

let here: Journey;
afterEach(() => here.close());

const waits = { provision: { queue: 1, terminate: 5, keepFailed: 5 }, remove: { dialog: 5 } };

/** The deadlines of a workflow of which one stage has all the time that the others' defaults leave. */
function longest(
  workflow: keyof typeof waits,
  stage: StageName,
): { readonly deadlines: object; readonly minutes: number } {
  const short = { ...waits[workflow], ...(workflow === "remove" ? { slot: 5 } : {}) };
  const others = stagesOf(workflow).flatMap(({ name, minutes }) => (name === stage || name in short ? [] : [minutes]));
  const mine = Object.entries(short).flatMap(([name, minutes]) => (name === stage ? [] : [minutes]));
  const minutes = 450 - [...others, ...mine].reduce((sum, each) => sum + each, 0);
  return { deadlines: { [workflow]: { ...short, [stage]: minutes } }, minutes };
}

/** Ends the journey at its stage's deadline, hours later. @returns operations of each execution, the most first */
async function operationsAtTheEnd(stage: StageName): Promise<number[]> {
  await settled(here, 12 * 60);
  const { operation, nodes } = await newest(here);
  expect(operation.status).toBe("failed");
  expect(nodes[0]?.failure?.stage).toBe(stage);
  const counts = here.simulator.lambda.executions().map(({ operationCount }) => operationCount);
  return counts.toSorted((one, other) => other - one);
}

test("a budget that never allows an eviction costs few operations, even with the longest deadline", async () => {
  const { deadlines, minutes } = longest("remove", "evict");
  here = await startJourney({ seedNodes: true, configuration: { deadlines }, schedules: [] });
  await guardedPod(here, web);
  await confirmRemoval(here, "ip-10-0-3-7");
  const [most] = await operationsAtTheEnd("evict");
  expect(minutes).toBeGreaterThan(400);
  expect(most).toBeGreaterThan(minutes);
  expect(most).toBeLessThan(1_000);
});

test("a slot that is never free costs few operations, even with the longest deadline", async () => {
  const { deadlines, minutes } = longest("remove", "slot");
  here = await startJourney({ seedNodes: true, configuration: { deadlines }, schedules: [] });
  const labels = { "node.kubernetes.io/windows-build": "10.0.20348" };
  await kubectl(here, "PATCH", `/api/v1/nodes/${edge.name}`, { metadata: { labels } });
  await cordonByHand(here, otherWeb);
  await confirmRemoval(here, "ip-10-0-3-7");
  const [most] = await operationsAtTheEnd("slot");
  expect(minutes).toBeGreaterThan(400);
  expect(most).toBeLessThan(1_000);
});

test.for([
  ["agent", "agent-never-online", {}],
  // Every ten minutes the machine gets another join token.
  ["client-csr", "kubernetes-5xx", { principal: userNameOf(join.account) }],
] as const)("a node that waits in stage %s for the longest time costs few operations", async ([stage, kind, match]) => {
  const { deadlines, minutes } = longest("provision", stage);
  here = await startJourney({ configuration: { deadlines } });
  injectFault(here, kind, match);
  await here.type("operator", "/win add web");
  const [most] = await operationsAtTheEnd(stage);
  expect(minutes).toBeGreaterThan(250);
  expect(most).toBeLessThan(2_000);
});
