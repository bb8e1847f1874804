import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { expectSound, newest, settled } from "../../evidence.ts";
import { asked, impatient } from "../../failing.ts";
import { type Journey, startJourney } from "../../journey.ts";
import { web } from "../../others.ts";
import { ask, confirmRemoval, withSeedNodes } from "../../removal.ts";

type Line = Readonly<Record<string, unknown>>;

const linesOf = (here: Journey): Line[] => here.logged.map(({ line }) => JSON.parse(line) as Line);

let failing: Journey;
let removing: Journey;
let failed: readonly Line[];
let removed: readonly Line[];
let called: readonly Line[];
let removal: { readonly id: string };
let cancelled: { readonly id: string };
let operation = "";

beforeAll(async () => {
  failing = await startJourney({ configuration: impatient });
  const { faults } = failing.simulator.simulation;
  faults.inject("aws-throttle", { service: "ssm" }, 1);
  faults.inject("slack-5xx", { method: "chat.update" }, 2);
  faults.inject("kubernetes-throttle", {}, 1);
  await failing.type("operator", "/win add web 1");
  operation = (await failing.operations())[0]?.id ?? "";
  await failing.until(async () => (await failing.nodes(operation))[0]?.stage === "features", 60);
  faults.inject("agent-never-online", {});
  await asked(failing);
  await failing.press("operator", "terminate-instance");
  await settled(failing);
  failed = linesOf(failing);
  await expectSound(failing);
  await failing.close();

  removing = await withSeedNodes();
  await confirmRemoval(removing, web.name);
  await settled(removing);
  removed = linesOf(removing);
  removal = (await newest(removing)).operation;
  await expectSound(removing);

  const calling = await withSeedNodes();
  await ask(calling, web.name);
  cancelled = (await newest(calling)).operation;
  await calling.type("operator", `/win cancel ${cancelled.id}`);
  await calling.type("operator", `/win cancel ${cancelled.id}`);
  await settled(calling);
  called = linesOf(calling);
  await calling.close();
});
afterAll(() => removing.close());

const events = (lines: readonly Line[], event: string): Line[] => lines.filter((line) => line.event === event);

test("every line is JSON: a metric, or an event with its time and level", () => {
  for (const line of [...failed, ...removed]) {
    if (!("_aws" in line)) expect(line).toMatchObject({ time: expect.any(String), level: expect.any(String) });
  }
});

test("each stage is logged once when it begins and once when it ends, with its operation, instance and execution", () => {
  const stages = events(removed, "stage").map(({ stage, outcome }) => `${stage} ${outcome}`);
  expect(stages).toEqual(
    ["slot", "cordon", "evict", "terminate", "delete"].flatMap((stage) => [`${stage} entered`, `${stage} succeeded`]),
  );
  for (const line of events(removed, "stage"))
    expect(line).toMatchObject({ node: web.name, instance: web.instanceId, index: 0, execution: /^arn:/ });
  expect(new Set(events(failed, "stage").map((line) => line.operation))).toEqual(new Set([operation]));
});

test("a failed stage says how long it took and why", () => {
  expect(events(failed, "stage").at(-1)).toMatchObject({
    level: "WARN",
    stage: "features",
    outcome: "failed",
    seconds: expect.any(Number),
    why: expect.any(String),
  });
});

test("decisions name the person and what was decided", () => {
  expect(events(failed, "decision")).toContainEqual(
    expect.objectContaining({ decision: "policy", by: "U0OPERATOR", command: "add", outcome: "allowed", operation }),
  );
  expect(events(failed, "decision")).toContainEqual(
    expect.objectContaining({ decision: "failed machine", outcome: "terminate", by: "U0OPERATOR", operation }),
  );
});

test("the answer to a removal's dialog is logged once, with its node and person", () => {
  const { id } = removal;
  expect(events(removed, "decision").filter(({ decision }) => decision === "removal")).toEqual([
    expect.objectContaining({ outcome: "submitted", operation: id, node: web.name, by: "U0OPERATOR" }),
  ]);
});

test("a cancellation is logged once, with its operation, node and person, however often it is asked for", () => {
  const { id } = cancelled;
  expect(events(called, "decision").filter(({ decision }) => decision === "cancel")).toEqual([
    expect.objectContaining({ outcome: "requested", operation: id, node: web.name, by: "U0OPERATOR" }),
  ]);
  expect(events(called, "decision").filter(({ decision }) => decision === "removal")).toEqual([]);
});

test("an operation's end is logged once, with its outcome and the stage that failed", () => {
  expect(events(failed, "operation")).toEqual([
    expect.objectContaining({ operation, command: "add", outcome: "failed", stage: "features", by: "U0OPERATOR" }),
  ]);
  const ended = failed.filter((line) => "OperationsEnded" in line);
  expect(ended).toEqual([expect.objectContaining({ Outcome: "failed", Stage: "features", OperationsEnded: 1 })]);
});

test("refusals name the service, the call, the code and the request", () => {
  const refusals = events(failed, "refusal");
  expect(refusals).toContainEqual(
    expect.objectContaining({ service: "ssm", outcome: "throttled", action: expect.stringMatching(/^[A-Z]\w+$/) }),
  );
  expect(refusals).toContainEqual(
    expect.objectContaining({ service: "slack", action: "chat.update", outcome: "unavailable" }),
  );
  expect(refusals).toContainEqual(
    expect.objectContaining({ service: "kubernetes", outcome: "throttled", action: expect.stringMatching(/^GET \//) }),
  );
  expect(failed).toContainEqual(expect.objectContaining({ SlackRefusals: 1, Kind: "unavailable" }));
});

test("commands are logged when they are sent and when they end, by their id", () => {
  const commands = events(failed, "command");
  expect(commands).toContainEqual(expect.objectContaining({ outcome: "sent", commandId: expect.any(String) }));
  expect(commands).toContainEqual(expect.objectContaining({ outcome: "done", script: "apply", operation }));
});

test("no address for answers and no private key is in any line", () => {
  const all = JSON.stringify([failing.logged, removing.logged]);
  expect(all).not.toMatch(/PRIVATE KEY|client-key-data|hooks\.slack|response_url/);
});

const section = readFileSync("docs/runbook.md", "utf8").split("\n## Read the logs\n")[1]?.split("\n## ")[0] ?? "";
const queries = [...section.matchAll(/```text\n([\s\S]*?)```/g)].map(([, query = ""]) => query);
const WORDS = /^(fields|filter|sort|stats|limit|and|by|as|asc|desc|count|avg|max|calls)$/;

test("the runbook has the queries", () => expect(queries).toHaveLength(3));

test.each(queries)("the query names fields that lines have, and finds some: %s", (query) => {
  const lines = [...failed, ...removed];
  const named = query.replaceAll(/"[^"]*"/g, "").match(/[A-Za-z]\w*/g) ?? [];
  const known = new Set(lines.flatMap((line) => Object.keys(line)));
  expect(named.filter((name) => !WORDS.test(name) && !known.has(name))).toEqual([]);
  const wanted = [...query.matchAll(/(\w+) = "([^"]*)"/g)];
  const meets = (line: Line) =>
    wanted.every(([, name = "", value = ""]) => line[name] === value.replace(/^add-\w+$/, operation));
  expect(lines.filter(meets).length).toBeGreaterThan(1);
});
