import { beforeEach, describe, expect, test } from "vitest";
import { operationRecord } from "../messages/records.ts";
import { frontDoorInMemory } from "./front-door-in-memory.ts";
import { buttonPress } from "./signed.ts";

let { memory, send } = frontDoorInMemory();

beforeEach(() => {
  ({ memory, send } = frontDoorInMemory());
});

const started = () => [...memory.executions.values()].map(({ workflow, payload }) => [workflow, payload.request]);

describe("a button that holds a command", () => {
  test("starts it as if the person had typed it, once however often the click is delivered", async () => {
    await send(buttonPress("look-again", "why ip-10-0-3-7", "U0READER"));
    await send(buttonPress("look-again", "why ip-10-0-3-7", "U0READER"));
    expect(started()).toEqual([["look", { command: "why", node: "ip-10-0-3-7" }]]);
  });

  test("gives nobody a right that typing does not give", async () => {
    await send(buttonPress("do-next", "uncordon ip-10-0-3-7", "U0READER"));
    expect(started()).toEqual([]);
    expect(memory.ephemerals[0]?.message.text).toContain("You do not have permission to use `uncordon`");
  });

  test.each(["add web 8", "approve add-3f9c2a71", "cancel add-3f9c2a71", "help", "what is this", ""])(
    "does nothing with %j",
    async (text) => {
      await send(buttonPress("do-next", text));
      expect(started()).toEqual([]);
      expect(memory.ephemerals.map(({ message }) => message.text)).toEqual([expect.stringContaining("expired")]);
    },
  );
});

describe("a button of a private answer", () => {
  const press = (actionId: string, command: string, user = "U0OPERATOR", isPrivate = true) =>
    send(
      buttonPress(actionId, command, user, {
        container: { type: "message", message_ts: "1.0", is_ephemeral: isPrivate },
      }),
    );
  const URL = "https://hooks.slack.example/actions/1";

  test("is replaced by what it started, so that it cannot be pressed again", async () => {
    await press("do-next", "uncordon ip-10-0-3-7");
    expect(memory.ephemerals).toEqual([
      expect.objectContaining({
        url: URL,
        message: expect.objectContaining({ text: expect.stringMatching(/^Checking/) }),
      }),
    ]);
  });

  test("that looks again is replaced by the look's answer alone", async () => {
    await press("look-again", "why ip-10-0-3-7");
    expect(memory.ephemerals).toEqual([]);
    expect([...memory.responseUrls.values()]).toEqual([URL]);
  });

  test("stays where nothing was started", async () => {
    await press("do-next", "uncordon ip-10-0-3-7", "U0READER");
    await press("do-next", "what is this");
    memory.broken.add("executions.start");
    await press("do-next", "uncordon ip-10-0-3-7");
    expect(memory.ephemerals.map(({ url }) => url)).toEqual([undefined, undefined, undefined]);
  });

  test("replaces nothing in a message that everybody sees", async () => {
    await press("do-next", "uncordon ip-10-0-3-7", "U0OPERATOR", false);
    await press("look-again", "why ip-10-0-3-7", "U0OPERATOR", false);
    expect(memory.ephemerals.map(({ url }) => url)).toEqual([undefined, undefined]);
    expect([...memory.responseUrls.values()]).toEqual([]);
  });
});

describe("a button that starts an operation", () => {
  const failed = "reboot-3f9c2a71";
  const press = (block_id: string, place: object) =>
    send(
      buttonPress("prove-again", "prove win-1", "U0OPERATOR", {
        container: { type: "message", is_ephemeral: true, ...place },
        actions: [{ type: "button", action_id: "prove-again", block_id, value: "prove win-1", action_ts: "1.0" }],
      }),
    );
  const followUps = () => memory.operations.get(failed)?.followUps;

  beforeEach(() => {
    memory.operations.set(
      failed,
      operationRecord({ id: failed, messageTs: "7.1", endedAt: "2026-11-21T15:00:00.000Z" }),
    );
  });

  test.each([
    ["the message", { message_ts: "7.1" }],
    ["a reply in its thread", { message_ts: "7.2", thread_ts: "7.1" }],
  ])("is noted in the operation of %s, with the node and the person", async (_, place) => {
    await press(`decide:${failed}:2`, place);
    const [one] = followUps() ?? [];
    expect(one).toMatchObject({ index: 2, by: "U0OPERATOR", domain: "casement" });
    expect(memory.operations.get(one?.operation ?? "")?.follows).toEqual({ operation: failed, index: 2 });
  });

  test.each([
    ["whose message is another one", `decide:${failed}:2`, { message_ts: "8.1" }],
    ["that the ledger does not hold", "decide:reboot-00000000:2", { message_ts: "7.1" }],
    ["without a row that names one", "next", { message_ts: "7.1" }],
  ])("is noted in no operation %s", async (_, block, place) => {
    await press(block, place);
    expect(started()).toHaveLength(1);
    expect([...memory.operations.values()].filter((one) => one.followUps ?? one.follows)).toEqual([]);
  });

  test.each([
    ["a message that is about no operation", { message_ts: "1.0", is_ephemeral: false }, "1.0"],
    ["a reply that is about none", { message_ts: "1.0", thread_ts: "0.9", is_ephemeral: false }, "0.9"],
    ["a private answer", { message_ts: "1.0" }, null],
  ])("is named with the person in the thread of %s", async (_, place, threadTs) => {
    await press("fleet:not-ready:0", place);
    expect(memory.notes).toEqual(
      threadTs === null
        ? []
        : [{ threadTs, text: expect.stringMatching(/^▶️ <@U0OPERATOR> started `prove-[0-9a-f]{8}`: Prove win-1/) }],
    );
  });

  test("is started where Slack takes no note of it, and a start that failed is not named", async () => {
    memory.broken.add("thread.note");
    await press("fleet:not-ready:0", { message_ts: "1.0", is_ephemeral: false });
    expect(started()).toHaveLength(1);
    memory.broken.clear();
    memory.broken.add("executions.start");
    await send(buttonPress("prove-again", "prove win-2", "U0OPERATOR", { trigger_id: "another" }));
    expect(memory.notes).toEqual([]);
  });
});
