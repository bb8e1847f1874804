import { expect, it } from "vitest";
import { newsSince } from "../../../lambdas/capabilities/reboot-watch/posted-news.ts";
import { machineEventName } from "../../../lambdas/records/machine-event.ts";
import { type Stray, strayName } from "../../../lambdas/records/stray.ts";

const stray = (instanceId: string, kind: Stray["kind"] = "starting"): Stray => ({
  ...{ kind, instanceId, node: `node-${instanceId}`, pool: "web" },
});
const none: ReadonlySet<string> = new Set();

const strayNews = (posted: readonly Stray[], found: readonly Stray[], busy: ReadonlySet<string>) =>
  newsSince(posted, found, strayName, busy);

it("posts a machine once, and its end once", () => {
  const first = strayNews([], [stray("i-1")], none);
  expect(first).toEqual({ began: [stray("i-1")], ended: [], posted: [stray("i-1")] });
  expect(strayNews(first.posted, [stray("i-1")], none)).toEqual({ ...first, began: [] });
  expect(strayNews(first.posted, [], none)).toEqual({ began: [], ended: [stray("i-1")], posted: [] });
});

it("neither begins nor ends with a machine that an operation works on", () => {
  const busy = new Set(["i-1"]);
  expect(strayNews([], [stray("i-1")], busy)).toEqual({ began: [], ended: [], posted: [] });
  const open = { began: [], ended: [], posted: [stray("i-1")] };
  expect(strayNews([stray("i-1")], [stray("i-1")], busy)).toEqual(open);
});

it("ends one kind where the other begins", () => {
  const news = strayNews([stray("i-1", "no-node")], [stray("i-1")], none);
  expect(news).toEqual({ began: [stray("i-1")], ended: [stray("i-1", "no-node")], posted: [stray("i-1")] });
});

it("takes an event that EC2 moved to another time for another one", () => {
  const event = {
    instanceId: "i-1",
    node: "win-1",
    pool: "web",
    code: "system-reboot",
    notBefore: "2026-11-21T16:00:00.000Z",
  };
  const moved = { ...event, notBefore: "2026-11-24T16:00:00.000Z" };
  expect(newsSince([event], [event], machineEventName, none)).toEqual({ began: [], ended: [], posted: [event] });
  expect(newsSince([event], [moved], machineEventName, none)).toEqual({
    began: [moved],
    ended: [event],
    posted: [moved],
  });
});
