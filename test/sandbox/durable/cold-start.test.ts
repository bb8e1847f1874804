import { expect, test } from "vitest";
import { activity } from "../../../lib/sandbox/core/activity.ts";
import { createSimulation } from "../../../lib/sandbox/core/simulation.ts";
import { openStore } from "../../../lib/sandbox/core/store.ts";
import { lambdaService } from "../../../lib/sandbox/durable/lambda-service.ts";
import { manualClock } from "../manual-clock.ts";
import { account, anybody } from "./harness.ts";

/** Looks at the host's time after which it jumps ahead. */
const PATIENCE = 2_000;

const invoke = {
  method: "POST",
  url: "/2015-03-31/functions/greet%3Alive/invocations",
  headers: {},
  body: Buffer.from("{}"),
};

test("a request that waits for the start of a function's environment does not hold time up", async () => {
  // The host's time stands still for long: a request that only appears to be under way would be waited for that long.
  let looks = 0;
  const requests = activity(() => (++looks < PATIENCE ? 0 : Number.POSITIVE_INFINITY));
  const clock = manualClock();
  const store = openStore(":memory:");
  const simulation = createSimulation({ clock, store, seed: 1, busy: requests.during, waiting: requests.waiting });
  const service = lambdaService(simulation, { ...account, hostTime: (ms) => ms });
  service.mount("greet", {}, async () => "hello");
  const answer = requests.during(service.answer(service.action(invoke), invoke, anybody));
  await requests.settled();
  expect(looks).toBeLessThan(PATIENCE);
  await clock.advance(1_000);
  expect((await answer).body).toBe('"hello"');
  expect(requests.standing().underWay).toBe(0);
});
