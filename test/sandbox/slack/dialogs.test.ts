import { createHmac } from "node:crypto";
import { describe, expect, test } from "vitest";
import { openStore } from "../../../lib/sandbox/core/store.ts";
import type { WireRequest } from "../../../lib/sandbox/core/wire.ts";
import { buttons, modal, plain, reason, removal, section } from "./samples.ts";
import { bench, CHANNEL, manualClock, OPERATOR, pair, SECRET, silentApp, VISITOR } from "./workbench.ts";

/** A bench with one dialog open in front of the operator, whose app answers `body` from then on. */
const standing = async (body = "", view: object = removal) => {
  let answer = "";
  const app = silentApp();
  const requestUrl: typeof app.requestUrl = async (request) => ({ ...(await app.requestUrl(request)), body: answer });
  const made = bench({ requestUrl });
  await made.service.ui.type(OPERATOR, CHANNEL, "/win remove x");
  const { view: standingView } = await made.client.views.open({
    trigger_id: app.last().trigger_id,
    view: view as ReturnType<typeof modal>,
  });
  answer = body;
  return { ...made, app, view: standingView, id: String(standingView?.id) };
};

interface Forgery {
  readonly secret?: string;
  readonly age?: number;
}

/** A slash command as an outsider sends it to the app. */
const letter = (clock: ReturnType<typeof manualClock>, trigger: string, forgery = {}): WireRequest =>
  posted(clock, { command: "/win", text: "x", user_id: OPERATOR, trigger_id: trigger }, forgery);

/** Answer to a dialog as an outsider sends it to the app. */
const answerTo = (
  clock: ReturnType<typeof manualClock>,
  type: string,
  view: { id: string },
  forgery = {},
): WireRequest => posted(clock, { payload: JSON.stringify({ type, user: { id: OPERATOR }, view }) }, forgery);

function posted(clock: ReturnType<typeof manualClock>, form: Record<string, string>, forgery: Forgery): WireRequest {
  const { secret = SECRET, age = 0 } = forgery;
  const body = new URLSearchParams(form).toString();
  const time = String(Math.floor(clock.now() / 1000) - age);
  const signature = createHmac("sha256", secret).update(`v0:${time}:${body}`).digest("hex");
  const headers = { "x-slack-request-timestamp": time, "x-slack-signature": `v0=${signature}` };
  return { method: "POST", url: "/", headers, body: Buffer.from(body) };
}

describe("a dialog", () => {
  test("is opened by a Bolt app, filled in by its external id, submitted and gone", async () => {
    const { bolt, client, service } = pair();
    bolt.command("/win", async ({ ack, body, client: slackClient }) => {
      await slackClient.views.open({ trigger_id: body.trigger_id, view: removal });
      await ack();
    });
    const heard: unknown[] = [];
    bolt.view("remove", async ({ ack, view }) => {
      heard.push(view.state.values);
      await ack();
    });
    const { views } = await service.ui.type(OPERATOR, CHANNEL, "/win remove x");
    expect(views).toMatchObject([{ external_id: "dialog-remove-1", callback_id: "remove" }]);
    const more = { ...removal, blocks: [section("A node with 3 pods"), reason] };
    await client.views.update({ external_id: "dialog-remove-1", view: more });
    const [view] = service.ui.viewsOf(OPERATOR);
    expect(view?.blocks[0]).toMatchObject({ text: { text: "A node with 3 pods" } });
    const shown = await service.ui.submit(OPERATOR, String(view?.id), { reason: "it is old" });
    expect(heard).toEqual([{ reason: { text: { type: "plain_text_input", value: "it is old" } } }]);
    expect(shown).toMatchObject({ error: null, views: [] });
    const closed = client.views.update({ external_id: "dialog-remove-1", view: removal });
    await expect(closed).rejects.toMatchObject({ data: { error: "not_found" } });
  });

  test("needs a trigger that is known, fresh and not used", async () => {
    const { app, client, clock, service } = bench();
    const open = (trigger_id: string) => client.views.open({ trigger_id, view: modal() });
    await expect(open("1.2.3")).rejects.toMatchObject({ data: { error: "invalid_trigger_id" } });
    await service.ui.type(OPERATOR, CHANNEL, "/win remove x");
    await clock.advance(3_000);
    await open(app.last().trigger_id);
    await expect(open(app.last().trigger_id)).rejects.toMatchObject({ data: { error: "exchanged_trigger_id" } });
    await service.ui.type(OPERATOR, CHANNEL, "/win remove x");
    await clock.advance(3_001);
    await expect(open(app.last().trigger_id)).rejects.toMatchObject({ data: { error: "expired_trigger_id" } });
  });

  test("opens by a trigger that somebody outside made who signs as Slack does, and by nobody else's", async () => {
    const { client, clock, service } = bench();
    const open = (trigger_id: string) => client.views.open({ trigger_id, view: modal() });
    const refused = (code: string) => ({ data: { error: code } });
    await service.fromOutside(letter(clock, "forged", { secret: "another" }));
    await expect(open("forged")).rejects.toMatchObject(refused("invalid_trigger_id"));
    await service.fromOutside(letter(clock, "stale", { age: 301 }));
    await expect(open("stale")).rejects.toMatchObject(refused("invalid_trigger_id"));
    await service.fromOutside(letter(clock, "1.2.outside"));
    expect((await open("1.2.outside")).ok).toBe(true);
    expect(service.ui.viewsOf(OPERATOR)).toHaveLength(1);
    await service.fromOutside(letter(clock, "1.2.outside"));
    await expect(open("1.2.outside")).rejects.toMatchObject(refused("exchanged_trigger_id"));
    await service.fromOutside(letter(clock, "3.4.outside"));
    await clock.advance(3_001);
    await expect(open("3.4.outside")).rejects.toMatchObject(refused("expired_trigger_id"));
  });

  test("refuses a second of the same external id, an update of an old state and a view that is wrong", async () => {
    const { app, client, id, service, view } = await standing();
    await service.ui.type(OPERATOR, CHANNEL, "/win remove y");
    const again = client.views.open({ trigger_id: app.last().trigger_id, view: removal });
    await expect(again).rejects.toMatchObject({ data: { error: "duplicate_external_id" } });
    const hash = String(view?.hash);
    const first = await client.views.update({ view_id: id, hash, view: removal });
    expect(first.view?.hash).not.toBe(hash);
    const second = client.views.update({ view_id: id, hash, view: removal });
    await expect(second).rejects.toMatchObject({ data: { error: "hash_conflict" } });
    const wrong = client.views.update({ view_id: id, view: modal({ title: plain("x".repeat(25)) }) });
    await expect(wrong).rejects.toMatchObject({ data: { error: "invalid_arguments" } });
    const nameless = client.apiCall("views.update", { view: removal });
    await expect(nameless).rejects.toMatchObject({ data: { error: "invalid_arguments" } });
    const home = client.apiCall("views.publish", { user_id: OPERATOR, view: { type: "home", blocks: [] } });
    await expect(home).rejects.toMatchObject({ data: { error: "not_enabled" } });
  });
});

describe("what becomes of a dialog", () => {
  test("is what the app answers to somebody outside who signs as Slack does, and to nobody else", async () => {
    const { clock, id, service } = await standing();
    const open = () => service.ui.viewsOf(OPERATOR).length;
    await service.fromOutside(answerTo(clock, "view_submission", { id }, { secret: "another" }));
    expect(open()).toBe(1);
    await service.fromOutside(answerTo(clock, "view_submission", { id }));
    expect(open()).toBe(0);
    const update = await standing(JSON.stringify({ response_action: "update", view: modal({ title: plain("Done") }) }));
    await update.service.fromOutside(answerTo(update.clock, "view_submission", { id: update.id }));
    expect(update.service.ui.viewsOf(OPERATOR)).toMatchObject([{ title: { text: "Done" } }]);
    const senseless = await standing("what?");
    const answer = await senseless.service.fromOutside(answerTo(clock, "view_submission", { id: senseless.id }));
    expect(answer.body).toBe("what?");
    expect(senseless.service.ui.viewsOf(OPERATOR)).toHaveLength(1);
    await senseless.service.fromOutside(answerTo(clock, "view_closed", { id: senseless.id }));
    expect(senseless.service.ui.viewsOf(OPERATOR)).toHaveLength(0);
  });

  test("asks for what is required before the app hears of it", async () => {
    const { app, id, service } = await standing();
    const before = app.requests.length;
    const empty = await service.ui.submit(OPERATOR, id);
    expect(empty.complaints).toEqual({ reason: "Please complete this required field." });
    const short = await service.ui.submit(OPERATOR, id, { reason: "no" });
    expect(short.complaints.reason).toContain("at least 3");
    expect(app.requests).toHaveLength(before);
  });

  test("shows the app's complaints under the fields and stays open", async () => {
    const errors = { reason: "Too vague." };
    const { id, service } = await standing(JSON.stringify({ response_action: "errors", errors }));
    const shown = await service.ui.submit(OPERATOR, id, { reason: "because" });
    expect(shown).toMatchObject({ error: null, complaints: errors, views: [{ id }] });
  });

  test("is replaced, covered or cleared as the app answers", async () => {
    const other = modal({ title: plain("Removing") });
    const answer = (response_action: string) => JSON.stringify({ response_action, view: other });
    const replaced = await standing(answer("update"));
    const after = await replaced.service.ui.submit(OPERATOR, replaced.id, { reason: "because" });
    expect(after.views).toMatchObject([{ id: replaced.id, title: plain("Removing") }]);
    const covered = await standing(answer("push"));
    const stack = await covered.service.ui.submit(OPERATOR, covered.id, { reason: "because" });
    expect(stack.views.map((view) => view.previous_view_id)).toEqual([null, covered.id]);
    const cleared = await standing(answer("clear"));
    expect((await cleared.service.ui.submit(OPERATOR, cleared.id, { reason: "because" })).views).toEqual([]);
  });

  test.each([
    ["an unknown action", { response_action: "explode" }],
    ["a complaint about no field", { response_action: "errors", errors: { nothing: "Wrong." } }],
    ["a view that is wrong", { response_action: "update", view: { type: "modal" } }],
    ["no view", { response_action: "push" }],
    ["a message", { text: "done" }],
  ])("says that it had trouble when the app answers with %s", async (_, answer) => {
    const { id, service } = await standing(JSON.stringify(answer));
    const shown = await service.ui.submit(OPERATOR, id, { reason: "because" });
    expect(shown).toMatchObject({ notice: "We had some trouble connecting. Try again?", views: [{ id }] });
  });

  test("tells the app that it was closed when it asked for that", async () => {
    const { app, id, service } = await standing();
    expect(await service.ui.close(OPERATOR, id)).toMatchObject({ error: null, views: [] });
    expect(app.last()).toMatchObject({ type: "view_closed", view: { id }, user: { id: OPERATOR }, is_cleared: false });
    const quiet = await standing("", modal());
    const before = quiet.app.requests.length;
    await quiet.service.ui.close(OPERATOR, quiet.id);
    expect(quiet.app.requests).toHaveLength(before);
  });

  test("belongs to one person and needs a button to be submitted", async () => {
    const { id, service } = await standing("", modal());
    await expect(service.ui.close(VISITOR, id)).rejects.toThrow("has no dialog");
    await expect(service.ui.submit(OPERATOR, id)).rejects.toThrow("no button to submit");
  });
});

describe("dialogs in front of one person", () => {
  test("takes another on top by a click inside it, three in all", async () => {
    const view = modal({ blocks: [section("A node"), buttons] });
    const { app, client, service } = await standing("", view);
    const push = async () => {
      const top = service.ui.viewsOf(OPERATOR).at(-1);
      await service.ui.press(OPERATOR, { viewId: String(top?.id), actionId: "cancel" });
      expect(app.last()).toMatchObject({ type: "block_actions", container: { type: "view", view_id: top?.id } });
      return client.views.push({ trigger_id: app.last().trigger_id, view });
    };
    await push();
    await push();
    await expect(push()).rejects.toMatchObject({ data: { error: "push_limit_reached" } });
    expect(service.ui.viewsOf(OPERATOR)).toHaveLength(3);
  });

  test("is still there after a restart", async () => {
    const [store, clock, app] = [openStore(":memory:"), manualClock(), silentApp()];
    const first = bench({ requestUrl: app.requestUrl }, clock, store);
    await first.service.ui.type(OPERATOR, CHANNEL, "/win remove x");
    await first.client.views.open({ trigger_id: app.last().trigger_id, view: removal });
    const second = bench({ requestUrl: app.requestUrl }, clock, store);
    expect(second.service.ui.viewsOf(OPERATOR)).toMatchObject([{ external_id: "dialog-remove-1" }]);
  });
});
