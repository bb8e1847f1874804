import { typeThis } from "../command/syntax.ts";
import { code, counted, plain, some } from "../slack/text.ts";
import { withoutCovered } from "./covered-findings.ts";
import type { Area, Finding } from "./finding.ts";
import { broken, type FindingText } from "./finding-text.ts";
import { imageMissing, launchRefused, wordsOfFinding } from "./findings.ts";

type NoAnswer = Extract<Finding, { kind: "no-answer" }>;

/** Most affected resources that a finding names. */
const MOST = 8;

/** Service that is asked in an area, for errors that do not name it; agents are asked through AWS. */
const askedIn: Readonly<Record<Area, string>> = { AWS: "AWS", Nodes: "AWS", Cluster: "the cluster", Slack: "Slack" };

const serviceOf = ({ area, service = askedIn[area] }: NoAnswer): string => service;

/** Key of a finding's cause: findings with the same key are one problem with one remedy. */
function causeOf(finding: Finding): string {
  const { kind } = finding;
  if (kind === "no-answer") return JSON.stringify([kind, serviceOf(finding), finding.throttled ?? finding.why]);
  if (kind === "launch-refused" || kind === "image-missing") return JSON.stringify([kind, finding.why]);
  return JSON.stringify(finding);
}

/** "EC2 throttled 10 checks: the subnets, …" */
function unanswered(first: NoAnswer, all: readonly NoAnswer[]): FindingText {
  const { area, why, throttled } = first;
  const what = some([...new Set(all.map((one) => plain(one.what)))], MOST);
  const checks = counted(all.length, "check");
  const says = throttled
    ? `${plain(serviceOf(first))} throttled ${checks}: ${what} (${plain(why)})`
    : `${plain(serviceOf(first))} did not answer ${checks}: ${what} (${plain(why)})`;
  return { area, level: "unclear", says, remedy: `try again in a minute: ${typeThis("doctor")}` };
}

function wordsOfGroup(group: readonly Finding[]): FindingText[] {
  const [first] = group;
  if (!first) return [];
  if (group.length === 1) return [wordsOfFinding(first)];
  const same = <K extends Finding["kind"]>(kind: K) =>
    group.filter((one): one is Extract<Finding, { kind: K }> => one.kind === kind);
  const pools = (of: readonly { readonly pool: string }[]): string =>
    some(
      of.map(({ pool }) => code(pool)),
      MOST,
    );
  if (first.kind === "no-answer") return [unanswered(first, same("no-answer"))];
  if (first.kind === "launch-refused")
    return [broken("AWS", ...launchRefused(pools(same("launch-refused")), first.why))];
  if (first.kind === "image-missing") return [broken("AWS", ...imageMissing(pools(same("image-missing")), first.why))];
  return [wordsOfFinding(first)];
}

/** Texts of findings, safe inside mrkdwn; findings with one cause share a text that lists the affected resources. */
export const wordsOfFindings = (findings: readonly Finding[]): FindingText[] =>
  [...Map.groupBy(withoutCovered(findings), causeOf).values()].flatMap((group) => wordsOfGroup(group));
