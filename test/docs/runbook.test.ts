import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { schedules } from "../../lambdas/capabilities/schedules.ts";
import { stageName } from "../../lambdas/messages/operation/stages.ts";
import { codeRemedies, type Place, stageRemedies } from "../../lambdas/messages/remedies/remedies.ts";
import type { Remedy } from "../../lambdas/messages/remedies/remedy.ts";
import { withWord } from "../../lambdas/messages/slack/command-word.ts";
import { failureCodes } from "../../lambdas/records/failures.ts";
import { nodeWorkflows, stagesOf } from "../../lambdas/stages.ts";
import { rulesOf } from "../../lib/event-rules.ts";
import { functionNames } from "../../lib/functions.ts";
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
const failures = globSync("lambdas/{engine,change,capabilities,steps,health,machine}/**/*.ts")
  .flatMap((path) => [
    ...readFileSync(path, "utf8").matchAll(/new (?:StageFailed\(\s*"[a-z-]+",|Refused\()\s*["`]([^"`]*)/g),
  ])
  .flatMap(([, words = ""]) => words.split(/\$\{[^}]*\}?/))
  .map((words) => words.trim().replace(/[:;,]$/, ""))
  .filter((words) => words.length >= 12);

test("explains every sentence with which a stage fails or a request is refused", () => {
  const said = runbook.text.replace(/\s+/g, " ");
  expect(failures.length).toBeGreaterThan(20);
  expect(failures.filter((words) => !said.includes(words))).toEqual([]);
});

const [, chapter = ""] = runbook.text.split("### Likely causes");
const [section = ""] = chapter.split("\n#");

const placeName = (place: Place): string =>
  place === "not-rebooted" ? `${stageName("reboot")}, before the machine was told to reboot` : stageName(place);

const rowOf = (code: string, at: string, row: Remedy): string =>
  `| ${code} | ${at} | ${row.cause} | ${withWord(row.remedy, "/win")} |`;

const places = Object.entries(stageRemedies) as readonly (readonly [Place, (typeof stageRemedies)[Place]])[];

const rows = [
  ...failureCodes.flatMap((code) => {
    const common = codeRemedies[code];
    return [
      ...places.flatMap(([place, { unlike }]) =>
        unlike?.[code] ? [rowOf(`\`${code}\``, placeName(place), unlike[code])] : [],
      ),
      ...(common ? [rowOf(`\`${code}\``, "any", common)] : []),
    ];
  }),
  ...places.map(([place, { own }]) => rowOf("anything else", placeName(place), own)),
];

test("lists the likely cause and the remedy of each code and each stage, in the message's own words, and no others", () => {
  const listed = section.split("\n").filter((line) => line.startsWith("| ") && !line.startsWith("| code |"));
  expect(listed).toEqual(rows);
});

test("names the codes whose likely cause is their stage's, and no others", () => {
  const [, list = ""] = /These codes have the cause of their stage: ([^.]*)\./.exec(section) ?? [];
  expect(list.split(/,\s+/)).toEqual(failureCodes.filter((code) => !codeRemedies[code]).map((code) => `\`${code}\``));
});

test("lists every function by the beginning of its logical id", () => {
  const [, list = ""] = /The functions are ([^.]*)\./.exec(runbook.text) ?? [];
  const idOf = (name: string) => name.replace(/(^|-)([a-z])/g, (_all, _dash, letter: string) => letter.toUpperCase());
  expect([...list.matchAll(/`(\w+)`/g)].map(([, id]) => id)).toEqual(functionNames.map(idOf));
});

test("stops every schedule, and no rule that wakes what runs or calls people", () => {
  expect(runbook.text).toContain('[ "$schedule" = None ] || aws events disable-rule');
  const rules = rulesOf("prod-west");
  expect(rules.filter(({ schedule }) => schedule !== undefined).map(({ name }) => name)).toEqual(
    schedules.map(({ name }) => name),
  );
});
