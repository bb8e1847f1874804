import { describe, expect, test } from "vitest";
import { confirmedPaths, expectationAt, removedPaths, sentFiles } from "../../lambdas/inputs/sent-files.ts";
import type { SentInput } from "../../lambdas/records/machine-record.ts";

const file = (path: string, sha256 = path) => ({ path, sha256 });
const [a, b, c] = [file("a"), file("b"), file("c")];
const sent = (fields: object): SentInput => ({
  sha256: "s",
  owner: "reconcile-1",
  at: "2026-11-21T12:00:00Z",
  ...fields,
});
const confirmed = sent({ files: [a, b] });
/** It had `a`, and may have `b`. */
const open = sent({ files: [b], unconfirmed: { before: { sha256: "r", files: [a] }, sent: [b, file("b", "b2")] } });
const first = sent({ files: [c], unconfirmed: { before: null, sent: [c] } });

describe("The files of a machine's record", () => {
  test("are there for sure once the machine has confirmed them", () => {
    expect(sentFiles(undefined)).toEqual({ has: [], may: [] });
    expect(sentFiles(sent({}))).toEqual({ has: [], may: [] });
    expect(sentFiles(confirmed)).toEqual({ has: [a, b], may: [] });
    expect(sentFiles(open)).toEqual({ has: [a], may: [b, file("b", "b2")] });
    expect(sentFiles(first)).toEqual({ has: [], may: [c] });
    expect([...confirmedPaths([confirmed, open, first])]).toEqual(["a", "b"]);
  });

  test("are removed where a content has them no longer, also those that may be there", () => {
    const content = (...paths: string[]) => ({ sha256: "s", files: paths.map((path) => ({ path })) }) as never;
    const none = () => false;
    expect(removedPaths(content("a"), undefined, none)).toEqual([]);
    expect(removedPaths(content("c"), sent({ files: [b, a] }), none)).toEqual(["a", "b"]);
    expect(removedPaths(content("a"), open, none)).toEqual(["b"]);
    expect(removedPaths(content(), open, (path) => path === "a")).toEqual(["b"]);
  });

  test("may have been edited where the machine has them, and are expected as they were sent where it may", () => {
    expect(expectationAt("a", confirmed, ["x"])).toEqual({});
    expect(expectationAt("b", open, ["x", "b"])).toEqual({ expects: ["x", "b", "b2"] });
    expect(expectationAt("c", open)).toEqual({ expects: [] });
    expect(expectationAt("a", undefined, ["x"])).toEqual({ expects: ["x"] });
  });
});
