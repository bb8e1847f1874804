import { describe, expect, it } from "vitest";
import { applyCases } from "../../machine-cases/apply-cases.ts";
import { guardCases } from "../../machine-cases/guard-cases.ts";
import { judge, judgeSettled } from "../../machine-cases/judge.ts";
import { observeCases } from "../../machine-cases/observe-cases.ts";
import { questionCases } from "../../machine-cases/question-cases.ts";
import { rebootCases } from "../../machine-cases/reboot-cases.ts";
import { registriesCases } from "../../machine-cases/registries-cases.ts";
import { routeCases } from "../../machine-cases/route-cases.ts";
import { simulated } from "../../machine-cases/simulated.ts";

// The same cases run against the real scripts where pwsh is installed: test/powershell/cases.test.ts.
describe.each([
  ["apply.ps1", applyCases],
  ["guard.ps1", guardCases],
  ["observe.ps1", observeCases],
  ["observe.ps1's questions", questionCases],
  ["reboot.ps1", rebootCases],
  ["registries.ps1", registriesCases],
  ["route.ps1", routeCases],
])("%s on the simulated machine", (_, cases) => {
  it.for(cases)("$name", async (one) => {
    const machine = simulated(one);
    const seen = await machine.run(one);
    judge(one, seen);
    if (one.settles)
      judgeSettled(one, await machine.run({ ...one, before: { ...one.before, later: [] } }), seen.machine);
    expect.hasAssertions();
  });
});
