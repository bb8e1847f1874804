import { Readable } from "node:stream";
import { expect, test } from "vitest";
import { frontDoorClients } from "../../lambdas/clients/front-door-clients.ts";
import type { Transport } from "../../lambdas/clients/transport.ts";
import type { Settings } from "../../lambdas/settings.ts";

const place: Settings = {
  ...{ region: "us-west-2", credentials: { accessKeyId: "AKIA", secretAccessKey: "secret" }, awsEndpoint: undefined },
  ...{ cluster: "c", bucket: "b", ledgerTable: "t", slackSecret: "casement/prod-west/slack" },
  ...{ slackUrl: "https://slack.invalid/api/", retentionDays: 400, functions: {}, documents: {} },
};

/** A Slack that takes one token, a secret that holds another one for as long as it likes, and a clock. */
function rotation() {
  const state = { valid: "xoxb-old", held: "xoxb-old", now: 0, readings: 0, tokens: [] as string[] };
  const handle = async () => {
    state.readings += 1;
    const SecretString = JSON.stringify({ signingSecret: "s", botToken: state.held });
    const body = Readable.from([Buffer.from(JSON.stringify({ SecretString }))]);
    return { response: { statusCode: 200, headers: {}, body } };
  };
  const fetch: Transport["fetch"] = async (_url, init) => {
    const token = String(init?.headers?.Authorization).replace("Bearer ", "");
    state.tokens.push(token);
    return Response.json(token === state.valid ? { ok: true, ts: "1.0" } : { ok: false, error: "token_revoked" });
  };
  const { slack } = frontDoorClients(place, { aws: { handle }, fetch } as unknown as Transport, {}, () => state.now);
  const say = async () => (await (await slack()).chat.postMessage({ channel: "C0", text: "hello" })).ts;
  return { state, say };
}

test("a token that was replaced is noticed by the first call that Slack refuses, which is made again with the new one", async () => {
  const { state, say } = rotation();
  await say();
  state.valid = state.held = "xoxb-new";
  state.now += 60_000;
  expect(await say()).toBe("1.0");
  expect(await say()).toBe("1.0");
  expect(state.tokens).toEqual(["xoxb-old", "xoxb-old", "xoxb-new", "xoxb-new"]);
  expect(state.readings).toBe(2);
});

test("a token that is refused and was not replaced is refused, and the secret is read no more than twice a minute", async () => {
  const { state, say } = rotation();
  await say();
  state.valid = "xoxb-new";
  state.now += 60_000;
  for (let times = 0; times < 3; times += 1) await expect(say()).rejects.toThrow("token_revoked");
  expect(state.readings).toBe(2);
  expect(new Set(state.tokens)).toEqual(new Set(["xoxb-old"]));
});

test("a Slack that does not answer is given up after as long as was told", async () => {
  const SecretString = JSON.stringify({ signingSecret: "s", botToken: "xoxb" });
  const body = () => Readable.from([Buffer.from(JSON.stringify({ SecretString }))]);
  const handle = async () => ({ response: { statusCode: 200, headers: {}, body: body() } });
  const fetch: Transport["fetch"] = (_url, init) =>
    new Promise((_, reject) => {
      init?.signal?.addEventListener("abort", () => reject(new Error("given up")));
    });
  const { slack } = frontDoorClients(place, { aws: { handle }, fetch } as unknown as Transport, { slack: 20 });
  await expect((await slack()).auth.test()).rejects.toThrow("given up");
});

test.each([
  ["is empty", ""],
  ["is a token alone", "xoxb-12345-67890-secret"],
  ["is JSON of something else", '"xoxb-12345"'],
  ["is null", "null"],
  ["holds half of it", '{"signingSecret":"8f742231b10e"}'],
])("a Slack secret that %s is named, and none of it is quoted", async (_what, SecretString) => {
  const body = Readable.from([Buffer.from(JSON.stringify({ SecretString }))]);
  const handle = async () => ({ response: { statusCode: 200, headers: {}, body } });
  const { slack } = frontDoorClients(place, { aws: { handle } } as unknown as Transport);
  const said = await slack().catch((error: Error) => error.message);
  expect(said).toBe(
    "the secret casement/prod-west/slack must be JSON with signingSecret and botToken (docs/deploy.md)",
  );
});

test("a secret that nobody has filled yet is named", async () => {
  const answer = {
    __type: "ResourceNotFoundException",
    message: "Secrets Manager can't find the specified secret value",
  };
  const body = Readable.from([Buffer.from(JSON.stringify(answer))]);
  const handle = async () => ({ response: { statusCode: 400, headers: {}, body } });
  const { slack } = frontDoorClients(place, { aws: { handle } } as unknown as Transport);
  await expect(slack()).rejects.toThrow("the secret casement/prod-west/slack is empty or does not exist");
});
