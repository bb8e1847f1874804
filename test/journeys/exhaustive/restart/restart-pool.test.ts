import { afterEach, expect, test } from "vitest";
import { RESUME_ROLLOUT } from "../../../../lambdas/messages/slack/buttons.ts";
import { calls, expectSound, heldBack, newest, nodeNamed, settled } from "../../evidence.ts";
import type { Journey } from "../../journey.ts";
import { podOn } from "../../others.ts";
import { endFault, injectFault } from "../../outside.ts";
import { poolOfFour } from "../../pool-of-four.ts";
import { privately } from "../../reading.ts";
import { images } from "../../restarting.ts";

let here: Journey;
afterEach(() => here.close());

const configuration = {
  approvals: { restart: { needs: 0 } },
  probe: { images },
  deadlines: { restart: { restart: 20, prove: 12 } },
};

/** Restarts of services that SSM was told of. */
const restarts = (): number =>
  [
    ...here.simulator.simulation.store
      .collection<{ readonly documentName: string; readonly comment: string }>("ssm-commands")
      .values(),
  ].filter(({ documentName, comment }) => documentName.includes("-apply-") && comment.includes("restart the services"))
    .length;

test("a pool is restarted one node first, then the others within its slots", async () => {
  const four = await poolOfFour(2, configuration);
  here = four.here;
  await here.type("operator", "/win restart web");
  await settled(here, 240);
  const { operation, nodes } = await newest(here);
  expect(operation).toMatchObject({ status: "succeeded", request: { command: "restart" } });
  expect(operation.summary).toContain("4 of 4 nodes are restarted and proven");
  const [first, ...rest] = nodes;
  for (const { startedAt } of rest)
    expect(Date.parse(startedAt)).toBeGreaterThanOrEqual(Date.parse(first?.endedAt ?? ""));
  expect(nodes.every(({ workflow }) => workflow === "restart")).toBe(true);
  expect(restarts()).toBe(4);
  expect(calls(here, "kubernetes", "create pods/eviction")).toEqual([]);
  expect(four.names.map((name) => nodeNamed(here, name)?.spec?.unschedulable ?? false)).toEqual([
    false,
    false,
    false,
    false,
  ]);
  await expectSound(here);
});

test("the plan of a pool says that no pod is evicted", async () => {
  ({ here } = await poolOfFour(2, configuration));
  await here.type("operator", "/win restart web --dry-run");
  await settled(here, 10);
  const shown = privately(here, "operator").at(-1);
  expect(shown).toContain("The services of 4 nodes of `web` are restarted, one node first.");
  expect(shown).toContain("No pod is evicted; pods go on running.");
  expect(shown).toMatch(/To apply: `\/win restart web`/);
  expect(restarts()).toBe(0);
});

test("metadata routes that are lost with the pods' network are restored by the guard, and the proof names the pods", async () => {
  const four = await poolOfFour(2, configuration);
  here = four.here;
  here.simulator.kubernetes.create(podOn({ name: four.names[0] ?? "", instanceId: "" }, "shop"));
  // A pod of the last minutes may have no endpoint yet, so that the proof does not judge it.
  await here.pass(5);
  const instanceId = nodeNamed(here, four.names[0])?.spec?.providerID?.split("/").at(-1) ?? "";
  const logged = () => here.simulator.machines.logOf(instanceId).join("\n");
  const before = logged().length;
  injectFault(here, "overlay-made-anew");
  await here.type("operator", `/win restart ${four.names[0]}`);
  await settled(here, 120);
  expect((await newest(here)).nodes[0]?.failure).toMatchObject({ stage: "prove", code: "endpoints-lost" });
  expect(logged().slice(before)).toContain("4001 Routes changed: 6. The metadata service answers");
  expect(nodeNamed(here, four.names[0])?.spec?.unschedulable).toBe(true);
});

test("a node that fails pauses the rollout, and the others are left as they are", async () => {
  const four = await poolOfFour(2, configuration);
  here = four.here;
  const fault = injectFault(here, "service-exits", { service: "kubelet" });
  await here.type("operator", "/win restart web");
  await here.until(async () => (await newest(here)).operation.rollout?.paused != null, 60, "the pause");
  endFault(here, fault);
  const { operation, nodes } = await newest(here);
  expect(nodes[0]?.failure).toMatchObject({ stage: "restart", code: "service-not-started" });
  expect(operation.summary).toContain(
    "0 of 4 nodes are restarted and proven. Nodes whose restart has not been sent are restored",
  );
  expect(restarts()).toBe(1);
  await here.press("operator", RESUME_ROLLOUT);
  await settled(here, 240);
  expect((await newest(here)).operation.summary).toContain("3 of 4 nodes are restarted and proven");
  expect(await heldBack(here)).toEqual([]);
});
