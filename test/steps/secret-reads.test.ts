import { ApiException } from "@kubernetes/client-node";
import { describe, expect, test } from "vitest";
import { AwsError } from "../../lambdas/clients/aws-call.ts";
import { awayOf } from "../../lambdas/steps/away.ts";
import { keptSecrets } from "../../lambdas/steps/kept-secrets.ts";
import { secretFacts } from "../../lambdas/steps/secret-facts.ts";
import { NoAnswer } from "../../lambdas/time-limit.ts";
import { type Answers, answering } from "./answering.ts";

const ID = "casement/prod-west/proxy";
const refused = (name: string) => () => ({ status: 400, body: { __type: name, message: "no" } });
const described = (more: object) => () => ({ body: { Name: ID, ...more } });
const current = { VersionIdsToStages: { old: ["AWSPREVIOUS"], new: ["AWSCURRENT", "x"] } };
const words = async (promise: Promise<unknown>): Promise<unknown> =>
  promise.catch(({ name, message }: Error) => `${name}: ${message}`);
const missing = `Refused: the secret ${ID} is missing, so no node was changed; a deployment creates it`;

describe("What is known of a secret", () => {
  const read = (answer: Answers[string]) => words(secretFacts(answering({ DescribeSecret: answer }).context).read(ID));

  test.each<[string, Answers[string], unknown]>([
    ["with a value", described({ ...current, Description: "d" }), { secretId: ID, version: "new", description: "d" }],
    ["without a description", described(current), { secretId: ID, version: "new", description: "" }],
    ["without a current version", described({ VersionIdsToStages: { old: ["AWSPREVIOUS"] } }), undefined],
    ["without a version", described({}), undefined],
    ["that was deleted", described({ ...current, DeletedDate: 1 }), missing],
    ["that is missing", refused("ResourceNotFoundException"), missing],
    ["that must not be read", refused("AccessDeniedException"), "AccessDeniedException: no"],
  ])("of one %s", async (_what, answer, found) => {
    expect(await read(answer)).toEqual(found);
  });
});

describe("A kept secret", () => {
  const keep = async (answer: Answers[string], fields: Record<string, string>) => {
    const { context, asked } = answering({ DescribeSecret: answer, UpdateSecret: () => ({ body: {} }) });
    const result = await words(keptSecrets(context).keep(ID, fields, "key"));
    return { result, updates: asked.filter(({ action }) => action === "UpdateSecret").map(({ input }) => input) };
  };

  test("gets a new version with its fields and their keyed hash, and stays while they are the same", async () => {
    const { updates } = await keep(described({ ...current, Description: "Hash of others" }), { user: "a" });
    expect(updates).toEqual([
      expect.objectContaining({
        SecretId: ID,
        SecretString: '{"user":"a"}',
        Description: expect.stringMatching(/^Hash [0-9a-f]{64}$/),
      }),
    ]);
    const Description = (updates[0] as { Description: string }).Description;
    expect((await keep(described({ ...current, Description }), { user: "a" })).updates).toEqual([]);
    expect((await keep(described({ ...current, Description }), { user: "b" })).updates).toHaveLength(1);
  });

  test("that was never filled stays so without fields, and one with a value is emptied", async () => {
    expect((await keep(described({}), {})).updates).toEqual([]);
    expect((await keep(described({}), { user: "a" })).updates).toHaveLength(1);
    expect((await keep(described(current), {})).updates).toMatchObject([{ SecretString: "{}" }]);
  });

  test("that is missing is not made", async () => {
    expect(await keep(refused("ResourceNotFoundException"), { user: "a" })).toEqual({ result: missing, updates: [] });
  });
});

describe("A service that gave no answer", () => {
  const status = (code: number) => new ApiException(code, "m", JSON.stringify({ message: "words" }), {});
  const aws = (name: string, code: number) => new AwsError(name, "no", code);

  test.each<[string, Error, object]>([
    ["was silent", new NoAnswer("x"), { kind: "silent", seconds: 9 }],
    ["answered 403", status(403), { kind: "answered", with: "403", words: "words" }],
    ["answered 499", status(499), { kind: "answered", with: "499", words: "words" }],
    ["answered 429", status(429), { kind: "answered", with: "429", words: null }],
    ["answered 500", status(500), { kind: "answered", with: "500", words: null }],
    [
      "is AWS and denied it",
      aws("AccessDenied", 403),
      { kind: "answered", with: "AccessDenied", words: "AccessDenied: no" },
    ],
    ["is AWS and busy", aws("InternalError", 500), { kind: "answered", with: "InternalError", words: null }],
    [
      "broke the connection",
      Object.assign(new Error("reset"), { code: "ECONNRESET" }),
      { kind: "failed", words: "reset" },
    ],
  ])("that %s", (_what, error, reason) => {
    expect(awayOf("kubernetes", "api.example.com", error, 9)).toEqual({
      service: "kubernetes",
      host: "api.example.com",
      reason,
    });
  });

  test.each([new Error("a bug"), "text"])("is no bug: %s", (error) => {
    expect(() => awayOf("kubernetes", null, error, 9)).toThrow(error instanceof Error ? error : "text");
  });
});
