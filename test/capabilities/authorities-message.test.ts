import { expect, test } from "vitest";
import { type AuthorityState, authoritiesMessage } from "../../lambdas/capabilities/trust/authorities-message.ts";
import { readBlocks } from "../journeys/reading.ts";

const authority = {
  subject: "CN=Corp Root",
  issuer: "CN=Corp Root",
  store: "Root",
  fingerprint: "AA:BB",
  notAfter: "2045-01-01T00:00:00.000Z",
  sources: ["ConfigMap one", "ConfigMap two", "ConfigMap three", "ConfigMap four"],
};

const shown = (state: AuthorityState, nodes: number): readonly string[] =>
  readBlocks(authoritiesMessage({ authorities: [{ ...authority, state } as never], refused: [], nodes }).blocks).split(
    "\n",
  );

test("A cluster that names no authority is called so", () => {
  const { text, blocks } = authoritiesMessage({ authorities: [], refused: [], nodes: 3 });
  expect(text).toBe("The cluster names no trusted authority: Windows nodes have those of Windows alone.");
  expect(readBlocks(blocks)).toBe(`*Trusted authorities*: ${text}`);
});

test("An authority is shown with its store, its end and three places that name it", () => {
  expect(shown({ kind: "given", without: [] }, 2)).toEqual([
    "*Trusted authorities*: 1 authority, 2 managed Windows nodes.",
    "*CN=Corp Root* · Root · until <!date^2366841600^{date_short_pretty} at {time}|2045-01-01 00:00 UTC> · ConfigMap one, ConfigMap two, ConfigMap three and 1 more",
    "✅ on all 2 nodes",
  ]);
});

test("The command that gives authorities to nodes is named where a node lacks one", () => {
  expect(shown({ kind: "given", without: ["web-1"] }, 2).at(-1)).toBe("`{win} reconcile` gives them to nodes now");
});

test.each<[AuthorityState, number, string]>([
  [{ kind: "given", without: [] }, 1, "✅ on the node"],
  [{ kind: "given", without: [] }, 0, "no node to give it to"],
  [{ kind: "given", without: ["web-1"] }, 3, "⏳ on 2 of 3 nodes; not yet on `web-1`"],
  [{ kind: "given", without: ["a", "b", "c", "d"] }, 4, "⏳ on 0 of 4 nodes; not yet on `a`, `b`, `c` and 1 more"],
  [{ kind: "waits", operation: "trust-1" }, 3, "❓ waits for an approval in `trust-1`"],
  [{ kind: "waits", operation: null }, 3, "❓ waits for an approval"],
  [{ kind: "denied" }, 3, "⛔ denied: no node gets it. `{win} reconcile` asks again"],
])("The state of an authority is shown: %j with %i nodes", (state, nodes, words) => {
  expect(shown(state, nodes)[2]).toBe(words);
});

test("What no node gets is shown with the reason, and several authorities are counted", () => {
  const refused = [
    { certificate: null, reason: "it is no certificate", sources: ["ConfigMap one"] },
    { certificate: authority, reason: "it is expired", sources: ["ConfigMap two"] },
  ];
  const state: AuthorityState = { kind: "denied" };
  const { text, blocks } = authoritiesMessage({
    authorities: [
      { ...authority, state },
      { ...authority, state },
    ] as never,
    refused: refused as never,
    nodes: 1,
  });
  expect(text).toBe("2 authorities, 1 managed Windows node.");
  expect(readBlocks(blocks)).toContain("⚠️ ConfigMap one: it is no certificate.");
  expect(readBlocks(blocks)).toContain(
    "⚠️ CN=Corp Root is not given to nodes: it is expired. It stands in ConfigMap two.",
  );
});
