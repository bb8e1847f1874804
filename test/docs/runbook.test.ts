import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { commonRemedies, stageRemedies } from "../../lambdas/messages/operation/remedies.ts";
import type { Remedy } from "../../lambdas/messages/operation/remedy.ts";
import { stageName } from "../../lambdas/messages/operation/stages.ts";
import { withWord } from "../../lambdas/messages/slack/command-word.ts";
import { nodeWorkflows, type StageName, stagesOf } from "../../lambdas/stages.ts";
import { pageAt } from "./pages.ts";

const runbook = pageAt("docs/runbook.md");

const names = [...new Set(nodeWorkflows.flatMap(stagesOf).map(({ name }) => name))];

test.each(names)("has a section for the stage %s, by the name that people read", (stage) => {
  expect(runbook.headings).toContain(`Stage: ${stageName(stage)}`);
});

test("has no section for a stage that no workflow enters", () => {
  const sections = runbook.headings.filter((heading) => heading.startsWith("Stage: "));
  expect(sections.toSorted()).toEqual(names.map((stage) => `Stage: ${stageName(stage)}`).toSorted());
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

function saysOf({ says, beforeReboot }: Remedy): string {
  const pieces = says.length === 0 ? "anything else" : says.map((piece) => `"${piece}"`).join(", ");
  if (beforeReboot === undefined) return pieces;
  return `${pieces}, ${beforeReboot ? "before" : "after"} the machine was told to reboot`;
}

const rowOf = (stage: string, row: Remedy): string =>
  `| ${stage} | ${saysOf(row)} | ${row.cause} | ${withWord(row.remedy, "/win")} |`;

const rows = [
  ...Object.entries(stageRemedies).flatMap(([stage, ofStage]) =>
    ofStage.map((row) => rowOf(stageName(stage as StageName), row)),
  ),
  ...commonRemedies.map((row) => rowOf("any", row)),
];

test("lists the likely cause and the remedy that a failure's message gives, each in the message's own words", () => {
  const [, chapter = ""] = runbook.text.split("### Likely causes");
  const [section = ""] = chapter.split("\n#");
  const listed = section.split("\n").filter((line) => line.startsWith("| ") && !line.startsWith("| stage |"));
  expect(listed).toEqual(rows);
});
