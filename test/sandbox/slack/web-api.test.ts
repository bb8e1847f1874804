import type { ConversationsRepliesResponse, KnownBlock } from "@slack/web-api";
import { describe, expect, test } from "vitest";
import { openStore } from "../../../lib/sandbox/core/store.ts";
import { bench, CHANNEL, clientOf, manualClock, OPERATOR, TOKEN } from "./workbench.ts";

const refused = async (call: Promise<unknown>): Promise<{ error: string; response_metadata?: unknown }> => {
  const error = await call.then(
    () => expect.unreachable("Slack took it"),
    (reason: { data: { error: string } }) => reason,
  );
  return error.data;
};

describe("who may call", () => {
  test("tells the app who it is", async () => {
    const { client } = bench();
    expect(await client.auth.test()).toMatchObject({ ok: true, team_id: "T0CASEMENT", user_id: "U0CASEMENT" });
  });

  test("refuses a wrong token and a missing one", async () => {
    const { service } = bench();
    expect(await refused(clientOf(service, "xoxb-wrong").auth.test())).toMatchObject({ error: "invalid_auth" });
    const answer = await service.answer({ method: "POST", url: "/api/auth.test", headers: {}, body: Buffer.alloc(0) });
    expect(JSON.parse(String(answer.body))).toEqual({ ok: false, error: "not_authed" });
  });

  test("refuses a method whose scope the app was not given, naming it", async () => {
    const { client } = bench();
    const reaction = { channel: CHANNEL, timestamp: "1700000000.000100", name: "eyes" };
    expect(await refused(client.reactions.add(reaction))).toMatchObject({
      error: "missing_scope",
      needed: "reactions:write",
    });
  });

  test("does not know methods it does not have", async () => {
    const { client } = bench();
    expect((await refused(client.apiCall("chat.shout"))).error).toBe("unknown_method");
    expect((await refused(client.apiCall("constructor"))).error).toBe("unknown_method");
  });

  test("takes JSON bodies as well as forms, and refuses what is neither", async () => {
    const { service } = bench();
    const post = async (type: string, body: string) => {
      const headers = { authorization: `Bearer ${TOKEN}`, ...(type && { "content-type": type }) };
      const url = "/api/chat.postMessage";
      const answer = await service.answer({ method: "POST", url, headers, body: Buffer.from(body) });
      return JSON.parse(String(answer.body)) as { ok: boolean; error?: string };
    };
    const message = JSON.stringify({ channel: CHANNEL, text: "hello" });
    expect(await post("application/json; charset=utf-8", message)).toMatchObject({ ok: true });
    expect(await post("application/json", "{")).toMatchObject({ error: "invalid_json" });
    expect(await post("application/json", "[]")).toMatchObject({ error: "json_not_object" });
    expect(await post("application/xml", "<a/>")).toMatchObject({ error: "invalid_post_type" });
    expect(await post("", message)).toMatchObject({ error: "missing_post_type" });
    const broken = `channel=${CHANNEL}&blocks=%7B`;
    expect(await post("application/x-www-form-urlencoded", broken)).toMatchObject({ error: "invalid_blocks_format" });
  });

  test("names the arguments that are missing", async () => {
    const { client } = bench();
    expect(await refused(client.apiCall("chat.update", { channel: CHANNEL, text: "x" }))).toMatchObject({
      error: "invalid_arguments",
      response_metadata: { messages: ["[ERROR] missing required field: ts"] },
    });
  });
});

describe("messages", () => {
  test("posts, threads, updates in place and deletes", async () => {
    const { client, service } = bench();
    const root = await client.chat.postMessage({ channel: CHANNEL, text: "adding web" });
    const reply = await client.chat.postMessage({ channel: CHANNEL, thread_ts: String(root.ts), text: "launched" });
    await client.chat.update({ channel: CHANNEL, ts: String(root.ts), text: "added web" });
    expect(service.messages()).toEqual([
      { channel: CHANNEL, ts: root.ts, user: "U0CASEMENT", text: "added web", blocks: [], edited: true },
      {
        channel: CHANNEL,
        ts: reply.ts,
        threadTs: root.ts,
        user: "U0CASEMENT",
        text: "launched",
        blocks: [],
        edited: false,
      },
    ]);
    await client.chat.delete({ channel: CHANNEL, ts: String(root.ts) });
    const again = client.chat.update({ channel: CHANNEL, ts: String(root.ts), text: "x" });
    expect((await refused(again)).error).toBe("message_not_found");
  });

  test("keeps a message's blocks when an update leaves them out, and drops them for an empty list", async () => {
    const { client, service } = bench();
    const blocks: KnownBlock[] = [{ type: "divider" }];
    const { ts } = await client.chat.postMessage({ channel: CHANNEL, text: "a", blocks });
    await client.chat.update({ channel: CHANNEL, ts: String(ts), text: "b" });
    expect(service.messages()[0]).toMatchObject({ text: "b", blocks: [{ type: "divider" }] });
    await client.chat.update({ channel: CHANNEL, ts: String(ts), text: "c", blocks: [] });
    expect(service.messages()[0]?.blocks).toEqual([]);
  });

  test("refuses unknown channels, channels the app is not in, unknown threads and empty messages", async () => {
    const { client } = bench();
    const error = async (channel: string, more: object) =>
      (await refused(client.apiCall("chat.postMessage", { channel, ...more }))).error;
    expect(await error("C0NOWHERE", { text: "x" })).toBe("channel_not_found");
    expect(await error("C0GENERAL0", { text: "x" })).toBe("not_in_channel");
    expect(await error(CHANNEL, { text: "x", thread_ts: "1.000000" })).toBe("thread_not_found");
    expect(await error(CHANNEL, {})).toBe("no_text");
    expect(await error(CHANNEL, { text: "x", metadata: { event_type: "a" } })).toBe("invalid_metadata_schema");
  });

  test("shows an ephemeral message to one person only, and no method finds it", async () => {
    const { client, service } = bench();
    const { message_ts } = await client.chat.postEphemeral({ channel: CHANNEL, user: OPERATOR, text: "psst" });
    expect(service.ui.messagesFor(OPERATOR)).toMatchObject([{ text: "psst", onlyTo: OPERATOR }]);
    expect(service.ui.messagesFor("U0APPROVER")).toEqual([]);
    const update = client.chat.update({ channel: CHANNEL, ts: String(message_ts), text: "x" });
    expect((await refused(update)).error).toBe("message_not_found");
    const stranger = client.chat.postEphemeral({ channel: CHANNEL, user: "U0NOBODY", text: "x" });
    expect((await refused(stranger)).error).toBe("user_not_in_channel");
  });

  test("lets the app change only its own messages, and only while the workspace allows it", async () => {
    const { client, clock, service } = bench({ editWindowMinutes: 5 });
    await service.ui.type(OPERATOR, CHANNEL, "good morning");
    const theirs = { channel: CHANNEL, ts: String(service.messages()[0]?.ts) };
    expect((await refused(client.chat.update({ ...theirs, text: "x" }))).error).toBe("cant_update_message");
    expect((await refused(client.chat.delete(theirs))).error).toBe("cant_delete_message");
    const { ts } = await client.chat.postMessage({ channel: CHANNEL, text: "mine" });
    await clock.advance(6 * 60_000);
    const late = client.chat.update({ channel: CHANNEL, ts: String(ts), text: "x" });
    expect((await refused(late)).error).toBe("edit_window_closed");
  });

  test("cuts posted text at 40,000 characters and refuses an update above 4,000", async () => {
    const { client, service } = bench();
    const { ts } = await client.chat.postMessage({ channel: CHANNEL, text: "x".repeat(40_001) });
    expect(service.messages()[0]?.text).toHaveLength(40_000);
    const update = client.chat.update({ channel: CHANNEL, ts: String(ts), text: "x".repeat(4_001) });
    expect((await refused(update)).error).toBe("msg_too_long");
  });

  test("gives a permalink, adds a reaction once and pages through a thread", async () => {
    const { client } = bench({ scopes: ["chat:write", "channels:history", "reactions:write"] });
    const { ts } = await client.chat.postMessage({ channel: CHANNEL, text: "root" });
    for (const text of ["one", "two"]) await client.chat.postMessage({ channel: CHANNEL, thread_ts: ts, text });
    const link = await client.chat.getPermalink({ channel: CHANNEL, message_ts: String(ts) });
    expect(link.permalink).toContain(`/archives/${CHANNEL}/p${String(ts).replace(".", "")}`);
    const mark = { channel: CHANNEL, name: "eyes", timestamp: String(ts) };
    await client.reactions.add(mark);
    expect((await refused(client.reactions.add(mark))).error).toBe("already_reacted");
    const texts: (string | undefined)[] = [];
    for await (const page of client.paginate("conversations.replies", { channel: CHANNEL, ts, limit: 2 })) {
      const { messages = [] } = page as ConversationsRepliesResponse;
      texts.push(...messages.map((message) => message.text));
    }
    expect(texts).toEqual(["root", "one", "two"]);
    const history = await client.conversations.history({ channel: CHANNEL });
    expect(history.messages).toMatchObject([{ text: "root", reply_count: 2, reactions: [{ name: "eyes", count: 1 }] }]);
  });

  test("keeps messages and rising time stamps over a restart", async () => {
    const [store, clock] = [openStore(":memory:"), manualClock()];
    const first = bench({}, clock, store);
    const { ts } = await first.client.chat.postMessage({ channel: CHANNEL, text: "before" });
    const second = bench({}, clock, store);
    const after = await second.client.chat.postMessage({ channel: CHANNEL, text: "after" });
    expect(Number(after.ts)).toBeGreaterThan(Number(ts));
    expect(second.service.messages().map((message) => message.text)).toEqual(["before", "after"]);
  });
});

describe("people and channels", () => {
  test("tells about people, groups and channels, and refuses unknown ones", async () => {
    const { client } = bench();
    const { user } = await client.users.info({ user: OPERATOR });
    expect(user).toMatchObject({ name: "olivia", real_name: "Olivia Ortiz", is_restricted: false });
    expect((await refused(client.users.info({ user: "U0NOBODY" }))).error).toBe("user_not_found");
    const { users } = await client.usergroups.users.list({ usergroup: "S0OPERATORS" });
    expect(users).toEqual(["U0OPERATOR", "U0APPROVER"]);
    const unknown = client.usergroups.users.list({ usergroup: "S0NONE" });
    expect((await refused(unknown)).error).toBe("no_such_subteam");
    const { usergroups } = await client.usergroups.list({ include_users: true });
    expect(usergroups?.map((group) => group.handle)).toEqual(["operators", "approvers"]);
    const { channel } = await client.conversations.info({ channel: "C0PARTNERS" });
    expect(channel).toMatchObject({ is_ext_shared: true, is_member: true });
  });
});

describe("limits and faults", () => {
  test("refuses a burst in one channel with Retry-After and lets it go on after that time", async () => {
    const { client, clock } = bench();
    const post = () => client.chat.postMessage({ channel: CHANNEL, text: "x" });
    for (let posted = 0; posted < 5; posted += 1) await post();
    await expect(post()).rejects.toMatchObject({ retryAfter: 1 });
    await clock.advance(1_000);
    await expect(post()).resolves.toMatchObject({ ok: true });
    await expect(post()).rejects.toMatchObject({ retryAfter: 1 });
  });

  test("lets one method of tier 3 be called fifty times a minute", async () => {
    const { client, clock } = bench();
    const { ts } = await client.chat.postMessage({ channel: CHANNEL, text: "x" });
    const update = () => client.chat.update({ channel: CHANNEL, ts: String(ts), text: "y" });
    for (let done = 0; done < 50; done += 1) await update();
    await expect(update()).rejects.toMatchObject({ retryAfter: 2 });
    await clock.advance(60_000);
    for (let done = 0; done < 50; done += 1) await update();
    await expect(update()).rejects.toMatchObject({ retryAfter: 2 });
  });

  test("fails under a fault for the method and channel it names, as often as its count", async () => {
    const { client, simulation, service } = bench();
    const post = () => client.chat.postMessage({ channel: CHANNEL, text: "x" });
    simulation.faults.inject("slack-5xx", { method: "chat.postMessage" }, 1);
    await expect(post()).rejects.toMatchObject({ statusCode: 500 });
    expect(service.messages()).toEqual([]);
    simulation.faults.inject("slack-ratelimited", { channel: CHANNEL }, 1);
    await expect(post()).rejects.toMatchObject({ retryAfter: 10 });
    simulation.faults.inject("slack-answer-lost", {}, 1);
    await expect(post()).rejects.toMatchObject({ statusCode: 500 });
    expect(service.messages()).toHaveLength(1);
    const down = simulation.faults.inject("slack-down", {});
    await expect(post()).rejects.toMatchObject({ statusCode: 503 });
    await expect(client.auth.test()).rejects.toMatchObject({ statusCode: 503 });
    simulation.faults.end(String(down?.id));
    await expect(post()).resolves.toMatchObject({ ok: true });
  });

  test("answers slowly under slack-slow", async () => {
    const { client, clock, simulation } = bench();
    simulation.faults.inject("slack-slow", { method: "auth.test" }, 1);
    let answered = false;
    const call = client.auth.test().then(() => {
      answered = true;
    });
    await clock.advance(9_000);
    expect(answered).toBe(false);
    await clock.advance(1_000);
    await call;
    expect(answered).toBe(true);
  });

  test("records each call with its method, status and error", async () => {
    const { client, simulation } = bench();
    await client.auth.test();
    await refused(client.users.info({ user: "U0NOBODY" }));
    expect(simulation.calls.after(0, "slack")).toMatchObject([
      { action: "auth.test", principal: "casement", status: 200, error: null },
      { action: "users.info", status: 200, error: "user_not_found" },
    ]);
  });
});
