import { afterEach, expect, test } from "vitest";
import { calls, denied, newest, settled } from "../../evidence.ts";
import { asked, impatient, launchedId } from "../../failing.ts";
import { type Journey, startJourney } from "../../journey.ts";
import { injectFault } from "../../outside.ts";

let here: Journey;
afterEach(() => here.close());

/** Messages that subscribers of the topic got, each once: EventBridge may bring the same event twice. */
const notified = (): string[] => [...new Set(here.simulator.topic.notifications().map(({ message }) => message))];

test("who is subscribed to the topic hears of a machine that waits for a decision, once and without Slack", async () => {
  here = await startJourney({ configuration: impatient });
  injectFault(here, "agent-never-online");
  await here.type("operator", "/win add web");
  await asked(here);
  await here.pass(1);
  const { operation, nodes } = await newest(here);
  expect(notified()).toHaveLength(1);
  expect(notified()[0]).toContain(`prod-west: ${operation.id}: ${launchedId(here)} failed at the stage first boot.`);
  expect(notified()[0]).toContain(nodes[0]?.decideBy?.slice(11, 16));
  await here.press("operator", "terminate-instance");
  await settled(here);
  expect(notified()).toHaveLength(1);
  expect(denied(here)).toEqual([]);
  expect(calls(here, "events", "PutEvents").map(({ principal }) => principal)).toEqual(["provision-node"]);
});
