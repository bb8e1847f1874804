import { afterEach, expect, test } from "vitest";
import { impatient, keepOne } from "../../failing.ts";
import { type Journey, startJourney } from "../../journey.ts";
import { inThreads } from "../../reading.ts";

let here: Journey;
afterEach(() => here.close());

test("people are reminded of a kept machine after a quarter of an hour and once a day, in its thread and without Slack, for as long as it lives", async () => {
  here = await startJourney({ configuration: impatient });
  await keepOne(here);
  const reminders = () => inThreads(here).filter((message) => message.includes("has been kept for"));
  await here.pass(32);
  expect(reminders()).toEqual([expect.stringContaining("<!subteam^S0OPERATORS>")]);
  for (const day of [2, 3]) {
    await here.pass(24 * 60 + 16);
    expect(reminders()).toHaveLength(day);
  }
  expect(reminders().every((message) => message.includes("[Terminate now]"))).toBe(true);
  const pages = here.simulator.topic.notifications().map(({ message }) => message);
  expect(new Set(pages.filter((message) => message.includes("has been kept for"))).size).toBe(3);
}, 600_000);
