import { afterEach, expect, test } from "vitest";
import { launchedBy, newest } from "../../evidence.ts";
import { asked, impatient } from "../../failing.ts";
import { type Journey, startJourney } from "../../journey.ts";
import { injectFault } from "../../outside.ts";
import { thief } from "../../stealing.ts";

let here: Journey;
afterEach(() => here.close());

/** Fails an add, takes Slack away, and completes the callback of the question, with the item of a press where one is given. */
async function answerByHand(decision?: string): Promise<readonly unknown[]> {
  here = await startJourney({ configuration: impatient });
  injectFault(here, "agent-never-online");
  await here.type("operator", "/win add web");
  const { operation, callbacks } = await asked(here);
  injectFault(here, "slack-down");
  const { put, wake } = thief(here, "front-door");
  const callback = callbacks.decision ?? "";
  const place = { pk: `door#${operation}`, sk: "decision#node 0#0001", subject: "node 0" };
  const press = { userId: "U0OPERATOR", callback, cause: "by hand", at: new Date().toISOString() };
  if (decision) expect(await put({ ...place, ...press, decision })).toBe("done");
  expect(await wake(callback, { decision: "keep", userId: "U0OPERATOR" })).toBe("done");
  await here.until(async () => (await newest(here)).nodes[0]?.endedAt !== null, 60, "the end of the node");
  return launchedBy(here, (await newest(here)).operation.id).map(({ State }) => State?.Name);
}

test("without Slack, the item of a press and its callback keep a failed machine, as the runbook says", async () => {
  expect(await answerByHand("keep")).toEqual(["running"]);
});

test("a callback without the item decides nothing: the deadline terminates the machine", async () => {
  expect(await answerByHand()).toEqual(["terminated"]);
});
