import { expect, test } from "vitest";
import { nodeMatches } from "../../lambdas/commands/node-matches.ts";

const node = (name: string, instanceId: string | null, ...addresses: string[]) => ({ name, instanceId, addresses });
const seven = node("ip-10-0-3-7.us-west-2.compute.internal", "i-0ab1200000000000a", "10.0.3.7");
const seventy = node("ip-10-0-3-70.us-west-2.compute.internal", "i-0ab1300000000000b", "10.0.3.70");
const other = node("win-batch", null, "10.0.1.9");
const all = [seventy, seven, other];

test.each([
  ["its name", seven.name, seven],
  ["its instance id", "i-0ab1300000000000b", seventy],
  ["its IP address", "10.0.3.7", seven],
  ["its host name, though another name begins with it", "ip-10-0-3-7", seven],
  ["a unique beginning", "win", other],
  ["a unique beginning of its instance id", "i-0ab13", seventy],
])("finds a node by %s", (_how, typed, found) => {
  expect(nodeMatches(typed, all)).toEqual({ kind: "one", node: found });
});

test.each([
  ["a beginning of several names", "ip-10-0-3", [seventy, seven]],
  ["a beginning of several instance ids", "i-0ab1", [seventy, seven]],
])("lists the nodes that %s fits", (_what, typed, found) => {
  expect(nodeMatches(typed, all)).toEqual({ kind: "several", nodes: found });
});

test.each([
  ["nothing", ""],
  ["another name", "linux-1"],
  ["a beginning of an IP address", "10.0.3"],
])("finds nothing for %s", (_what, typed) => {
  expect(nodeMatches(typed, all)).toEqual({ kind: "none" });
});

test("does not take ip-10-0-3-7 for a beginning of ip-10-0-3-70 when 7 is gone", () => {
  expect(nodeMatches("ip-10-0-3-7", [seventy])).toEqual({ kind: "none" });
});
