import { afterEach, expect, test } from "vitest";
import { lambdaName } from "../../../../lib/sandbox/simulator.ts";
import { calls, expectSound, newest, settled } from "../../evidence.ts";
import { type Journey, startJourney } from "../../journey.ts";
import { openly, privately } from "../../reading.ts";

let here: Journey;
afterEach(() => here.close());

test("a start that Lambda delivers an hour late does nothing and says so", async () => {
  here = await startJourney();
  here.simulator.simulation.faults.inject("event-delivered-late", { function: lambdaName("add-nodes") }, 1);
  await here.type("operator", "/win add web 2");
  await here.pass(70);
  await settled(here);
  expect((await newest(here)).operation.status).toBe("failed");
  expect([...privately(here, "operator"), ...openly(here)].join("\n")).toMatch(/delivered too late|never started/);
  expect(calls(here, "ec2", "RunInstances")).toEqual([]);
  await expectSound(here);
});
