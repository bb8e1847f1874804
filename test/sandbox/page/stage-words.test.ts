import { expect, test } from "vitest";
import { stageWords } from "../../../lib/sandbox/page/browser/simulator/stage-words.ts";

test.each([
  ["queued", "", "queued"],
  ["running", "", "running"],
  ["running", "features", "installing Windows features, with one reboot"],
  ["deciding", "features", "needs a decision: Windows features"],
  ["failed", "features", "failed: Windows features"],
  ["cancelled", "features", "cancelled: Windows features"],
  ["succeeded", "restore", "done"],
] as const)("a node that is %s at the stage %j is called %s", (status, stage, words) => {
  expect(stageWords({ stage, status })).toBe(words);
});
