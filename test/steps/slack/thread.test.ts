import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { withLog } from "../../../lambdas/logging.ts";
import { isBusy } from "../../../lambdas/steps/client-errors.ts";
import { demo } from "../../../lib/sandbox/demo.ts";
import { refusalCodes, refusalStatuses } from "../../../lib/sandbox/slack/faults.ts";
import { type TestSimulator, testSimulator } from "../test-simulator.ts";
import { refusals } from "./refusing.ts";

let simulator: TestSimulator;
beforeAll(async () => {
  simulator = await testSimulator();
});
afterAll(() => simulator.close());
// Slack takes about one message a second in a channel.
beforeEach(() => simulator.pass(60));

const CHANNEL = demo.slack.channelId;
const thread = () => simulator.as("remove-node").thread;
const saying = (text: string) => ({ text, blocks: [{ type: "section", text: { type: "mrkdwn", text } }] });
const seen = (text: string) => simulator.slack.messages().filter((message) => message.text === text);

describe("What is said in Slack", () => {
  it("stands in the channel, and in its thread when told", async () => {
    const ts = await thread().post(CHANNEL, saying("on it"), "first");
    const reply = await thread().post(CHANNEL, saying("detail"), "second", ts);
    expect(seen("on it")).toMatchObject([{ channel: CHANNEL, ts }]);
    expect(seen("detail")).toMatchObject([{ ts: reply, threadTs: ts }]);
  });

  it("is posted once, however often it is asked for", async () => {
    const ts = await thread().post(CHANNEL, saying("once"), "once");
    expect(await thread().post(CHANNEL, saying("once"), "once")).toBe(ts);
    const reply = await thread().post(CHANNEL, saying("once below"), "once below", ts);
    expect(await thread().post(CHANNEL, saying("once below"), "once below", ts)).toBe(reply);
    expect([...seen("once"), ...seen("once below")]).toHaveLength(2);
  });

  it("is found again when Slack took it and its answer was lost", async () => {
    simulator.simulation.faults.inject("slack-answer-lost", { method: "chat.postMessage" }, 1);
    const post = () => thread().post(CHANNEL, saying("taken"), "taken");
    const ts = await post().catch(post);
    expect(seen("taken")).toMatchObject([{ ts }]);
  });

  it("is posted after all when Slack did not take it the first time", async () => {
    simulator.simulation.faults.inject("slack-down", { method: "chat.postMessage" }, 1);
    const post = () => thread().post(CHANNEL, saying("late"), "late");
    await expect(post()).rejects.toSatisfy(isBusy);
    await post();
    expect(seen("late")).toHaveLength(1);
  });

  it("is rewritten in place", async () => {
    const ts = await thread().post(CHANNEL, saying("before"), "third");
    expect(await thread().update(CHANNEL, ts, saying("after"))).toBe(ts);
    expect(seen("before")).toEqual([]);
    expect(seen("after")).toMatchObject([{ ts, edited: true }]);
  });

  it("is said anew when the message is gone", async () => {
    const fresh = await thread().update(CHANNEL, "1700000000.000100", saying("again"));
    expect(seen("again")).toMatchObject([{ ts: fresh }]);
  });

  it("reaches one person alone when it is ephemeral", async () => {
    await thread().sendEphemeral(CHANNEL, "U0OPERATOR", saying("psst"));
    expect(seen("psst")).toMatchObject([{ onlyTo: "U0OPERATOR" }]);
  });

  it.each(["slack-ratelimited", "slack-5xx", "slack-down"])("is tried again later under %s", async (kind) => {
    const ts = await thread().post(CHANNEL, saying(`under ${kind}`), kind);
    simulator.simulation.faults.inject(kind, { method: "chat.update" }, 4);
    const error = await thread()
      .update(CHANNEL, ts, saying("changed"))
      .catch((thrown: unknown) => thrown);
    expect(isBusy(error)).toBe(true);
    for (const { id } of simulator.simulation.faults.inForce()) simulator.simulation.faults.end(id);
    expect(seen(`under ${kind}`)).toHaveLength(1);
  });

  it.each(refusalCodes)("is tried again later when Slack refuses it with %s", async (code) => {
    const fault = simulator.simulation.faults.inject("slack-refuses", { code });
    const error = await thread()
      .post(CHANNEL, saying("lost"), `lost ${code}`)
      .catch((thrown: unknown) => thrown);
    simulator.simulation.faults.end(fault?.id ?? "");
    expect(error).toMatchObject({ message: `Slack refused: ${code}` });
    expect(isBusy(error)).toBe(true);
  });

  it.each(refusalStatuses)("is tried again later when Slack answers %s", async (status) => {
    const fault = simulator.simulation.faults.inject("slack-http", { status });
    const error = await thread()
      .post(CHANNEL, saying("lost"), `lost ${status}`)
      .catch((thrown: unknown) => thrown);
    simulator.simulation.faults.end(fault?.id ?? "");
    expect(error).toMatchObject({ message: `Slack answered ${status}` });
    expect(isBusy(error)).toBe(true);
  });

  /** Makes a call. @returns the lines of the log */
  async function logged(call: () => Promise<unknown>): Promise<Record<string, unknown>[]> {
    const lines: Record<string, unknown>[] = [];
    const log = (line: string) => void lines.push(JSON.parse(line));
    const runtime = { settings: simulator.settings("remove-node"), now: simulator.simulation.clock.now, log };
    await withLog(runtime, {}, call);
    return lines;
  }

  /** Makes a call while Slack answers it with a code, or with a status. @returns the lines of the log */
  async function refused(refusal: string, call: () => Promise<unknown>): Promise<Record<string, unknown>[]> {
    const fault = /^\d/.test(refusal)
      ? simulator.simulation.faults.inject("slack-http", { status: refusal })
      : simulator.simulation.faults.inject("slack-refuses", { code: refusal });
    const lines = await logged(call);
    simulator.simulation.faults.end(fault?.id ?? "");
    return lines;
  }

  const outcome = expect.stringMatching(/^(denied|unavailable)$/);
  const loggedOnce = (action: string, lines: readonly Record<string, unknown>[]) => [
    expect.objectContaining({ event: "refusal", service: "slack", action, outcome }),
    expect.objectContaining({ SlackRefusals: 1, Kind: lines[0]?.outcome }),
  ];

  it.each(refusals)("is logged and counted once when Slack refuses it: %s", async (refusal) => {
    const lines = await refused(refusal, () =>
      thread()
        .update(CHANNEL, "1700000000.000100", saying("lost"))
        .catch(() => ""),
    );
    expect(lines).toEqual(loggedOnce("chat.update", lines));
  });

  it.each(refusals)("for one person alone is logged and counted once when Slack refuses it: %s", async (refusal) => {
    const errors: unknown[] = [];
    const lines = await refused(refusal, () =>
      thread()
        .sendEphemeral(CHANNEL, "U0OPERATOR", saying("never"))
        .catch((error: unknown) => errors.push(error)),
    );
    expect(lines).toEqual(loggedOnce("chat.postEphemeral", lines));
    expect(seen("never")).toEqual([]);
    const passes = /^\d/.test(refusal) || lines[0]?.outcome === "unavailable";
    expect(errors.map(isBusy)).toEqual(passes ? [true] : []);
  });

  it("for a person who is not in the channel is logged, and counts as no refusal of the app", async () => {
    const lines = await logged(() => thread().sendEphemeral(CHANNEL, "U0ELSEWHERE", saying("never")));
    expect(lines).toEqual([expect.objectContaining({ event: "refusal", code: "user_not_in_channel" })]);
  });
});

describe("A dialog", () => {
  const view = {
    type: "modal",
    callback_id: "remove",
    title: { type: "plain_text", text: "Remove a node" },
    blocks: saying("who?").blocks,
  };

  it("that was answered or closed is let go", async () => {
    expect(await thread().fillDialog("remove-1", view)).toBe(false);
  });
});
