import { expect, test } from "vitest";
import { clusterInputs, inputs } from "../../lambdas/inputs/list.ts";

test("every input has its own schedule and its own names of steps, so that one execution can give several", () => {
  const all = Object.entries(inputs);
  for (const values of [all.map(([, { rule }]) => rule), all.map(([, { words }]) => words.noun)])
    expect(new Set(values).size).toBe(all.length);
  for (const [name, input] of all) expect(input.name).toBe(name);
  expect(Object.values(inputs)).toEqual(expect.arrayContaining([...clusterInputs]));
});
