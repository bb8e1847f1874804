import { afterEach, expect, test, vi } from "vitest";
import { METRICS } from "../../../../lambdas/metrics.ts";
import { permissionsFor } from "../../../../lib/role-permissions.ts";
import { demo } from "../../../../lib/sandbox/demo.ts";
import { place } from "../../../../lib/sandbox/demo-account.ts";
import { newest, settled } from "../../evidence.ts";
import { asked, impatient } from "../../failing.ts";
import { type Journey, startJourney } from "../../journey.ts";
import { injectFault } from "../../outside.ts";

let here: Journey;
afterEach(() => here.close());

/** Messages that subscribers of the topic got, each once: EventBridge may bring the same event twice. */
const notified = (): string[] => [...new Set(here.simulator.topic.notifications().map(({ message }) => message))];

test("a notice that cannot be sent holds nothing up", async () => {
  const rights = permissionsFor(place)["provision-node"].filter(({ sid }) => sid !== "CallPeople");
  here = await startJourney({ configuration: impatient, overrides: { permissions: { "provision-node": rights } } });
  injectFault(here, "agent-never-online");
  await here.type("operator", "/win add web");
  await asked(here);
  await here.press("operator", "keep-instance");
  await settled(here);
  expect((await newest(here)).nodes[0]?.outcome).toContain("kept for inspection");
  expect(notified()).toEqual([]);
});

test("each hour the front door is asked by its address on the internet, which nobody in Slack sees", async () => {
  here = await startJourney();
  const said = here.simulator.slack.messages().length;
  const answers = () =>
    here.simulator.metrics
      .datapoints()
      .flatMap(({ name, value }) => (name === METRICS.frontDoorAnswers ? [value] : []));
  await here.pass(62);
  expect(answers()).toEqual([1]);
  // The secret that the door checks by is what the question is signed with: without one nobody answers Slack either.
  const { secrets } = here.simulator;
  vi.spyOn(console, "error").mockReturnValue();
  secrets.seed(demo.slackSecret, "");
  await here.pass(60);
  // EventBridge delivers an event at least once, so that one tick may ask twice.
  const [first, ...later] = answers();
  expect([first, new Set(later)]).toEqual([1, new Set([0])]);
  expect(here.simulator.slack.messages()).toHaveLength(said);
  vi.restoreAllMocks();
});
