import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Act, type AuditEntry, type Chain, chainName } from "../../../lambdas/audit/entry.ts";
import { verifyChain } from "../../../lambdas/capabilities/audit/verify.ts";
import { clients } from "../../../lambdas/clients/clients.ts";
import { auditPartition, keys } from "../../../lambdas/records/ledger-table.ts";
import { newNodeRecord } from "../../../lambdas/records/records.ts";
import { type FunctionName, functionNames } from "../../../lib/functions.ts";
import { codePermissionsFor } from "../../../lib/role-permissions.ts";
import { allows } from "../../../lib/sandbox/aws/policy.ts";
import { demo } from "../../../lib/sandbox/demo.ts";
import { place as demoPlace } from "../../../lib/sandbox/demo-account.ts";
import { operationRecord } from "../../messages/records.ts";
import { START, type TestSimulator, testSimulator } from "../test-simulator.ts";

const AT = new Date(START).toISOString();
const TABLE = `arn:aws:dynamodb:${demo.region}:${demo.accountId}:table/${demo.ledgerTable}`;
const DAY = 24 * 60 * 60;
const operation = "add-3f9c2a71";
const whole: Chain = { operation };
const child: Chain = { operation, index: 0 };
const stage = (name: string): Act => ({ what: "started", detail: { stage: name } });

let simulator: TestSimulator;
beforeEach(async () => {
  simulator = await testSimulator();
  await ledger().requested(operationRecord({ id: operation, status: "running", requestedAt: AT, endedAt: null }));
  await ledger().recordNode(newNodeRecord("provision", operation, 0, AT));
});
afterEach(() => simulator.close());

const ledger = () => simulator.as("add-nodes").ledger;
const audit = () => simulator.as("add-nodes").audit;
const entries = (chain = whole) => simulator.as("look").audit.entries(chain);
const headOf = async ({ index }: Chain) =>
  index === undefined ? (await ledger().operation(operation))?.audit : (await ledger().nodes(operation))[index]?.audit;

const verdict = async (chain = whole, hasEnded = false) =>
  verifyChain(await entries(chain), {
    cluster: demo.cluster.name,
    chain: chainName(chain),
    head: (await headOf(chain)) ?? null,
    hasEnded,
  });

/** A write that a function's role makes past the ledger's verbs. */
const write = (principal: FunctionName, action: "PutItem" | "UpdateItem", more: object) =>
  clients(simulator.settings(principal), simulator.transport).dynamodb(action, {
    TableName: demo.ledgerTable,
    ...more,
  });

/** A write by the account's owner, whom no policy binds. */
const tamper = (action: "PutItem" | "DeleteItem", more: object) =>
  simulator.dynamodb.service.answer(
    action,
    {
      method: "POST",
      url: "/",
      headers: { "x-amz-target": `DynamoDB_20120810.${action}`, "content-type": "application/x-amz-json-1.0" },
      body: Buffer.from(JSON.stringify({ TableName: demo.ledgerTable, ...more })),
    },
    { principal: "owner", require: () => undefined, context: {} } as never,
  );

const place = (sequence: number) => {
  const { pk, sk } = keys.audit(chainName(whole), sequence);
  return { Key: { pk: { S: pk }, sk: { S: sk } } };
};

const copies = () =>
  simulator.simulation.store
    .collection<{ key: string; content: string }>("s3-versions")
    .values()
    .filter(({ key }) => key.startsWith("audit/"))
    .map(({ key, content }) => ({ key, entry: JSON.parse(Buffer.from(content, "base64").toString()) as AuditEntry }));

describe("The audit of an operation", () => {
  it("grows by one entry an act, and its head is in the operation's record", async () => {
    const accepted = { ...keys.accepted(operation), requester: { userId: "U0OPERATOR" } };
    await write("front-door", "PutItem", { Item: accepted });
    await audit().append(whole, "requested", { what: "requested", by: { person: "U0OPERATOR", name: "omar" } });
    const head = await audit().append(whole, "stage launch", stage("launch"));
    expect(await verdict()).toEqual({ kind: "intact", head });
    expect(await headOf(whole)).toEqual(head);
    expect((await entries()).map(({ sequence, what, at }) => ({ sequence, what, at }))).toEqual([
      { sequence: 1, what: "requested", at: AT },
      { sequence: 2, what: "started", at: AT },
    ]);
  });

  it("has one entry for a step that was repeated, and refuses another act under the same mark", async () => {
    const once = await audit().append(whole, "stage launch", stage("launch"));
    await simulator.pass(60);
    expect(await audit().append(whole, "stage launch", stage("launch"))).toEqual(once);
    expect(await entries()).toHaveLength(1);
    await expect(audit().append(whole, "stage launch", stage("agent"))).rejects.toThrow('the mark "stage launch"');
  });

  it("takes many entries of one step with few reads, also when the step is repeated", { tags: ["long"] }, async () => {
    const names = Array.from({ length: 30 }, (_, at) => `part ${at + 1}`);
    const appendAll = async (some: readonly string[]) => {
      const before = simulator.simulation.calls.after(0).length;
      await audit().appendAll(
        whole,
        some.map((name) => ({ mark: `stage ${name}`, act: stage(name) })),
      );
      const made = simulator.simulation.calls.after(0).slice(before);
      return made.filter(({ action }) => action === "Query").length;
    };
    await audit().append(whole, "requested", { what: "requested" });
    expect(await appendAll(names.slice(0, 2))).toBe(1);
    expect(await appendAll(names)).toBe(2);
    expect(await appendAll(names)).toBe(2);
    expect(await verdict()).toEqual({ kind: "intact", head: await headOf(whole) });
    expect((await entries()).map(({ mark }) => mark)).toEqual(["requested", ...names.map((name) => `stage ${name}`)]);
    expect(copies()).toHaveLength(31);
  });

  it("keeps the chains of an operation's nodes apart, and the operation's end holds their heads", {
    tags: ["long"],
  }, async () => {
    await audit().append(whole, "requested", { what: "requested" });
    const provisioner = simulator.as("provision-node");
    await provisioner.audit.append(child, "stage launch", stage("launch"));
    await provisioner.ledger.changeNode(operation, 0, { status: "succeeded", endedAt: AT });
    await ledger().changeOperation(operation, { status: "succeeded", endedAt: AT, summary: "1 node is Ready." });
    expect(await verdict(child, true)).toMatchObject({ kind: "intact", head: { sequence: 2 } });
    expect(await verdict(whole, true)).toMatchObject({ kind: "intact", head: { sequence: 2 } });
    expect((await entries()).at(-1)).toMatchObject({
      what: "ended",
      detail: { status: "succeeded", chains: { [`${operation}:0`]: { ...(await headOf(child)) } } },
    });
  });

  it("ends once, although the step that ends the operation is repeated", async () => {
    await audit().append(whole, "requested", { what: "requested" });
    const end = { status: "failed", endedAt: AT, summary: "1 node failed." } as const;
    await ledger().changeOperation(operation, end);
    await ledger().changeOperation(operation, end);
    expect((await entries()).map(({ what }) => what)).toEqual(["requested", "ended"]);
  });

  it("is not begun by an operation's end", async () => {
    await ledger().changeOperation(operation, { status: "not-started", endedAt: AT, summary: "" });
    expect(await entries()).toEqual([]);
    expect(await verdict(whole, true)).toEqual({ kind: "empty" });
  });

  it("goes on after an entry whose head was not written, as a crash leaves it", async () => {
    const first = await audit().append(whole, "requested", { what: "requested" });
    await audit().append(whole, "stage launch", stage("launch"));
    await ledger().changeOperation(operation, { audit: first });
    await audit().append(whole, "stage agent", stage("agent"));
    expect(await verdict()).toMatchObject({ kind: "intact", head: { sequence: 3 } });
    expect(await simulator.as("sweep").audit.lateExports()).toMatchObject([{ chain: whole }]);
  });

  it("expires as a whole, later than the operation's record", async () => {
    await audit().append(whole, "requested", { what: "requested" });
    await simulator.pass(5 * DAY);
    await audit().append(whole, "stage launch", stage("launch"));
    const expiries = (await entries()).map((entry) => (Object(entry).expiresAt ?? 0) - START / 1_000);
    expect(expiries).toEqual([445 * DAY, 445 * DAY]);
  });
});

describe("A changed ledger", () => {
  beforeEach(async () => {
    for (const name of ["launch", "agent", "guard"]) await audit().append(whole, `stage ${name}`, stage(name));
  });

  it("is found when an entry was replaced", async () => {
    const forged = { ...place(2).Key, sequence: { N: "2" }, what: { S: "ended" } };
    await tamper("PutItem", { Item: forged });
    expect(await verdict()).toEqual({ kind: "changed", at: 2 });
  });

  it("is found when an entry was deleted, also the last one, and what comes afterwards covers nothing up", async () => {
    await tamper("DeleteItem", place(3));
    expect(await verdict()).toEqual({ kind: "truncated", at: 3 });
    await audit().append(whole, "stage payload", stage("payload"));
    expect(await verdict()).toEqual({ kind: "missing", at: 3 });
  });

  it("is allowed to no role: entries are inserted, and nothing else is done to them", () => {
    const context = { "dynamodb:LeadingKeys": [auditPartition("remove-3f9c2a71")] };
    const changing = functionNames.filter((name) =>
      ["UpdateItem", "DeleteItem", "BatchWriteItem"].some((action) =>
        allows(codePermissionsFor(name, demoPlace), { action: `dynamodb:${action}`, resource: TABLE, context }),
      ),
    );
    expect(changing).toEqual([]);
  });

  it("is nothing that a function's role can bring about with an update", async () => {
    for (const principal of ["front-door", "add-nodes", "provision-node", "remove-node", "sweep", "look"] as const) {
      const change = {
        Key: keys.audit(chainName(whole), 1),
        UpdateExpression: "SET what = :what",
        ExpressionAttributeValues: { ":what": "ended" },
      };
      await expect(write(principal, "UpdateItem", change), principal).rejects.toThrow(/not authorized|denied/i);
    }
  });

  it("gets no entry from functions that append nothing", async () => {
    for (const principal of ["front-door", "look"] as const) {
      const item = { Item: { ...keys.audit("add-00000000", 1), what: "requested" } };
      await expect(write(principal, "PutItem", item), principal).rejects.toThrow(/not authorized|denied/i);
    }
  });
});

describe("The copies of entries", () => {
  it("are in the bucket as soon as the entries are in the ledger, once each", async () => {
    await audit().append(whole, "requested", { what: "requested" });
    await audit().append(whole, "requested", { what: "requested" });
    const [entry] = await entries();
    const { pk: _pk, sk: _sk, expiresAt: _expiry, ...content } = entry as AuditEntry & Record<string, unknown>;
    expect(copies()).toEqual([{ key: `audit/${demo.cluster.name}/2026-11-21/${operation}/0001.json`, entry: content }]);
    expect(await simulator.as("sweep").audit.lateExports()).toEqual([]);
  });

  it("come later when S3 is away, and hold nothing up", { tags: ["long"] }, async () => {
    const fault = simulator.simulation.faults.inject("aws-5xx", { service: "s3", action: "PutObject" });
    await audit().append(whole, "requested", { what: "requested" });
    expect(await verdict()).toMatchObject({ kind: "intact" });
    expect(copies()).toEqual([]);
    const sweeper = simulator.as("sweep").audit;
    expect(await sweeper.lateExports()).toEqual([{ chain: whole, since: AT }]);
    expect(await sweeper.catchUp(whole)).toBe(false);
    simulator.simulation.faults.end(fault?.id ?? "");
    expect(await sweeper.catchUp(whole)).toBe(true);
    expect(copies()).toHaveLength(1);
    expect(await sweeper.lateExports()).toEqual([]);
  });
});
