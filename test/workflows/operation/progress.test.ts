import { expect, it } from "vitest";
import { gatherSeconds, MOST_LOOKS } from "../../../lambdas/workflows/operation/progress.ts";
import { functions } from "../../../lib/functions.ts";

it.each([1, 30])("the watch over %i nodes outlasts each node's execution, however often they change", (nodes) => {
  const looks = Array.from({ length: MOST_LOOKS }, (_, at) => gatherSeconds(at + 1, nodes));
  const seconds = looks.reduce((sum, each) => sum + each, 0);
  expect(seconds).toBeGreaterThan(functions["provision-node"].executionSeconds);
  expect(seconds).toBeLessThan(functions["add-nodes"].executionSeconds);
});
