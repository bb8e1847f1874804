import { afterEach, describe, expect, test } from "vitest";
import { startingTaint } from "../../../../lambdas/cluster/node-keys.ts";
import { heldBack, joinSecrets, newest, nodeNamed } from "../../evidence.ts";
import { launchedId, launchedName } from "../../failing.ts";
import { type Journey, startJourney } from "../../journey.ts";
import { stop, stopAll } from "../../stopping.ts";

let here: Journey;
afterEach(() => here.close());

const stage = async () => (await newest(here)).nodes[0]?.stage;
const taints = () => (nodeNamed(here, launchedName(here))?.spec?.taints ?? []).map(({ key }) => key);
const isCordoned = () => nodeNamed(here, launchedName(here))?.spec?.unschedulable === true;

/** Faults that hold a provision in a stage which would be over within a second. */
const holding: Readonly<Record<string, readonly [string, Readonly<Record<string, string>>]>> = {
  "client-csr": ["kubernetes-5xx", { verb: "update", resource: "certificatesigningrequests/approval" }],
  verify: ["kubernetes-5xx", { verb: "patch", resource: "nodes", principal: "system:serviceaccount:casement:join" }],
};

/** Adds a node, lets time pass until it has come to a stage, and then has everything die that must. */
async function addUntil(wanted: string, dies = () => stopAll(here)): Promise<void> {
  here = await startJourney();
  const { faults } = here.simulator.simulation;
  const held = holding[wanted];
  const fault = held && faults.inject(...held);
  await here.type("operator", "/win add web 1");
  await here.until(async () => (await stage()) === wanted, 60, wanted);
  await dies();
  if (fault) faults.end(fault.id);
}

describe("A provision whose executions are stopped", () => {
  test.each(["agent", "configure"])("at %s leaves no slot, no lease and no secret", async (wanted) => {
    await addUntil(wanted);
    await here.pass(50);
    expect((await newest(here)).operation).toMatchObject({ status: "failed" });
    expect(await heldBack(here)).toEqual([]);
    expect(joinSecrets(here)).toEqual([]);
  });

  test.each(["client-csr", "serving-csr", "network", "verify"])(
    "at %s leaves no start-up taint: its Node, if it has one, is cordoned instead",
    async (wanted) => {
      await addUntil(wanted);
      await here.pass(50);
      expect(await heldBack(here)).toEqual([]);
      expect(joinSecrets(here)).toEqual([]);
      expect(taints()).not.toContain(startingTaint.key);
      if (nodeNamed(here, launchedName(here)) === undefined) return;
      expect(isCordoned()).toBe(true);
      const outcome = (await newest(here)).nodes[0]?.outcome;
      expect(outcome).toContain(`instance ${launchedId(here)} was left as is; the node was cordoned in place of`);
      expect(outcome).toContain(`kubectl uncordon ${launchedName(here)}`);
      await here.pass(30);
      expect(isCordoned()).toBe(true);
    },
  );
});

test("A node whose own execution is stopped is closed by its add, and the sweep takes its start-up taint off", async () => {
  await addUntil("network", async () => stop(here, (await newest(here)).nodes[0]?.executionArn ?? ""));
  await here.until(async () => (await newest(here)).operation.endedAt !== null, 15, "the end of the add");
  expect(taints()).toContain(startingTaint.key);
  await here.pass(20);
  expect(taints()).not.toContain(startingTaint.key);
  expect(isCordoned()).toBe(true);
  const told = here.said().filter((text) => text.includes("in place of its start-up taint"));
  expect(told).toHaveLength(1);
  await here.pass(35);
  expect(here.said().filter((text) => text.includes("in place of its start-up taint"))).toHaveLength(1);
});
