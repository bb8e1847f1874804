import { expect, test } from "vitest";
import { codeRemedies } from "../../../lambdas/messages/remedies/remedies.ts";
import { isHopeless } from "../../../lambdas/records/failures.ts";
import { launchCodes } from "../../../lambdas/steps/ec2/launch-codes.ts";

test("Each refusal of a launch has a cause and a remedy, and only what may pass offers another try", () => {
  const all = Object.entries(launchCodes).flatMap(([name, meaning]) => (meaning ? [{ name, ...meaning }] : []));
  expect(all.length).toBeGreaterThan(100);
  const strange = all.filter(({ code, group }) => !codeRemedies[code] || (group === "later" && isHopeless({ code })));
  expect(strange).toEqual([]);
  const own = all.filter(({ group }) => group === "ours" || group === "never");
  expect(own.filter(({ code }) => code.startsWith("launch-") && !isHopeless({ code }))).toEqual([]);
});
