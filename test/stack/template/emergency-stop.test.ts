import { expect, test } from "vitest";
import { pageAt } from "../../docs/pages.ts";
import { synthesised } from "./synthesised.ts";

const { ofType } = synthesised();
const runbook = pageAt("docs/runbook.md").lines.join("\n");

test("the loop of the runbook finds every schedule by its name, and no rule that wakes what runs", () => {
  expect(runbook).toContain("for rule in $(res AWS::Events::Rule ''); do");
  // The name of another cluster may begin with this one's.
  expect(runbook).not.toContain("list-rules --name-prefix");
  const rules = ofType("AWS::Events::Rule").map(({ Properties }) => Properties);
  const schedules = rules.filter(({ ScheduleExpression }) => ScheduleExpression);
  expect(schedules.length).toBeGreaterThan(5);
  for (const { Name } of schedules) expect(Name).toMatch(/^casement-prod-west-/);
  expect(rules.filter(({ ScheduleExpression }) => !ScheduleExpression).length).toBeGreaterThan(0);
  expect(ofType("AWS::Scheduler::Schedule")).toEqual([]);
});

test("the door that the runbook closes is the only function that the internet reaches", () => {
  const urls = ofType("AWS::Lambda::Url").map(({ Properties }) => JSON.stringify(Properties.TargetFunctionArn));
  expect(urls).toEqual([expect.stringMatching(/FrontDoor/i)]);
  expect(runbook).toContain(
    'put-function-concurrency --function-name "$(fn FrontDoor)" --reserved-concurrent-executions 0',
  );
});
