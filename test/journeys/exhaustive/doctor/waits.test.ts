import { afterEach, expect, test } from "vitest";
import { settled } from "../../evidence.ts";
import type { Journey } from "../../journey.ts";
import { web } from "../../others.ts";
import { injectFault } from "../../outside.ts";
import { answerTo } from "../../reading.ts";
import { withSeedNodes } from "../../removal.ts";

let here: Journey;
afterEach(() => here.close());

const report = (): Promise<string> => answerTo(here, "/win doctor");

test("The doctor repeats a change that waits for its review, and says nothing of checks that all passed", async () => {
  here = await withSeedNodes();
  await here.type("operator", `/win drain ${web.name} --force ${web.name} --break-glass "pods hang"`);
  await settled(here);
  const said = await report();
  expect(said).toContain("prod-west: 1 note, 1 wait for a person");
  expect(said).toMatch(/❓ \*Waiting for a person\*\n• `drain-\w+` ran without an approval and needs a review/);
  expect(said).not.toContain("checks passed");
});

test("The doctor names a node whose agent has been silent for as long as Why takes it for silent, with its pool", async () => {
  here = await withSeedNodes();
  injectFault(here, "agent-silent", { instanceId: web.instanceId });
  await here.pass(16);
  const said = await report();
  expect(said).toMatch(/The SSM agent does not report: `ip-10-0-3-7\S+` \(web, for 1\dm\)/);
  expect(said).not.toContain(web.instanceId);
  expect(said).not.toContain("can only be removed");
});
