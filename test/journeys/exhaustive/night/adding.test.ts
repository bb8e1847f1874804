import { afterEach, expect, test } from "vitest";
import { expectSound, newest, settled } from "../../evidence.ts";
import { asked, impatient, launchedId } from "../../failing.ts";
import { type Journey, startJourney } from "../../journey.ts";
import { endFault, injectFault } from "../../outside.ts";
import { answerTo, dialogOf } from "../../reading.ts";
import { callsSince, expectEnd, firstWord, readAtNight } from "./night.ts";

// Machines at three in the morning, from the channel alone: each story is read and pressed to its end.
// Twenty machines that fail alike are in ../add/same-failure.test.ts.

let here: Journey;
afterEach(() => here.close());

const begun = Date.UTC(2026, 10, 21, 3, 0, 0);
const calledFor = (words: RegExp) => callsSince(here, begun).filter((call) => words.test(call.words));

test("a launch without capacity names each type once with its subnets, and is tried again by a button", async () => {
  here = await startJourney();
  const fault = injectFault(here, "no-capacity");
  expect(await firstWord(here, () => here.type("operator", "/win add web"))).toBeLessThan(10);
  await settled(here);
  const failed = readAtNight(here, /^❌ Add 1 node to web/);
  expect(failed.words).toContain("Likely cause: EC2 has no capacity for the pool's instance types");
  expect(failed.words.match(/InsufficientInstanceCapacity/g)).toHaveLength(2);
  expect(failed.buttons).toEqual(["Try again"]);
  expect(calledFor(/<@U0OPERATOR> \*Add 1 node to web\* failed/)).toHaveLength(1);
  endFault(here, fault);
  await failed.press("Try again");
  await expectEnd(here);
  expect(readAtNight(here, /^✅ Add/).words).toContain("1 node is Ready.");
  await expectSound(here);
});

test("a denied certificate is asked about within a minute, in the denier's words, and says nothing of what no button does", async () => {
  here = await startJourney({ neighbours: { with: ["denies-all"] } });
  await here.type("operator", "/win add web");
  const { failedAt } = await asked(here);
  await here.pass(1);
  const question = readAtNight(here, /^❓ Add/);
  expect(question.words).toContain('denied by the program gatekeeper ("new nodes are frozen until the audit is over")');
  expect(question.words).toContain("Likely cause: a policy or a person denies this machine.");
  expect(question.words).toMatch(/Remedy: allow the node('s own| bootstrapper's) requests for /);
  expect(question.words).not.toMatch(/cancel the operation|will request it again/);
  expect(question.buttons).toEqual(["Keep for inspection", "Terminate now", "Open in AWS"]);
  const [call] = calledFor(/<@U0OPERATOR>, this needs a decision/);
  expect((call?.after ?? 0) - (Date.parse(failedAt ?? "") - begun) / 1_000).toBeLessThan(60);
  await question.press("Terminate now");
  await expectEnd(here);
  expect(readAtNight(here, /^❌ Add/).words).toContain("Terminated by");
});

test("a kept machine is found once by the doctor, as a machine that is not a node, and terminated from its message", async () => {
  here = await startJourney({ configuration: impatient });
  injectFault(here, "agent-never-online");
  await here.type("operator", "/win add web");
  await asked(here);
  await readAtNight(here, /^❓ Add/).press("Keep for inspection");
  await settled(here);
  const id = launchedId(here);
  await here.pass(30);
  const kept = readAtNight(here, /^❌ Add/);
  expect(kept.words).toContain("it runs, and is billed, until someone terminates it");
  expect(kept.buttons).toEqual(["Terminate now", "Open in AWS", "Try again"]);
  const doctor = await answerTo(here, "/win doctor");
  expect(doctor).toContain(`\`${id}\` of pool \`web\` is not a node, but is billed and counts in the pool`);
  expect(doctor).not.toContain("The SSM agent does not report");
  expect(doctor).not.toContain("Could not check");
  await kept.press("Terminate now");
  await here.until(() => dialogOf(here, "operator").includes("[Remove]"), 6, "the dialog");
  await here.submit("operator");
  await expectEnd(here);
  expect((await newest(here)).operation.summary).toBe(`${id} was terminated.`);
});
