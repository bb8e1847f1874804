import { afterEach, expect, test } from "vitest";
import { calls, denied, settled } from "./evidence.ts";
import { privately } from "./reading.ts";
import { type World, world } from "./world.ts";

let here: World;
afterEach(() => here.close());

async function report(): Promise<string> {
  await here.type("operator", "/win doctor");
  await settled(here, 3);
  return privately(here, "operator").at(-1) ?? "";
}

/** What the doctor tries on purpose: a dry run that the admission policies must deny. */
const tried = ["patch nodes"];

test("a healthy town is well in every respect, and nothing was changed to find that out", async () => {
  here = await world({ inhabited: true });
  const nodes = here.ground.kubernetes.objects("nodes");
  expect(await report()).toMatch(/prod-west: all well \(\d\d checks\)/);
  expect(denied(here).map(({ action }) => action)).toEqual(tried);
  expect(here.ground.lambda.executions().filter(({ status }) => status !== "SUCCEEDED")).toEqual([]);
  expect(here.ground.kubernetes.objects("nodes").map(({ metadata }) => metadata.labels)).toEqual(
    nodes.map(({ metadata }) => metadata.labels),
  );
  for (const action of ["RunInstances", "TerminateInstances"])
    expect(new Set(calls(here, "ec2", action).map(({ error }) => error))).toEqual(new Set(["DryRunOperation"]));
});
