import { expect, it } from "vitest";
import { type Stray, strayNews } from "../../lambdas/records/stray.ts";

const stray = (instanceId: string, kind: Stray["kind"] = "starting"): Stray => ({
  ...{ kind, instanceId, node: `node-${instanceId}`, pool: "web" },
});
const none: ReadonlySet<string> = new Set();

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
