import { expect, test } from "vitest";
import { activity } from "../../../lib/sandbox/core/activity.ts";

test("an answer that waits for the clock holds time up no longer than one that has ended", async () => {
  // The host's time stands still: what is only under way would be waited for without end.
  const work = activity(() => 0);
  const answered = Promise.withResolvers<void>();
  const answer = work.during(work.waiting(answered.promise));
  await work.settled();
  expect(work.standing().underWay).toBe(1);
  answered.resolve();
  await answer;
  expect(work.standing().underWay).toBe(0);
});
