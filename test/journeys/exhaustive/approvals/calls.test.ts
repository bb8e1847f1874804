import { afterEach, expect, test } from "vitest";
import { expectSound, newest, settled, spoken } from "../../evidence.ts";
import { asked, impatient } from "../../failing.ts";
import { type Journey, startJourney } from "../../journey.ts";
import { endFault, injectFault, reached } from "../../outside.ts";

let here: Journey;
afterEach(() => here.close());

/** Replies that mention people or groups; a failure's own call to decide stands in its blocks. */
const calls = () => spoken(here).thread.filter(({ text }) => /^<[@!]/.test(text));

test("the group of the role that may decide is called after fifteen minutes, and the requester to the end", async () => {
  here = await startJourney({ configuration: impatient });
  await here.type("operator", "/win add web");
  injectFault(here, "feature-install-fails");
  const { failedAt = "" } = await asked(here);
  await here.until(() => Date.now() >= Date.parse(failedAt) + 14 * 60_000, 20);
  expect(calls()).toEqual([]);
  await settled(here);
  const [waiting, end, ...more] = calls();
  expect(more).toEqual([]);
  expect(waiting?.text).toMatch(
    /^<!subteam\^S0OPERATORS> node 1 `i-\w+` failed and has been waiting for a decision for/,
  );
  expect(waiting?.broadcast).toBeUndefined();
  expect((Number(waiting?.ts) * 1_000 - Date.parse(failedAt)) / 60_000).toBeLessThan(16);
  expect(end?.text).toMatch(
    /^<@U0OPERATOR> \*Add 1 node to web\* failed after \d+m\. 1 node failed \(1 instance terminated\)\.$/,
  );
  expect(end?.broadcast).toBe(true);
  await expectSound(here);
});

test("the requester is called once to a cancelled operation whose end Slack was away for", async () => {
  here = await startJourney();
  await here.type("operator", "/win add web");
  await reached(here, "features");
  await here.type("approver", `/win cancel ${(await newest(here)).operation.id}`);
  const down = injectFault(here, "slack-down");
  await here.pass(4);
  expect((await newest(here)).nodes[0]?.endedAt).not.toBeNull();
  endFault(here, down);
  injectFault(here, "slack-answer-lost", { method: "chat.postMessage" }, 3);
  await settled(here);
  expect((await newest(here)).operation.status).toBe("cancelled");
  expect(calls().map(({ text, broadcast }) => ({ text, broadcast }))).toEqual([
    {
      text: expect.stringMatching(/^<@U0OPERATOR> \*Add 1 node to web\* was cancelled after \d+m/),
      broadcast: undefined,
    },
  ]);
  await expectSound(here);
});
