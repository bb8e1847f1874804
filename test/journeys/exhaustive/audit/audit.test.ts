import { afterEach, expect, test } from "vitest";
import { expectSound, newest, settled } from "../../evidence.ts";
import { type Journey, startJourney } from "../../journey.ts";
import { shortName, web } from "../../others.ts";
import { endFault, injectFault } from "../../outside.ts";
import { openly, privately } from "../../reading.ts";
import { release } from "../../releases.ts";
import { confirmRemoval, withSeedNodes } from "../../removal.ts";
import type { Name } from "../../slack-users.ts";
import { copiesOf, erase, forge } from "./tampering.ts";

let here: Journey;
afterEach(() => here.close());

/** Types a look and returns its answer. */
async function answer(user: Name, text: string): Promise<string> {
  await here.type(user, text);
  await settled(here, 2);
  return privately(here, user).at(-1) ?? "";
}

/** Rows of the table without their times: place, what and by, and the facts below them in one line. */
const rows = (told: string): string[][] =>
  told
    .split(/^(?=\d{4}-\d\d-\d\d )/m)
    .slice(1)
    .map((row) => {
      const [line = "", ...below] = row.split("\n");
      return [
        ...line.split(/ {3,}/).slice(1),
        below
          .filter((one) => one.startsWith("  "))
          .map((one) => one.trim())
          .join(" "),
      ];
    });

async function added(): Promise<string> {
  await here.type("operator", '/win add web --reason "more load"');
  await settled(here);
  return (await newest(here)).operation.id;
}

async function removed(): Promise<string> {
  await confirmRemoval(here, web.name);
  await settled(here);
  return (await newest(here)).operation.id;
}

test("the audit of an add shows who requested it and every stage of the node, in two intact chains", async () => {
  here = await startJourney();
  const id = await added();
  const told = await answer("approver", `/win audit ${id}`);
  expect(told).toMatch(new RegExp(`✅ \`${id}\`: chain intact, 2 entries, head \`[0-9a-f]{12}\`, same as its copies`));
  expect(told).toMatch(
    new RegExp(`✅ \`${id}:0\`: chain intact, \\d+ entries, head \`[0-9a-f]{12}\`, same as its copies`),
  );
  const [request, ...rest] = rows(told);
  expect(request?.slice(0, 3)).toEqual(["1", "requested", "olivia"]);
  expect(request?.at(-1)).toMatch(new RegExp(`^Add 1 node to web: more load ${id} [0-9a-f]{12}$`));
  const details = rest.map((row) => row.at(-1) ?? "");
  for (const part of ["launch", "launch the instance: pool: web", "client-csr", "remove the start-up taint"])
    expect(
      details.some((detail) => detail.startsWith(part)),
      part,
    ).toBe(true);
  expect(details).toContainEqual(expect.stringMatching(/^succeeded: 1 node is Ready\. /));
  await expectSound(here);
});

test("the head stands in the last message and in the log line of the end, and every entry has its copy", async () => {
  here = await withSeedNodes();
  const id = await removed();
  const { audit } = (await newest(here)).operation;
  const head = audit?.hash.slice(0, 12) ?? "none";
  expect(openly(here).find((message) => message.includes(id))).toContain(`audit \`${head}\``);
  const line = here.logged.find(({ line }) => line.includes('"event":"operation"') && line.includes(id))?.line ?? "{}";
  expect(JSON.parse(line)).toMatchObject({ outcome: "succeeded", audit: head });
  const keys = copiesOf(here).flatMap(({ key }) => (key.includes(id) ? [key.split("/").at(-1)] : []));
  expect(keys).toEqual(
    Array.from({ length: audit?.sequence ?? 0 }, (_, at) => `${String(at + 1).padStart(4, "0")}.json`),
  );
});

test("the audit of a removal shows question, answer, stages and changes in their order", async () => {
  here = await withSeedNodes();
  const id = await removed();
  const told = await answer("approver", `/win audit ${id}`);
  const end = new RegExp(`(: pool.*)?( ${web.name})? ${id}\\S* [0-9a-f]{12}$`);
  expect(rows(told).map((row) => [row[1], row.at(-1)?.replace(end, "")].join(" "))).toEqual([
    `requested Remove ${shortName(web)}`,
    "asked confirm the removal",
    "decided confirm the removal: submitted",
    "started slot",
    "started cordon",
    "changed cordon",
    "started evict",
    expect.stringMatching(/^evicted \d+ pods?$/),
    "started terminate",
    "changed terminate the instance",
    "started delete",
    "changed delete the Node",
    `ended succeeded: ${web.name} was removed and its instance terminated.`,
  ]);
});

test("an audit is found by node, by person and by days, and answers in private within 20 s", async () => {
  here = await withSeedNodes();
  const id = await removed();
  for (const typed of [web.name, web.instanceId, "@olivia", "<@U0OPERATOR|olivia>", "--days 1", ""]) {
    const before = Date.now();
    const told = await answer("approver", `/win audit ${typed}`);
    expect(told, typed).toContain(`✅ \`${id}\`: chain intact`);
    expect(told, typed).toContain(`Remove ${shortName(web)}`);
    expect(Date.now() - before).toBeLessThan(20_000);
  }
  expect(await answer("approver", "/win audit @nadia")).toContain("No audit of `nadia` in the last 30 days");
  expect(await answer("approver", "/win audit remove-00000000")).toContain("no operation remove-00000000");
  expect(openly(here).join("\n")).not.toContain("Audit of");
});

test("who may not see the audit is told so", async () => {
  here = await startJourney();
  await here.type("operator", "/win audit");
  await settled(here, 2);
  expect(privately(here, "operator").at(-1)).toMatch(/role|permission|allow/i);
  expect(privately(here, "operator").join("\n")).not.toContain("chain");
});

test("an entry that was changed or erased in the ledger's table is named", async () => {
  here = await withSeedNodes();
  const operation = await removed();
  await forge(here, { operation }, 3, "U0VISITOR0");
  expect(await answer("approver", `/win audit ${operation}`)).toContain(
    `❌ \`${operation}\`: *entry 3 was changed, or inserted there*`,
  );
  await erase(here, { operation }, 3);
  expect(await answer("approver", `/win audit ${operation}`)).toContain(`❌ \`${operation}\`: *entry 3 is missing*`);
  expect(await answer("approver", "/win audit --days 1")).toContain(`❌ \`${operation}\`: *entry 3 is missing*`);
});

test("a removal goes on while S3 takes no copies; the doctor says so, and the sweep copies them later", async () => {
  here = await withSeedNodes();
  const fault = injectFault(here, "aws-5xx", { service: "s3", action: "PutObject" });
  const id = await removed();
  expect((await newest(here)).operation).toMatchObject({ status: "succeeded" });
  expect(copiesOf(here).filter(({ key }) => key.includes(id))).toEqual([]);
  expect(await answer("approver", `/win audit ${id}`)).toContain("chain intact, 13 entries");
  expect(await answer("approver", `/win audit ${id}`)).toContain("not copied to the bucket yet");
  expect(await answer("operator", "/win doctor")).toContain("The audit of 1 operation is not in the bucket yet");
  endFault(here, fault);
  await here.until(() => copiesOf(here).filter(({ key }) => key.includes(id)).length === 13, 20, "the copies");
  expect(await answer("operator", "/win doctor")).not.toContain("not in the bucket yet");
});

test("a deployment that changes people or policy is announced in the channel once, with its difference", async () => {
  here = await startJourney();
  const announced = () => openly(here).filter((message) => message.includes("changed who may do what"));
  await here.pass(20);
  expect(announced()).toEqual([]);
  const { policy, people } = here.configuration;
  release(here, { people: { ...people, approver: ["U0VISITOR0"] }, policy: { ...policy, remove: ["approver"] } });
  await here.until(() => announced().length > 0, 20, "the announcement");
  expect(announced()[0]).toContain("`people.approver`: added <@U0VISITOR0>; removed <@U0APPROVER>");
  expect(announced()[0]).toContain("`policy.remove`: added `approver`; removed `operator`");
  expect(announced()[0]).not.toContain("policy.add");
  release(here, {
    people: { ...people, approver: ["U0VISITOR0"] },
    policy: { ...policy, remove: ["approver"] },
    runbook: "https://example.com/book",
  });
  await here.pass(35);
  expect(announced()).toHaveLength(1);
});
