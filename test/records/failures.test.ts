import { expect, it } from "vitest";
import { bareName, codeOf, codeOfScript, isHopeless } from "../../lambdas/records/failures.ts";

it.each([
  ["StageFailed:disk-full", "disk-full", "StageFailed"],
  ["StageFailed", undefined, "StageFailed"],
  ["StageFailed:nobody-knows-this", undefined, "StageFailed:nobody-knows-this"],
  // Without a name before it, a code is the name of another error.
  ["disk-full", undefined, "disk-full"],
  [":disk-full", undefined, ":disk-full"],
  ["Throttling", "aws-throttled", "Throttling"],
])("the error %s has the code %s and the name %s", (name, code, bare) => {
  expect([codeOf({ name }), bareName({ name })]).toEqual([code, bare]);
});

it("a script's code that this release does not know is that of any script", () => {
  expect([codeOfScript({ code: "disk-full" }), codeOfScript({ code: "later" }), codeOfScript({})]).toEqual([
    "disk-full",
    "script-failed",
    "script-failed",
  ]);
});

it("a failure recurs until a person changes something, or may not recur", () => {
  expect([isHopeless({ code: "subnet-full" }), isHopeless({ code: "aws-throttled" }), isHopeless({})]).toEqual([
    true,
    false,
    false,
  ]);
});
