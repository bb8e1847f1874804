import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { stageName } from "../../lambdas/messages/stages.ts";
import { provisionStages, removeStages } from "../../lambdas/records.ts";
import { synthesised } from "../stack/synthesised.ts";
import { anchorOf, pageAt } from "./pages.ts";

const runbook = pageAt("docs/runbook.md");
const { ofType } = synthesised();

test.each([...provisionStages, ...removeStages])(
  "has a section for the stage %s, by the name that people read",
  (stage) => {
    expect(runbook.headings).toContain(`Stage: ${stageName(stage)}`);
  },
);

test("has the section that each alarm links", () => {
  const anchors = runbook.headings.map(anchorOf);
  const alarms = ofType("AWS::CloudWatch::Alarm").map(({ Properties }) => String(Properties.AlarmDescription));
  const leadsSomewhere = (description: string): boolean =>
    anchors.includes(/docs\/runbook\.md#([\w-]+)/.exec(description)?.[1] ?? "");
  expect(alarms.length).toBeGreaterThan(0);
  expect(alarms.filter((description) => !leadsSomewhere(description))).toEqual([]);
});

test("finds functions and their logs by names that the stack gives them", () => {
  const asked = [...runbook.text.matchAll(/\b(?:fn|logs) ([A-Z][A-Za-z]+)/g)].map(([, name = ""]) => name);
  for (const type of ["AWS::Lambda::Function", "AWS::Logs::LogGroup"]) {
    const ids = ofType(type).map(({ id }) => id);
    expect(asked.filter((name) => ids.filter((id) => id.startsWith(name)).length !== 1)).toEqual([]);
  }
});

/** Words with which stages fail and requests are refused, without what is filled in. */
const failures = globSync("lambdas/{workflows,steps,desired}/**/*.ts")
  .flatMap((path) => [...readFileSync(path, "utf8").matchAll(/new (?:StageFailed|Refused)\(\s*["`]([^"`]*)/g)])
  .flatMap(([, words = ""]) => words.split(/\$\{[^}]*\}?/))
  .map((words) => words.trim().replace(/[:;,]$/, ""))
  .filter((words) => words.length >= 12);

test("explains every sentence with which a stage fails or a request is refused", () => {
  const said = runbook.text.replace(/\s+/g, " ");
  expect(failures.length).toBeGreaterThan(20);
  expect(failures.filter((words) => !said.includes(words))).toEqual([]);
});
