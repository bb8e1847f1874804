import { describe, expect, test } from "vitest";
import {
  everyNodeIsHeld,
  everyNodeLeft,
  type InputEnd,
  type LeftOutNode,
  nothingToChange,
  otherOperationChanges,
  reconcileDryRun,
  requestedSummary,
  writtenOutcome,
} from "../../../lambdas/messages/operation/reconcile.ts";
import { readBlocks } from "../../journeys/reading.ts";

const mirrors = { title: "Registry mirrors", emptied: "Each would lose its files." };
const proxy = { title: "Proxy", emptied: "Each would lose its variables." };
const stop = (kind: "freeze" | "hold") => ({ kind, by: "olivia", reason: "release night" }) as never;

const left = (name: string, reason: LeftOutNode["reason"]): LeftOutNode => ({ name, reason });

test.each<[LeftOutNode["reason"], string]>([
  [{ kind: "up-to-date" }, "is up to date."],
  [{ kind: "not-managed" }, "is not a node that Casement provisioned, or another controller owns its machine."],
  [{ kind: "silent" }, "has an SSM agent that does not answer."],
  [{ kind: "not-running", state: "stopped" }, "runs on an instance that is stopped."],
  [{ kind: "stopped", stop: stop("freeze") }, "is frozen by olivia: release night."],
  [{ kind: "stopped", stop: stop("hold") }, "is held by olivia: release night."],
  [{ kind: "held", operation: "drain-1" }, "is being changed by `drain-1`."],
])("A node that is left out is named with the reason: %j", (reason, words) => {
  expect(everyNodeLeft(everyNodeIsHeld, [left("web-1", reason)]).text).toBe(
    `Other operations work on every node that differs; nothing was changed.\n• \`web-1\` ${words}`,
  );
});

describe("A request that changes nothing", () => {
  test("says of all nodes that they are up to date", () => {
    expect(readBlocks(nothingToChange([mirrors, proxy], []).blocks)).toBe(
      "✅ Registry mirrors, Proxy: nothing to change. The requested nodes are up to date; nodes that are stopped, not managed, frozen or held were left out.\n`{win} mirrors` shows every node",
    );
  });

  test("says of each named node why, and whether all is well", () => {
    const current = left("web-1", { kind: "up-to-date" });
    expect(nothingToChange([mirrors], [current]).text).toBe(
      "✅ Registry mirrors: nothing to change.\n• `web-1` is up to date.",
    );
    expect(nothingToChange([mirrors], [current, left("web-2", { kind: "silent" })]).text).toMatch(/^ℹ️ Registry/);
  });

  test("names ten nodes", () => {
    const many = Array.from({ length: 12 }, (_, at) => left(`web-${at}`, { kind: "silent" }));
    const lines = nothingToChange([mirrors], many).text.split("\n");
    expect([lines.length, lines.at(-1)]).toEqual([12, "and 2 more nodes."]);
  });
});

describe("The end of a request", () => {
  const ended = (...ends: readonly InputEnd[]) =>
    ends.map((end, at) => ({ words: { title: at === 0 ? "Registry mirrors" : "Proxy" }, end }));

  test.each<[string, readonly InputEnd[], string | null, string]>([
    ["held", [{ state: "held" }], null, everyNodeIsHeld],
    ["not begun", [{ state: "not-begun" }], "U0OPERATOR", "not begun. Cancelled by <@U0OPERATOR>."],
    ["refused", [{ state: "refused", why: "it is no list." }], null, "no node was changed: it is no list."],
    [
      "two inputs",
      [{ state: "refused", why: "it is no list" }, { state: "current" }],
      null,
      "Registry mirrors: no node was changed: it is no list. Up to date: Proxy.",
    ],
  ])("says of one that is %s what became of it", (_what, ends, cancelledBy, words) => {
    expect(requestedSummary(ended(...ends), cancelledBy)).toBe(words);
  });

  test("cuts a long reason", () => {
    expect(requestedSummary(ended({ state: "refused", why: "x".repeat(400) }), null)).toBe(
      `no node was changed: ${"x".repeat(300)}.`,
    );
  });
});

describe("A dry run", () => {
  const plan = (more: object = {}) => ({
    words: mirrors,
    nodes: [{ name: "web-1" }],
    items: ["quay.io"],
    why: null,
    ...more,
  });

  test("shows nodes and files, with one node first where there are several", () => {
    const { text, blocks } = reconcileDryRun([plan({ nodes: [{ name: "web-1" }, { name: "web-2" }] })], []);
    expect(text).toBe("*Dry run of Registry mirrors*: 2 nodes would be changed, one first.");
    expect(readBlocks(blocks)).toBe(
      `${text}\nNodes: \`web-1\`, \`web-2\`.\nEach would have: \`quay.io\`.\nTo apply: \`{win} reconcile\``,
    );
  });

  test("shows what would be taken away, what cannot be read, and what is up to date", () => {
    const unread = plan({ words: proxy, nodes: [], why: "it is no URL" });
    const current = plan({ words: { title: "Trusted authorities", emptied: "" }, nodes: [] });
    expect(readBlocks(reconcileDryRun([plan({ items: [] }), unread, current], []).blocks).split("\n")).toEqual([
      "*Dry run of Registry mirrors*: 1 node would be changed.",
      "Nodes: `web-1`.",
      "Each would lose its files.",
      "*Dry run of Proxy*: no node would be changed: it is no URL",
      expect.stringMatching(/^✅ Trusted authorities: nothing to change\./),
      "To apply: `{win} reconcile`",
    ]);
  });

  test("that would change nothing says so", () => {
    expect(reconcileDryRun([plan({ nodes: [] })], []).text).toMatch(/^✅ Registry mirrors: nothing to change\./);
  });
});

test("The first node is reported with the remark on its proof, and a second operation with its remedy", () => {
  expect(writtenOutcome({ written: "the files are written" } as never, "An image was pulled.")).toBe(
    "the files are written. An image was pulled",
  );
  expect(otherOperationChanges(mirrors, "reconcile-1")).toBe(
    "Registry mirrors: `reconcile-1` is already changing nodes. Wait for its end, or cancel it: `{win} cancel reconcile-1`.",
  );
});
