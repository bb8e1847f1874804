import { expect, test } from "vitest";
import { codeRemedies } from "../../../lambdas/messages/remedies/remedies.ts";
import { isHopeless } from "../../../lambdas/records/failures.ts";
import { launchCodes } from "../../../lambdas/steps/ec2/launch-codes.ts";

test("Each refusal of a launch has a cause and a remedy, and only what may pass offers another try", () => {
  const all = Object.entries(launchCodes).flatMap(([name, meaning]) => (meaning ? [{ name, ...meaning }] : []));
  const strange = all.filter(({ code, group }) => !codeRemedies[code] || (group === "later" && isHopeless({ code })));
  expect(strange).toEqual([]);
  const lasting = all.filter(({ group }) => group === "ours" || group === "never");
  expect(lasting.filter(({ code }) => !isHopeless({ code }))).toEqual([]);
});

test("Every code of EC2's API Reference that a launch may answer has its group", () => {
  const groups = Object.groupBy(Object.values(launchCodes), (meaning) => meaning?.group ?? "ours");
  const counts = Object.entries(groups).map(([group, codes]) => [group, codes?.length]);
  expect(Object.fromEntries(counts)).toEqual({ "next place": 26, later: 24, never: 29, ours: 102 });
});
