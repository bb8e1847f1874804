import { afterEach, expect, test } from "vitest";
import { accounts } from "../../../../lambdas/cluster/accounts.ts";
import { connect, hoursLeft, notified, stored } from "../../connecting.ts";
import { calls, denied } from "../../evidence.ts";
import { type Journey, startJourney } from "../../journey.ts";

let here: Journey;
afterEach(() => here.close());

const HOUR = 60;

test("each credential is renewed by its own function when half of its life is over, and nobody hears of it", async () => {
  here = await startJourney();
  await connect(here, 3 * 3_600);
  const before = Object.fromEntries(accounts.map((account) => [account, stored(here, account)]));
  await here.pass(1.2 * HOUR);
  for (const account of accounts) expect(stored(here, account)).toBe(before[account]);
  await here.pass(HOUR);
  for (const account of accounts) {
    expect(stored(here, account)).not.toBe(before[account]);
    expect(hoursLeft(here, account)).toBeGreaterThan(23);
  }
  const puts = calls(here, "secretsmanager", "PutSecretValue").map(({ principal }) => principal);
  expect(puts.toSorted()).toEqual(["look", "provision-node", "remove-node"]);
  expect([denied(here), notified(here)]).toEqual([[], []]);
  const told = here.simulator.metrics.datapoints().filter(({ dimensions }) => dimensions.Account === "join");
  expect(told.map(({ value }) => Math.floor(value))).toEqual([1, 23]);
});
