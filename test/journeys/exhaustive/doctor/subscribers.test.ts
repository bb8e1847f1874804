import { afterEach, expect, test } from "vitest";
import { permissionsFor } from "../../../../lib/role-permissions.ts";
import { place } from "../../../../lib/sandbox/demo-account.ts";
import { type Journey, type JourneyOptions, startJourney } from "../../journey.ts";
import { answerTo } from "../../reading.ts";

const MAIL = "platform-team@example.com";

let here: Journey;
afterEach(() => here.close());

/** Answer of the doctor when these are subscribed to the topic that alarms go to. */
async function diagnosis(
  subscribers: Readonly<Record<string, boolean>>,
  overrides: JourneyOptions["overrides"] = {},
): Promise<string> {
  here = await startJourney({ seedNodes: true, overrides });
  here.simulator.sns.unsubscribe(MAIL);
  for (const [endpoint, confirmed] of Object.entries(subscribers))
    here.simulator.sns.subscribe({ endpoint, confirmed });
  return answerTo(here, "/win doctor");
}

test("an address that confirmed is enough", async () => {
  expect(await diagnosis({ [MAIL]: true })).toMatch(/all \d\d checks passed/);
});

test("a topic without a subscriber is serious: alarms reach nobody", async () => {
  const said = await diagnosis({});
  expect(said).toContain("Alarms are not delivered: the topic has no subscriber");
  expect(said).toContain("subscribe your pager");
});

test("an address that never confirmed is as bad, and the doctor says what to do", async () => {
  const said = await diagnosis({ [MAIL]: false });
  expect(said).toContain(`Alarms are not delivered: \`${MAIL}\` has not confirmed`);
  expect(said).toContain("follow the link in the confirmation mail from AWS");
});

test("one of two that has not confirmed is named, beside the one that has", async () => {
  const said = await diagnosis({ [MAIL]: true, "night-shift@example.com": false });
  expect(said).toContain("`night-shift@example.com` has not confirmed the alarm subscription");
  expect(said).toContain(`alarms reach \`${MAIL}\` only`);
});

test("a role that may not see the subscribers is said", async () => {
  const look = permissionsFor(place).look.filter(({ sid }) => sid !== "SeeSubscribers");
  expect(await diagnosis({ [MAIL]: true }, { permissions: { look } })).toContain("sns:ListSubscriptionsByTopic");
});
