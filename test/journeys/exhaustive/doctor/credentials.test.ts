import { afterEach, expect, test } from "vitest";
import { accounts, userOf } from "../../../../lambdas/cluster/accounts.ts";
import { lambdaName } from "../../../../lib/sandbox/simulator.ts";
import { connect, hoursLeft, notified, stored } from "../../connecting.ts";
import { calls, newest, settled } from "../../evidence.ts";
import { type Journey, startJourney } from "../../journey.ts";
import { endFault, injectFault } from "../../outside.ts";
import { openly } from "../../reading.ts";

let here: Journey;
afterEach(() => here.close());

const HOUR = 60;

// Thirty-four hours of a cluster whose clients repeat what is refused: some 25 s on quiet cores.
const LONG = { timeout: 240_000 };

test(
  "with the API server away for thirty hours people are called, an add says what helps, and connecting heals it",
  LONG,
  async () => {
    here = await startJourney();
    const id = injectFault(here, "kubernetes-5xx");
    await here.pass(12.5 * HOUR);
    expect(notified(here)).toEqual([]);
    await here.pass(1.5 * HOUR);
    expect(notified(here)).toHaveLength(1);
    expect(notified(here)[0]).toMatch(
      /prod-west: the credentials of the accounts look, act and join could not be renewed twice in a row: .* works until .*2026-11-22 03:00 UTC.*run: npm run connect -- credential/,
    );
    expect(openly(here).join("\n")).toContain("could not be renewed twice in a row");
    await here.pass(16 * HOUR);
    endFault(here, id);
    await here.pass(2 * HOUR);
    expect(notified(here)).toHaveLength(2);
    expect(notified(here)[1]).toMatch(
      /cannot be used: .*Until a cluster administrator runs npm run connect -- credential/,
    );
    const left = here.simulator.metrics
      .datapoints()
      .filter(({ dimensions }) => dimensions.Account)
      .slice(-3);
    expect(left.map(({ dimensions, value }) => [dimensions.Account, value])).toEqual([
      ["look", 0],
      ["act", 0],
      ["join", 0],
    ]);
    await here.type("operator", "/win add web");
    await settled(here, 200);
    // Said before anything is launched: the coordinator reads the cluster first.
    expect((await newest(here)).operation).toMatchObject({ status: "failed" });
    expect((await newest(here)).operation.summary).toContain("npm run connect -- credential");
    expect(calls(here, "ec2", "RunInstances")).toEqual([]);
    await connect(here);
    await here.pass(1.5 * HOUR);
    expect(openly(here).at(-1)).toContain("can be used again");
    expect(notified(here)).toHaveLength(2);
    await here.type("operator", "/win add web");
    await settled(here, 200);
    expect((await newest(here)).operation.status).toBe("succeeded");
  },
);

test("whatever breaks a renewal on its way leaves the old credential in its place, and the next hour renews it", async () => {
  here = await startJourney();
  await connect(here, 5 * 3_600);
  const before = stored(here, "look");
  await here.pass(2.6 * HOUR);
  const id = injectFault(here, "aws-5xx", { service: "secretsmanager", action: "PutSecretValue" });
  await here.pass(HOUR);
  const asked = () =>
    calls(here, "kubernetes", "create serviceaccounts/token").filter(({ principal }) => principal === userOf("look"));
  expect(asked().map(({ status }) => status)).toContain(201);
  expect(stored(here, "look")).toBe(before);
  endFault(here, id);
  const crash = { function: lambdaName("look"), operation: "renew the credential", when: "after" };
  injectFault(here, "handler-crash", crash, 1);
  await here.pass(HOUR);
  expect(stored(here, "look")).not.toBe(before);
  expect(hoursLeft(here, "look")).toBeGreaterThan(22);
  expect(notified(here)).toEqual([]);
});

test("an API server that is away for an hour in the middle of a renewal heals by itself", async () => {
  here = await startJourney();
  await connect(here, 7 * 3_600);
  await here.pass(3.6 * HOUR);
  const id = injectFault(here, "kubernetes-5xx");
  await here.pass(HOUR);
  expect(notified(here)).toEqual([]);
  await here.pass(HOUR);
  expect(notified(here)).toHaveLength(1);
  endFault(here, id);
  await here.pass(HOUR);
  for (const account of accounts) expect(hoursLeft(here, account)).toBeGreaterThan(22);
  expect(openly(here).at(-1)).toContain("can be used again, and its renewal is back on schedule");
});
