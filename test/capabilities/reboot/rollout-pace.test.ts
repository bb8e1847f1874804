import { expect, test } from "vitest";
import { MOST_ROLLOUT_POLLS, rolloutPace } from "../../../lambdas/capabilities/reboot/rollout/work.ts";

/** Operations of one look: its callback, its step, and the wait that gathers changes. */
const A_LOOK = 3;

/** Operations that an execution has beside its looks: 20 steps for the plans of 200 nodes, an approval for half an hour, calls, the end. */
const BESIDE = 150;

test("an execution of a rollout stays below 2,000 operations, however often its nodes change", () => {
  expect(MOST_ROLLOUT_POLLS * A_LOOK + BESIDE).toBeLessThanOrEqual(2_000);
});

test("many nodes that change all the time are looked after for more than six hours by one execution", () => {
  let seconds = 0;
  for (let look = 1; look <= MOST_ROLLOUT_POLLS; look += 1) seconds += rolloutPace(look, 100, false).gather;
  expect(seconds / 3_600).toBeGreaterThan(6);
});

test("a paused rollout costs at most 200 operations until it waits without an execution", () => {
  const { poll } = rolloutPace(1, 100, true);
  expect(((4 * 3_600) / poll) * A_LOOK).toBeLessThanOrEqual(200);
});
