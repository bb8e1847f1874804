import { Readable } from "node:stream";
import { marshall, unmarshall } from "@aws-sdk/util-dynamodb";
import { afterEach, describe, expect, it, vi } from "vitest";
import { createHandler, handler } from "../../lambdas/append-audit/handler.ts";
import type { AppendAnswer } from "../../lambdas/audit/append-request.ts";
import { entryAfter } from "../../lambdas/audit/entry.ts";
import type { DynamoDb, DynamoDbRequest } from "../../lambdas/clients/dynamodb.ts";
import type { Transport } from "../../lambdas/clients/transport.ts";
import { keys } from "../../lambdas/records/ledger-table.ts";
import { operationRecord } from "../messages/records.ts";
import { settings } from "../steps/answering.ts";
import { storedItems } from "../steps/ledger/stored-items.ts";

const DRAIN = "drain-3f9c2a71";
const AT = "2026-11-21T14:00:00.000Z";
const chain = { operation: DRAIN };
const act = { what: "started" } as const;
const append = { kind: "append", chain, entries: [{ mark: "launch", act }] };

const request = { ...operationRecord({ id: DRAIN, requestedAt: "2026-11-20T23:59:00.000Z" }) };

interface Sent {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly path: string;
}

const answered = (statusCode: number, body: object) => ({
  response: { statusCode, headers: {}, body: Readable.from([Buffer.from(JSON.stringify(body))]) },
});

/** Unmarshals a request to DynamoDB, asks the table, and marshals its answer. */
async function fromTable(dynamodb: DynamoDb, action: string, body: string) {
  const sent = JSON.parse(body) as Record<string, Parameters<typeof unmarshall>[0]>;
  const plain = ["Key", "Item", "ExpressionAttributeValues"].flatMap((name) => {
    const value = sent[name];
    return value ? [[name, unmarshall(value)]] : [];
  });
  const asked = { ...sent, ...Object.fromEntries(plain) } as unknown as DynamoDbRequest;
  const { Item, Items } = await dynamodb(action as "Query", asked);
  return { ...(Item ? { Item: marshall(Item) } : {}), ...(Items ? { Items: Items.map((one) => marshall(one)) } : {}) };
}

/** Calls the function by an alias. @returns its answer or error, the copies that it wrote, and its log */
async function called(
  event: unknown,
  { alias = "drain-node", dynamodb = storedItems([[keys.operation(DRAIN), request]]).dynamodb, s3 = 200 } = {},
) {
  const copies: string[] = [];
  const lines: object[] = [];
  const handle = async ({ headers, body, path }: Sent) => {
    const target = headers["x-amz-target"];
    if (target) return answered(200, await fromTable(dynamodb, target.split(".").at(-1) ?? "", body));
    copies.push(path);
    return answered(s3, {});
  };
  const answers = createHandler({
    settings,
    now: () => Date.parse(AT),
    transport: { aws: { handle } } as unknown as Transport,
    log: (line) => void lines.push(JSON.parse(line) as object),
  });
  const answer = await answers(event, { invokedFunctionArn: `arn:aws:lambda:us-west-2:1:function:append:${alias}` });
  return { answer, copies, lines };
}

describe("The function that appends to the audit", () => {
  it("answers with the chain's head, and has the entry copied under the operation's day", async () => {
    const { sequence, hash } = entryAfter({ cluster: "prod-west", chain, head: null }, { at: AT, mark: "launch", act });
    expect(await called(append)).toEqual({
      answer: { head: { sequence, hash } },
      copies: [`/casement/audit/prod-west/2026-11-20/${DRAIN}/0001.json`],
      lines: [],
    });
  });

  it("goes on after the head in the operation's record", async () => {
    const stored = { ...request, audit: { sequence: 6, hash: "h6" } };
    const { answer } = await called(append, { dynamodb: storedItems([[keys.operation(DRAIN), stored]]).dynamodb });
    expect(answer).toMatchObject({ head: { sequence: 7 } });
  });

  it.each([
    [200, true],
    [403, false],
  ])("answers a request for copies, to which S3 says %i, with %s", async (s3, isCopied) => {
    const entry = entryAfter({ cluster: "prod-west", chain, head: null }, { at: AT, mark: "launch", act });
    const stored = storedItems([
      [keys.operation(DRAIN), request],
      [keys.audit(DRAIN, 1), entry],
    ]);
    const { answer, copies } = await called({ kind: "copy", chain }, { dynamodb: stored.dynamodb, s3 });
    expect({ answer, copies: new Set(copies) }).toEqual({
      answer: { isCopied },
      copies: new Set([`/casement/audit/prod-west/2026-11-20/${DRAIN}/0001.json`]),
    });
    expect(stored.asked).not.toContain(`PutItem audit#${DRAIN} 000002`);
  });

  it.each<[string, unknown, string]>([
    ["no command of the caller", { ...append, chain: { operation: "add-3f9c2a71" } }, "drain-node has no part in"],
    ["no kind", { chain }, "kind "],
    ["faults of two fields", { kind: "append", chain: { operation: "x" }, entries: [] }, "; "],
    ["no act", { ...append, entries: [{ mark: "m", act: { what: "x" } }] }, "entries.0.act.what "],
  ])("refuses a request with %s, and logs why", async (_what, event, why) => {
    const { answer, copies, lines } = await called(event);
    expect(answer).toEqual({ refused: expect.stringContaining(why) });
    const { refused } = answer as Extract<AppendAnswer, { refused: string }>;
    expect(lines).toEqual([
      { time: AT, level: "WARN", event: "refusal", action: "append to the audit", why: refused.slice(0, 500) },
    ]);
    expect(copies).toEqual([]);
  });

  it("refuses a caller without an alias of its own", async () => {
    expect((await called(append, { alias: "live" })).answer).toEqual({ refused: `the caller has no part in ${DRAIN}` });
  });
});

describe("A service that does not do its part", () => {
  const unavailable = async (body: object, statusCode: number) => {
    const handle = async () => answered(statusCode, body);
    const transport = { aws: { handle } } as unknown as Transport;
    const answers = createHandler({ settings, now: () => Date.parse(AT), transport, log: () => undefined });
    return answers(append, { invokedFunctionArn: "arn:aws:lambda:us-west-2:1:function:append:drain-node" });
  };

  it("is the answer, with its own words", async () => {
    expect(await unavailable({ __type: "com.amazonaws#AccessDeniedException", message: "no" }, 400)).toEqual({
      failed: { service: "dynamodb", code: "AccessDeniedException", message: "no", status: 400 },
    });
  });

  it("is no answer to a defect, which ends the function with its error", async () => {
    const stored = storedItems([
      [keys.operation(DRAIN), request],
      [keys.audit(DRAIN, 1), { mark: "launch", what: "ended", sequence: 1 }],
    ]);
    await expect(called(append, { dynamodb: stored.dynamodb })).rejects.toThrow(
      `${DRAIN} has another entry with the mark "launch"`,
    );
  });
});

describe("The entry for Lambda", () => {
  afterEach(() => {
    vi.unstubAllEnvs();
    vi.restoreAllMocks();
  });

  it("reads its settings once, from the environment, and logs to standard output", async () => {
    const output = vi.spyOn(process.stdout, "write").mockReturnValue(true);
    const refused = { refused: expect.stringContaining("kind ") };
    const environment = {
      ...{ AWS_REGION: "us-west-2", AWS_ACCESS_KEY_ID: "AKIA", AWS_SECRET_ACCESS_KEY: "secret" },
      ...{ CASEMENT_CLUSTER: "prod-west", CASEMENT_BUCKET: "casement", CASEMENT_LEDGER_TABLE: "casement" },
      ...{ CASEMENT_SLACK_SECRET: "s", CASEMENT_FUNCTIONS: "{}", CASEMENT_DOCUMENTS: "{}" },
    };
    for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
    expect(await handler({}, { invokedFunctionArn: "" })).toEqual(refused);
    vi.stubEnv("CASEMENT_CLUSTER", "");
    expect(await handler({}, { invokedFunctionArn: "" })).toEqual(refused);
    expect(output).toHaveBeenCalledTimes(2);
  });
});
