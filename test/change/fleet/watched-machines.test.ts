import { afterAll, beforeAll, expect, test } from "vitest";
import { findWatched } from "../../../lambdas/change/fleet/watched-machines.ts";
import { run, setUp, tearDown } from "../../engine/durable-engine.ts";
import { Fleet, idOf, largest, nameOf, stepsOf } from "./fleet.ts";

beforeAll(setUp);
afterAll(tearDown);

/** Finds the machines of a fleet. @returns the execution, the machines, and how often the nodes were listed */
async function found(fleet: Fleet, annotations: Readonly<Record<string, string>> = {}) {
  const steps = fleet.steps();
  let lists = 0;
  const all = async () => {
    lists += 1;
    return (await steps.nodes.all()).map((node) => ({ ...node, metadata: { ...node.metadata, annotations } }));
  };
  const machines: { instanceId: string; node: string; isOnline: boolean }[] = [];
  const ended = await run(async (ctx) => {
    machines.splice(0);
    machines.push(
      ...(await findWatched({ ctx, steps: { ...steps, nodes: { ...steps.nodes, all } } }, { name: "find" })),
    );
  });
  return { ended, machines, lists };
}

test("1,000 machines to observe are found by 50 and 64 KB in one step, each once, from one list of the nodes", {
  tags: ["long"],
}, async () => {
  const { ended, machines, lists } = await found(new Fleet(1_000));
  expect(largest(ended)).toBeLessThan(64 * 1_024);
  expect(stepsOf(ended)).toHaveLength(20);
  expect(new Set(machines.map(({ instanceId }) => instanceId)).size).toBe(1_000);
  expect(machines).toHaveLength(1_000);
  expect(lists).toBe(1);
});

test("a machine that an operation holds is left out", async () => {
  const { machines } = await found(new Fleet(2, { held: [0] }));
  expect(machines).toMatchObject([{ instanceId: idOf(1), node: nameOf(1), isOnline: true }]);
});

test.each([
  ["that WMCO asks for", "windowsmachineconfig.openshift.io/reboot-required"],
  ["of kured", "weave.works/kured-reboot-in-progress"],
])("a reboot %s is a mark of its node, whose age later looks know", async (_, key) => {
  const { machines } = await found(new Fleet(1), { [key]: "" });
  expect(machines).toMatchObject([{ marks: [key] }]);
});
