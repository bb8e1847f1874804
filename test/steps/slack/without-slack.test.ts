import { LogLevel, WebClient } from "@slack/web-api";
import { describe, expect, test } from "vitest";
import { Retryable } from "../../../lambdas/errors.ts";
import { withLog } from "../../../lambdas/logging.ts";
import type { FrontDoorContext } from "../../../lambdas/steps/context.ts";
import { calling } from "../../../lambdas/steps/slack/calling.ts";
import { privately } from "../../../lambdas/steps/slack/privately.ts";
import { responseUrls } from "../../../lambdas/steps/slack/response-urls.ts";
import { slackCode, slackWords } from "../../../lambdas/steps/slack/slack-code.ts";

const message = {
  text: "type {win} help",
  blocks: [{ type: "section", text: { type: "mrkdwn", text: "{win} help" } }],
};
const said = { text: "type /ops help", blocks: [{ type: "section", text: { type: "mrkdwn", text: "/ops help" } }] };
const thrown = (promise: Promise<unknown>): Promise<unknown> => promise.catch((error: unknown) => error);

/** Verbs on a Slack that answers so; what was asked is kept. */
function on(answer: object | Error, takesUrl = false) {
  const asked: [string, Record<string, unknown>][] = [];
  const urls: unknown[] = [];
  const client = new WebClient("xoxb-t", {
    slackApiUrl: "http://slack.test/api/",
    retryConfig: { retries: 0 },
    logLevel: LogLevel.ERROR,
    fetch: async (url, init) => {
      if (answer instanceof Error) throw answer;
      const form = Object.fromEntries(new URLSearchParams(String(init?.body)));
      asked.push([String(url).split("/").at(-1) ?? "", form]);
      return Response.json(answer);
    },
  });
  const respond = async (url: string, given: object) => {
    urls.push([url, given]);
    return takesUrl;
  };
  const context = { clients: { slack: async () => client, respond } } as unknown as FrontDoorContext;
  return { verbs: privately(context, async () => "/ops"), asked, urls };
}
const blocks = JSON.stringify(said.blocks);

describe("A private message", () => {
  test("goes to one person in a channel, with the command's word", async () => {
    const { verbs, asked } = on({ ok: true });
    await verbs.sendEphemeral("C1", "U1", message);
    expect(asked).toEqual([
      ["chat.postEphemeral", expect.objectContaining({ channel: "C1", user: "U1", text: said.text, blocks })],
    ]);
  });

  test("that Slack refuses is not sent, and one that it does not answer is to be sent again", async () => {
    expect(await thrown(on({ ok: false, error: "user_not_in_channel" }).verbs.sendEphemeral("C1", "U1", message))).toBe(
      undefined,
    );
    expect(await thrown(on(new Error("reset")).verbs.sendEphemeral("C1", "U1", message))).toBeInstanceOf(Retryable);
  });

  test("replaces the one whose address is known, and is posted where Slack does not take it", async () => {
    const answer = { response_type: "ephemeral", replace_original: true, ...said };
    const taken = on({ ok: true }, true);
    await taken.verbs.answer({ channel: "C1", userId: "U1" }, message, "https://hooks.slack.com/1");
    expect([taken.urls, taken.asked]).toEqual([[["https://hooks.slack.com/1", answer]], []]);
    const late = on({ ok: true });
    await late.verbs.answer({ channel: "C1", userId: "U1" }, message, "https://hooks.slack.com/1");
    await late.verbs.answer({ channel: "C1", userId: "U1" }, message, undefined);
    expect([late.urls.length, late.asked.map(([method]) => method)]).toEqual([
      1,
      ["chat.postEphemeral", "chat.postEphemeral"],
    ]);
  });
});

test("A note goes into its thread", async () => {
  const { verbs, asked } = on({ ok: true, ts: "2.0" });
  await verbs.note("C1", message, "1.0");
  expect(asked).toEqual([
    ["chat.postMessage", expect.objectContaining({ channel: "C1", thread_ts: "1.0", text: said.text, blocks })],
  ]);
  expect(await thrown(on({ ok: false, error: "msg_too_long" }).verbs.note("C1", message, "1.0"))).toBeInstanceOf(
    Retryable,
  );
});

describe("A dialog", () => {
  const view = { type: "modal", title: { type: "plain_text", text: "{win}" } };

  test.each<[object, unknown]>([
    [{ ok: true, view: { id: "V1" } }, "V1"],
    [{ ok: true }, ""],
    [{ ok: false, error: "expired_trigger_id" }, null],
    [{ ok: false, error: "invalid_arguments" }, expect.any(Error)],
  ])("that Slack answers with %j is %j", async (answer, opened) => {
    const { verbs, asked } = on(answer);
    expect(await thrown(verbs.openDialog("t-1", view))).toEqual(opened);
    expect(asked).toMatchObject([
      ["views.open", { trigger_id: "t-1", view: '{"type":"modal","title":{"type":"plain_text","text":"/ops"}}' }],
    ]);
  });
});

describe("A call of Slack that fails", () => {
  const platform = (error: string) =>
    Object.assign(new Error(`An API error occurred: ${error}`), {
      code: "slack_webapi_platform_error",
      data: { error },
    });
  const called = async (error: unknown) => {
    const lines: string[] = [];
    const runtime = { settings: { cluster: "c" }, now: () => 0, log: (line: string) => void lines.push(line) };
    const call = () => thrown(calling("chat.update", () => Promise.reject(error)));
    const result = await withLog(runtime, {}, call);
    return { result, lines: lines.map((line) => JSON.parse(line)) };
  };

  test("is to be made again, in words that name Slack, with its cause", async () => {
    const error = platform("channel_not_found");
    const { result } = await called(error);
    expect(result).toBeInstanceOf(Retryable);
    expect(result).toMatchObject({ message: slackWords(error), cause: error });
    expect(slackCode(error)).toBe("channel_not_found");
    expect((await called(new Error("no token"))).result).toMatchObject({ message: "no token" });
    expect((await called("text")).result).toMatchObject({ message: "text", cause: new Error("text") });
  });

  test("is logged as a denial if the client took it for an answer", async () => {
    expect((await called(platform("msg_too_long"))).lines).toMatchObject([
      { service: "slack", action: "chat.update", code: "msg_too_long", outcome: "denied" },
      { SlackRefusals: 1, Kind: "denied" },
    ]);
  });

  test.each([platform("ratelimited"), platform("missing_scope"), new Error("no token"), "text"])(
    "is not logged twice or as another service's: %s",
    async (error) => {
      expect((await called(error)).lines).toEqual([]);
    },
  );
});

test("An address for an answer is kept for half an hour", async () => {
  const items = new Map<string, Record<string, unknown>>();
  const dynamodb = async (action: string, { Key, Item }: { Key?: object; Item?: Record<string, unknown> }) => {
    if (action === "PutItem" && Item) items.set(String(Item.pk), Item);
    return action === "GetItem" ? { Item: items.get(String((Key as { pk: string }).pk)) } : {};
  };
  let now = 0;
  const context = { clients: { dynamodb }, settings: { ledgerTable: "t", cluster: "c" }, now: () => now };
  const urls = responseUrls(context as unknown as FrontDoorContext);
  await urls.keep("nodes-1", "https://hooks.slack.com/1");
  expect([...items.values()]).toMatchObject([{ url: "https://hooks.slack.com/1", expiresAt: 1_800 }]);
  now = 1_799_999;
  expect(await urls.read("nodes-1")).toBe("https://hooks.slack.com/1");
  now = 1_800_000;
  expect(await urls.read("nodes-1")).toBeUndefined();
  expect(await urls.read("nodes-2")).toBeUndefined();
});
