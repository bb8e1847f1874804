import { afterEach, expect, test } from "vitest";
import { accounts } from "../../../../lambdas/cluster/accounts.ts";
import { calls, denied } from "../../evidence.ts";
import { type Journey, startJourney } from "../../journey.ts";
import { answerTo } from "../../reading.ts";

let here: Journey;
afterEach(() => here.close());

const report = (): Promise<string> => answerTo(here, "/win doctor");

test("a healthy cluster has no findings but an old program, and the doctor changes nothing", async () => {
  here = await startJourney({ seedNodes: true });
  const labels = () => here.simulator.kubernetes.objects("nodes").map(({ metadata }) => metadata.labels);
  const before = labels();
  const said = await report();
  expect(said).toMatch(/prod-west: all \d\d checks passed \(1 note\)$/m);
  expect(said).toContain("the program containerd.exe 1.7.27 has had no fixes from its publisher since 2026-03-31");
  for (const account of accounts) expect(said).toMatch(new RegExp(`\`${account}\` \\d+s old, renewal in 11h`));
  expect(labels()).toEqual(before);
  // What the admission policies must deny is all that is denied.
  const refusals = denied(here).map(({ principal, action }) => `${principal.split(":").at(-1)}: ${action}`);
  expect(refusals.toSorted()).toEqual([
    "act: create pods",
    "act: create pods",
    "act: create pods/eviction",
    "act: create serviceaccounts/token",
    "act: patch nodes",
    "join: create serviceaccounts/token",
    "join: create serviceaccounts/token",
    "join: patch nodes",
    "look: create serviceaccounts/token",
  ]);
  expect(here.simulator.lambda.executions().filter(({ status }) => status !== "SUCCEEDED")).toEqual([]);
  for (const action of ["RunInstances", "TerminateInstances"])
    expect(new Set(calls(here, "ec2", action).map(({ error }) => error))).toEqual(new Set(["DryRunOperation"]));
});
