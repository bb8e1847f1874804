import { afterEach, expect, test } from "vitest";
import { lambdaName } from "../../../../lib/sandbox/simulator.ts";
import { expectSound, launchedBy, newest, settled, spoken } from "../../evidence.ts";
import { type Journey, startJourney } from "../../journey.ts";
import { injectFault } from "../../outside.ts";

let here: Journey;
afterEach(() => here.close());

test("the same request delivered twice starts one operation and gets the same answer", async () => {
  here = await startJourney();
  const first = await here.type("operator", "/win add web");
  const second = await here.again();
  expect(second.messages.map(({ text }) => text)).toEqual(first.messages.map(({ text }) => text));
  // Slack's signature is good for five minutes.
  await here.pass(3);
  const late = await here.again();
  await settled(here);
  expect(late.messages.map(({ text }) => text)).toEqual(first.messages.map(({ text }) => text));
  expect(await here.operations()).toHaveLength(1);
  expect(launchedBy(here, (await newest(here)).operation.id)).toHaveLength(1);
  expect(spoken(here).channel).toHaveLength(1);
  await expectSound(here);
});

test.for(["event-delivered-twice", "event-delivered-late"])("events change nothing under %s", async (kind) => {
  here = await startJourney();
  injectFault(here, kind, { function: lambdaName("cloud-events") });
  await here.type("operator", "/win add web");
  await settled(here);
  const { operation, nodes } = await newest(here);
  expect(operation.status).toBe("succeeded");
  expect(nodes.map(({ status }) => status)).toEqual(["succeeded"]);
  expect(launchedBy(here, operation.id)).toHaveLength(1);
  await expectSound(here);
});

/** Everything that was said and asked for in one run. */
async function run(seed: number) {
  here = await startJourney({ seed });
  await here.type("operator", "/win add web");
  await settled(here);
  const { operation } = await newest(here);
  const calls = here.simulator.simulation.calls
    .after(0)
    .map(({ at, principal, action }) => `${at} ${principal} ${action}`);
  return { status: operation.status, calls, messages: here.simulator.slack.messages() };
}

test("a seed repeats a run", async () => {
  const first = await run(7);
  await here.close();
  const second = await run(7);
  expect(second.messages).toEqual(first.messages);
  expect(second.calls).toEqual(first.calls);
});

test.for([2, 3, 4, 5, 6])("seed %i succeeds too", async (seed) => {
  expect((await run(seed)).status).toBe("succeeded");
  await expectSound(here);
});
