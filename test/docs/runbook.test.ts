import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { schedules } from "../../lambdas/capabilities/schedules.ts";
import { NO_NODE_CHANGED } from "../../lambdas/errors.ts";
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

/** Everything that the product says, without comments: its code, its scripts, and the policies that it brings. */
const product = globSync(["lambdas/**/*.{ts,ps1}", "lib/constructs/*.ts", "lib/manifests/*.yaml"])
  .map((path) => readFileSync(path, "utf8").replace(/^\s*(?:\/?\*|\/\/|import ).*$/gm, ""))
  .join("\n")
  .replaceAll("{win}", "/win")
  .replace(/\$\{NO_NODE_CHANGED\}/g, NO_NODE_CHANGED)
  .replace(/[\\`*]/g, "");

/** Quotations that no code has: words of Slack, Windows, PowerShell, kubectl and Go, and one that code makes of single words. */
const KNOWN: ReadonlySet<string> = new Set([
  "dispatch_failed",
  "The process cannot access the file",
  "There is not enough space on the disk",
  "The RPC server is unavailable",
  "Undoing changes",
  "is not digitally signed",
  "the server has asked for the client to provide credentials",
  "proxyconnect tcp",
  "runs and is billed, and has no Node",
]);

/** Sentences between quotation marks, of each paragraph, list item and row. */
const quoted = runbook.text
  .replace(/```[\s\S]*?```/g, "")
  .replace(/`[^`\n]*"[^`\n]*`/g, "")
  .split(/\n\s*\n|\n(?=\s*[-|\d])/)
  .flatMap((paragraph) => [...paragraph.replace(/\s+/g, " ").matchAll(/"([^"]+)"/g)].map(([, words = ""]) => words));

/** Seams of a sentence: what is filled in (left out, numbers, names with a dot or a slash inside), colons and brackets. */
const SEAMS = /…|<[^>]+>|\b\d+\b|\bUTC\b|\S*\w[.\\/=]\w\S*|[:()]/;

/** Runs of words that the product says at once, from the longest one on; null if there is a word that it does not know. */
function runsOf(words: readonly string[]): number | null {
  if (words.length === 0) return 0;
  for (let length = words.length; length > 0; length -= 1) {
    if (!product.includes(words.slice(0, length).join(" "))) continue;
    const rest = runsOf(words.slice(length));
    return rest === null ? null : rest + 1;
  }
  return null;
}

test("quotes the words of the product as they are now, and few of others", () => {
  const parts = quoted.flatMap((words) =>
    words
      .replaceAll("`", "")
      .split(SEAMS)
      .map((part) => part.replace(/^[\s,.;/]+|[\s,.;/]+$/g, ""))
      .filter((part) => part.length >= 12),
  );
  expect(parts.length).toBeGreaterThan(250);
  // A sentence is put together from two or three places at most.
  const strange = [...new Set(parts)].filter((part) => (runsOf(part.split(" ")) ?? 9) > 3);
  expect(strange.toSorted()).toEqual([...KNOWN].toSorted());
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
