import { expect, test } from "vitest";
import { type Renewal, type WatchedCredential, watchCredential } from "../../lambdas/cluster/credential-watch.ts";

type Tick = Pick<Renewal, "state" | "isOver">;

const kept: Tick = { state: "kept", isOver: false };
const renewed: Tick = { state: "renewed", isOver: false };
const failed: Tick = { state: "failed", isOver: false };
const over: Tick = { state: "failed", isOver: true };

/** Announcement at each tick, null for silence. */
function said(...ticks: Tick[]): (string | null)[] {
  let watched: WatchedCredential | undefined;
  return ticks.map((tick) => {
    const { after, say } = watchCredential(watched, tick);
    watched = after;
    return say;
  });
}

test.each<[string, Tick[], (string | null)[]]>([
  ["nothing of what goes well", [kept, kept, renewed, kept], [null, null, null, null]],
  ["nothing of a single failure", [failed, renewed, failed, kept], [null, null, null, null]],
  ["once that it fails, at the second in a row", [failed, failed, failed, failed], [null, "failing", null, null]],
  ["once more when it has ended", [failed, failed, over, over], [null, "failing", "ended", null]],
  ["at once that it has ended, at the second look", [over, over, over], [null, "ended", null]],
  ["not that it fails when it is known to have ended", [over, over, failed], [null, "ended", null]],
  [
    "that it is well again, once, when people were called",
    [failed, failed, renewed, kept],
    [null, "failing", "well", null],
  ],
  ["the same of the next trouble", [over, over, kept, over, over], [null, "ended", "well", null, "ended"]],
])("people are told %s", (_what, ticks, news) => {
  expect(said(...ticks)).toEqual(news);
});
