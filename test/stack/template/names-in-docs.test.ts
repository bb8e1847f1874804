import { expect, test } from "vitest";
import { anchorOf } from "../../../lib/sandbox/page/runbook.ts";
import { pageAt } from "../../docs/pages.ts";
import { synthesised } from "./synthesised.ts";

const runbook = pageAt("docs/runbook.md");
const guides = ["docs/deploy.md", "docs/upgrade.md"].map(pageAt);
const { ofType, template } = synthesised();

test("the runbook has the section that each alarm links", () => {
  const anchors = runbook.headings.map(anchorOf);
  const alarms = ofType("AWS::CloudWatch::Alarm").map(({ Properties }) => String(Properties.AlarmDescription));
  const leadsSomewhere = (description: string): boolean =>
    anchors.includes(/docs\/runbook\.md#([\w-]+)/.exec(description)?.[1] ?? "");
  expect(alarms.length).toBeGreaterThan(0);
  expect(alarms.filter((description) => !leadsSomewhere(description))).toEqual([]);
});

test("the runbook finds functions and their logs by names that the stack gives them", () => {
  const asked = [...runbook.text.matchAll(/\b(?:fn|logs) ([A-Z][A-Za-z]+)/g)].map(([, name = ""]) => name);
  for (const type of ["AWS::Lambda::Function", "AWS::Logs::LogGroup"]) {
    const ids = ofType(type).map(({ id }) => id);
    expect(asked.filter((name) => ids.filter((id) => id.startsWith(name)).length !== 1)).toEqual([]);
  }
});

test("the guides name outputs that the stack has", () => {
  const outputs = Object.keys(template.toJSON().Outputs);
  const named = [
    ...guides
      .flatMap(({ lines }) => lines)
      .flatMap((line) => [...line.matchAll(/\boutput ([A-Z]\w+)/g)].map(([, name = ""]) => name)),
    ...guides.flatMap(({ spans }) => spans).filter((span) => /^[A-Z][a-z]+[A-Za-z]*$/.test(span)),
  ];
  expect(named.length).toBeGreaterThan(0);
  expect(named.filter((name) => !outputs.includes(name))).toEqual([]);
});
