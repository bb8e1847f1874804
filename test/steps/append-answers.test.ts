import { describe, expect, test } from "vitest";
import { AwsError } from "../../lambdas/clients/aws-call.ts";
import { contentHash, type Input } from "../../lambdas/inputs/input.ts";
import { inputStore } from "../../lambdas/steps/input-store.ts";
import { audit } from "../../lambdas/steps/ledger/audit.ts";
import { fleet } from "../../lambdas/steps/machine/fleet.ts";
import { type Answers, answering, held, holding } from "./answering.ts";

const thrown = (promise: Promise<unknown>): Promise<unknown> => promise.catch((error: unknown) => error);
const refusal =
  (name: string, message = "no") =>
  () => ({ status: 400, body: { __type: name, message } });

describe("The function that appends to the audit", () => {
  const chain = { operation: "add-3f9c2a71", index: 2 };
  const act = { what: "started" } as const;
  const head = { sequence: 7, hash: "h" };
  const appending = (answer: object, functions: Record<string, string> = { "append-audit": "append:live" }) => {
    const { context, asked } = answering({ UpdateItem: () => ({ body: {} }) });
    const invoked: unknown[] = [];
    const invoke = async (...call: unknown[]) => {
      invoked.push(call);
      return answer as Record<string, unknown>;
    };
    const verbs = audit({
      ...context,
      clients: { ...context.clients, invoke },
      settings: { ...context.settings, functions },
    });
    return { verbs, asked, invoked };
  };

  test("is asked with chain, mark and act, and its head is kept with the chain's record", async () => {
    const { verbs, asked, invoked } = appending({ head });
    expect(await verbs.append(chain, "m", act)).toEqual(head);
    expect(invoked).toEqual([["append:live", { kind: "append", chain, entries: [{ mark: "m", act }] }]]);
    expect(asked).toMatchObject([
      { action: "UpdateItem", input: { ExpressionAttributeValues: { ":v0": { M: { sequence: { N: "7" } } } } } },
    ]);
  });

  test("gets at most 25 entries at once, in their order", async () => {
    const { verbs, invoked } = appending({ head });
    await verbs.appendAll(
      chain,
      Array.from({ length: 26 }, (_, at) => ({ mark: `m${at}`, act })),
    );
    const marks = invoked.map((call) =>
      (call as [string, { entries: { mark: string }[] }])[1].entries.map(({ mark }) => mark),
    );
    expect(marks.map(({ length }) => length)).toEqual([25, 1]);
    expect([marks[0]?.[0], marks[1]]).toEqual(["m0", ["m25"]]);
  });

  test.each<[string, object, Error]>([
    ["refuses", { refused: "another act" }, new Error("append-audit refused an entry of add-3f9c2a71:2: another act")],
    ["gives no head", { isCopied: true }, new Error("append-audit answered without a head")],
  ])("is an error where it %s", async (_what, answer, error) => {
    expect(await thrown(appending(answer).verbs.append(chain, "m", act))).toEqual(error);
  });

  test("passes on a service's failure, as that service's own", async () => {
    const failed = { service: "dynamodb", code: "ThrottlingException", message: "slow", status: 400 };
    const error = await thrown(appending({ failed }).verbs.append(chain, "m", act));
    expect(error).toBeInstanceOf(AwsError);
    expect(error).toMatchObject({
      name: "ThrottlingException",
      message: "slow",
      service: "dynamodb",
      $metadata: { httpStatusCode: 400 },
    });
  });

  test("has the copies of chains written that S3 did not take, the longest delay first", async () => {
    const item = {
      chain: { M: { operation: { S: "add-1" } } },
      since: { S: "2026-11-21T14:00:00.000Z" },
      pk: { S: "x" },
    };
    const { context, asked } = answering({ Query: () => ({ body: { Items: [item] } }) });
    expect(await audit(context).lateExports()).toEqual([
      { chain: { operation: "add-1" }, since: "2026-11-21T14:00:00.000Z" },
    ]);
    expect(asked).toMatchObject([{ action: "Query", input: { ScanIndexForward: true } }]);
  });

  test("must be named by the settings", async () => {
    expect(await thrown(appending({ head }, {}).verbs.append(chain, "m", act))).toEqual(
      new Error("the settings name no function that appends to the audit"),
    );
  });

  test.each([
    [{ isCopied: true }, true],
    [{ isCopied: false }, false],
    [{ head }, false],
  ])("has written the missing copies with %j: %s", async (answer, isCopied) => {
    const { verbs, invoked } = appending(answer);
    expect(await verbs.catchUp(chain)).toBe(isCopied);
    expect(invoked).toEqual([["append:live", { kind: "copy", chain }]]);
  });
});

describe("The copy of an entry", () => {
  const place = { cluster: "prod-west", chain: "add-3f9c2a71", sequence: 1 };
  const missing = "<Error><Code>NoSuchKey</Code><Message>no</Message></Error>";
  const copy = async (
    days: Parameters<ReturnType<typeof audit>["copy"]>[1],
    ...answers: readonly (string | null)[]
  ) => {
    let reads = 0;
    const { context } = answering({
      "": () => {
        const answer = answers[reads++] ?? null;
        return answer === null ? { status: 404, body: missing } : { body: answer };
      },
    });
    return { result: await thrown(audit(context).copy(place, days)), reads };
  };
  const request = "2026-11-21T23:59:00.000Z";

  test("is that of the request's day, or of the entry's where the last release wrote it", async () => {
    expect(await copy({ request }, '{"sequence":1}')).toEqual({ result: { sequence: 1 }, reads: 1 });
    expect(await copy({ request, entry: "2026-11-22T00:01:00.000Z" }, null, '{"sequence":2}')).toEqual({
      result: { sequence: 2 },
      reads: 2,
    });
  });

  test("is null where there is none, and is not looked for twice on one day", async () => {
    expect(await copy({ request }, null)).toEqual({ result: null, reads: 1 });
    expect(await copy({ request, entry: "2026-11-21T00:00:00.000Z" }, null)).toEqual({ result: null, reads: 1 });
    expect(await copy({ request, entry: "2026-11-22T00:00:00.000Z" }, null, null)).toEqual({ result: null, reads: 2 });
  });

  test("is not known where S3 refuses it", async () => {
    const { context } = answering({
      "": () => ({ status: 403, body: "<Error><Code>AccessDenied</Code><Message>no</Message></Error>" }),
    });
    expect(await thrown(audit(context).copy(place, { request }))).toMatchObject({ name: "AccessDenied" });
  });
});

describe("A command to many machines", () => {
  const on = (answers: Answers) => {
    const { context, asked } = answering({ ...holding, ...answers });
    return { verbs: fleet(context), sent: () => asked.filter(({ action }) => action !== "GetItem") };
  };
  const look = { script: "observe", request: { files: [] }, mark: "rule-1 look 1" } as never;
  const change = { script: "apply", request: { a: 1 }, mark: "rule-1 change 1" } as never;
  const sends: Answers = { SendCommand: () => ({ body: { Command: { CommandId: "c-1" } } }) };

  test("goes to all of them together, and no failure ends the others' work", async () => {
    const { verbs, sent } = on(sends);
    expect(await verbs.observe(["i-1", "i-2"], look)).toEqual({ state: "sent", commandId: "c-1" });
    expect(await verbs.change([held], change)).toEqual({ state: "sent", commandId: "c-1" });
    expect(sent().map(({ input }) => input)).toMatchObject([
      {
        InstanceIds: ["i-1", "i-2"],
        Comment: "rule-1 look 1",
        TimeoutSeconds: 120,
        MaxErrors: "100%",
        MaxConcurrency: "50",
        DocumentHash: "4d5e6f".padEnd(64, "0"),
      },
      { InstanceIds: ["i-0aaa"], Parameters: { Request: [Buffer.from('{"a":1}').toString("base64")] } },
    ]);
  });

  test("that SSM refuses names the machines of its words", async () => {
    const { verbs } = on({ SendCommand: refusal("InvalidInstanceId", "not valid: [i-2]") });
    expect(await verbs.observe(["i-1", "i-2"], look)).toEqual({
      state: "refused",
      unreachable: ["i-2"],
      why: "SSM does not reach the instance: its agent is not registered",
      code: "command-undelivered",
    });
    expect(
      await thrown(on({ SendCommand: refusal("AccessDeniedException") }).verbs.observe(["i-1"], look)),
    ).toMatchObject({
      name: "AccessDeniedException",
    });
    expect(await thrown(on({ SendCommand: () => ({ body: {} }) }).verbs.observe(["i-1"], look))).toEqual(
      new Error("SSM answered SendCommand without a command id"),
    );
  });

  test("has a verdict for each of them, over all pages", async () => {
    let page = 0;
    const pages = [
      { CommandInvocations: [{ InstanceId: "i-1", Status: "InProgress", StatusDetails: "Delayed" }], NextToken: "n" },
      {
        CommandInvocations: [
          { InstanceId: "i-2", Status: "Failed", CommandPlugins: [{ Output: " boom ", ResponseCode: 90 }] },
          { InstanceId: "i-3", Status: "Success", CommandPlugins: [] },
          { InstanceId: "i-4", Status: "Failed" },
        ],
      },
    ];
    const { verbs, sent } = on({ ListCommandInvocations: () => ({ body: pages[page++] ?? {} }) });
    const failed = (instanceId: string, why: string, code: string) => ({ instanceId, state: "failed", why, code });
    expect(await verbs.verdicts("apply", "c-1", ["i-1", "i-2", "i-3", "i-4", "i-5"])).toEqual([
      { instanceId: "i-1", state: "running", status: "Delayed" },
      failed("i-2", "apply.ps1 ended as Failed: boom", "powershell-restricted"),
      failed("i-3", "apply.ps1 ended without its result line", "result-missing"),
      failed("i-4", "apply.ps1 ended as Failed", "command-failed"),
      { instanceId: "i-5", state: "running", status: "Pending" },
    ]);
    expect(sent()[0]?.input).toMatchObject({ CommandId: "c-1", Details: true, MaxResults: 50 });
  });

  test("is cancelled on those that still run", async () => {
    const { verbs, sent } = on({ CancelCommand: () => ({ body: {} }) });
    await verbs.cancel("c-1", ["i-1", "i-2"]);
    expect(sent()).toEqual([{ action: "CancelCommand", input: { CommandId: "c-1", InstanceIds: ["i-1", "i-2"] } }]);
  });
});

describe("A stored content", () => {
  const content = { sha256: "id", files: [{ path: "p", text: "t" }] };
  const input = { name: "mirrors", identityOf: () => "id" } as unknown as Input;

  test("is read under its identity, and refused where it is another's", async () => {
    const { context } = answering({ "": () => ({ body: JSON.stringify(content) }) });
    expect(await inputStore(context).get(input, "id")).toEqual(content);
    expect(await thrown(inputStore(context).get(input, "other"))).toEqual(
      new Error(
        "s3://casement/inputs/mirrors/other.json has another content than its name says, so no node was changed",
      ),
    );
    expect(contentHash(content)).not.toBe(contentHash({ ...content, sha256: "other" }));
  });

  test("is written without a word", async () => {
    const { context, asked } = answering({ "": () => ({ body: "" }) });
    expect([await inputStore(context).put(input, content), asked.length]).toEqual([undefined, 1]);
  });
});
