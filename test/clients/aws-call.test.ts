import { Readable } from "node:stream";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { AwsError, awsCalls } from "../../lambdas/clients/aws-call.ts";
import { dynamodb } from "../../lambdas/clients/dynamodb.ts";
import { functions } from "../../lambdas/clients/functions.ts";
import type { Transport } from "../../lambdas/clients/transport.ts";
import type { Settings } from "../../lambdas/settings.ts";

interface Sent {
  readonly hostname: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

interface Answer {
  readonly status: number;
  readonly headers?: Record<string, string>;
  readonly body: string;
}

const place = (region = "us-west-2"): Settings => ({
  ...{ region, credentials: { accessKeyId: "AKIA", secretAccessKey: "secret" }, awsEndpoint: undefined },
  ...{ cluster: "c", bucket: "b", ledgerTable: "t", slackSecret: "s" },
  ...{ slackUrl: "https://slack.com/api/", retentionDays: 400, functions: {}, documents: {} },
});

/** A service that answers so, one answer after the other, the last one for ever; an Error is a broken connection. */
function answering(answers: readonly (Answer | Error)[], settings = place(), attempts?: number) {
  const sent: Sent[] = [];
  const handle = async (request: Sent) => {
    const answer = answers[Math.min(sent.length, answers.length - 1)];
    sent.push(request);
    if (!answer || answer instanceof Error) throw answer;
    const { status, headers = {}, body } = answer;
    return { response: { statusCode: status, headers, body: Readable.from([Buffer.from(body)]) } };
  };
  return { sent, call: awsCalls(settings, { aws: { handle } } as unknown as Transport, attempts) };
}

const fine: Answer = { status: 200, body: '{"fine":true}' };
const busy: Answer = { status: 503, body: "" };
const request = { service: "dynamodb", method: "POST", path: "/", body: "{}" } as const;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout"] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** Result or error of a call once its pauses have passed. */
async function settled<T>(call: Promise<T>): Promise<T | Error> {
  const end = call.catch((error: Error) => error);
  await vi.advanceTimersByTimeAsync(60_000);
  return end;
}

describe("a call of AWS's", () => {
  test.each<[string, Answer | Error]>([
    ["the service failed", busy],
    ["the service asked for patience", { status: 400, body: '{"__type":"x#ThrottlingException"}' }],
    [
      "there were too many requests",
      { status: 429, headers: { "x-amzn-errortype": "TooManyRequestsException:" }, body: "" },
    ],
    ["the connection broke", Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET" })],
  ])("is made again when %s", async (_why, first) => {
    const { sent, call } = answering([first, fine]);
    expect(await settled(call(request))).toEqual({ fine: true });
    expect(sent.length).toBe(2);
  });

  test.each([
    [undefined, 4],
    [2, 2],
  ])("allowed %s attempts is made %i times, then its error is thrown", async (attempts, times) => {
    const { sent, call } = answering([busy], place(), attempts);
    expect(await settled(call(request))).toMatchObject({ $metadata: { httpStatusCode: 503 } });
    expect(sent.length).toBe(times);
  });

  test("is not made again when it was refused", async () => {
    const { sent, call } = answering([
      { status: 400, body: '{"__type":"com.amazon#ValidationException","message":"no"}' },
    ]);
    const error = await settled(call(request));
    expect(error).toBeInstanceOf(AwsError);
    expect(error).toMatchObject({ name: "ValidationException", message: "no" });
    expect(sent.length).toBe(1);
  });

  test("tells what Lambda refused by its header", async () => {
    const headers = { "x-amzn-errortype": "CallbackTimeoutException:http://internal.amazon.com/" };
    const { call } = answering([{ status: 400, headers, body: '{"Message":"late"}' }]);
    expect(await settled(call(request))).toMatchObject({ name: "CallbackTimeoutException", message: "late" });
  });

  test("tells of an answer that is no JSON by its status", async () => {
    const { call } = answering([{ status: 403, body: "<html>" }]);
    expect(await settled(call(request))).toMatchObject({ name: "UnknownError", $metadata: { httpStatusCode: 403 } });
  });

  test.each([
    ["eu-central-1", "dynamodb.eu-central-1.amazonaws.com"],
    ["cn-north-1", "dynamodb.cn-north-1.amazonaws.com.cn"],
  ])("in %s goes to %s and is signed for it", async (region, hostname) => {
    const { sent, call } = answering([fine], place(region));
    await settled(call(request));
    expect(sent[0]).toMatchObject({ hostname, headers: { host: hostname } });
    expect(sent[0]?.headers.authorization).toContain(`/${region}/dynamodb/aws4_request`);
  });
});

describe("the verbs on it", () => {
  test("leave out of an item what is undefined, and keep numbers, lists and null", async () => {
    const { sent, call } = answering([{ status: 200, body: '{"Item":{"n":{"N":"2"},"l":{"L":[{"NULL":true}]}}}' }]);
    const item = { pk: "a", left: undefined, n: 2, l: [null] };
    const answer = await settled(dynamodb(call)("PutItem", { TableName: "t", Item: item }));
    expect(JSON.parse(sent[0]?.body ?? "")).toEqual({
      TableName: "t",
      Item: { pk: { S: "a" }, n: { N: "2" }, l: { L: [{ NULL: true }] } },
    });
    expect(answer).toEqual({ Item: { n: 2, l: [null] } });
  });

  test("encode the address of a function with its alias", async () => {
    const { sent, call } = answering([{ status: 202, body: "" }]);
    await settled(functions(call).start("arn:aws:lambda:us-west-2:1:function:f:live", "name", { a: 1 }));
    expect(sent[0]).toMatchObject({
      path: "/2015-03-31/functions/arn%3Aaws%3Alambda%3Aus-west-2%3A1%3Afunction%3Af%3Alive/invocations",
      headers: { "x-amz-invocation-type": "Event", "x-amz-durable-execution-name": "name" },
      body: '{"a":1}',
    });
  });
});
