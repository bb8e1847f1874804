import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { frontDoor } from "../../lambdas/front-door/door.ts";
import type { HttpEvent } from "../../lambdas/front-door/verify.ts";
import { nodeRecord, operationRecord } from "../messages/records.ts";
import { type Memory, NOW, rememberingWorld } from "./remembering-world.ts";
import { buttonPress, dialogEvent, slashCommand } from "./signed.ts";

let memory: Memory;
let door: ReturnType<typeof frontDoor>;

beforeEach(() => {
  const town = rememberingWorld();
  memory = town.memory;
  door = frontDoor(town.world);
  vi.spyOn(console, "error").mockImplementation(() => undefined);
});
afterEach(() => {
  vi.restoreAllMocks();
});

/** The answer's JSON; every answer to a command is private. */
async function answer(event: HttpEvent): Promise<{ response_type: string; text: string; blocks: unknown[] }> {
  const { statusCode, body } = await door(event, {});
  expect(statusCode).toBe(200);
  const said = JSON.parse(body);
  expect(said.response_type).toBe("ephemeral");
  return said;
}

const type = async (text: string, fields?: Record<string, string>): Promise<string> =>
  (await answer(slashCommand(text, fields))).text;
const onlyOperation = () => {
  expect(memory.operations.size).toBe(1);
  return [...memory.operations.values()][0] ?? operationRecord();
};

describe("a command", () => {
  test("is written down, started under its own name, and answered with the way to look and to cancel", async () => {
    const said = await type("add web 2");
    const operation = onlyOperation();
    expect(operation).toMatchObject({
      status: "requested",
      request: { command: "add", pool: "web", count: 2, dryRun: false },
      asker: { userId: "U0OPERATOR", userName: "olivia", channel: "C0WINDOWS" },
      requestedAt: "2026-11-21T10:30:00.000Z",
    });
    expect(memory.executions.get(operation.id)).toEqual({
      workflow: "add-nodes",
      payload: {
        operation: operation.id,
        request: operation.request,
        asker: operation.asker,
        notAfter: NOW / 1000 + 900,
      },
    });
    expect(said).toBe(
      `On it: *Add 2 nodes to web* is \`${operation.id}\`. Its message follows here; \`/win operations\` shows how it stands, \`/win cancel ${operation.id}\` stops it.`,
    );
  });

  test("delivered twice starts one operation and gets the same answer", async () => {
    const first = await answer(slashCommand("add web 2"));
    expect(await answer(slashCommand("add web 2"))).toEqual(first);
    expect(memory.operations.size).toBe(1);
    expect(memory.executions.size).toBe(1);
  });

  test("typed twice is two operations", async () => {
    await type("add web");
    await type("add web", { trigger_id: "1.2.4" });
    expect(memory.executions.size).toBe(2);
  });

  test("whose first delivery died before the start is started by the second", async () => {
    memory.broken.add("start").add("changeOperation");
    await type("add web");
    memory.broken.clear();
    await type("add web");
    expect(memory.executions.size).toBe(1);
  });

  test("whose start is not taken says so, in the answer and in the ledger, also when it is delivered again", async () => {
    memory.broken.add("start");
    const said = await type("add web");
    expect(said).toContain("Nothing was started: the service that runs operations did not take it.");
    expect(onlyOperation()).toMatchObject({ status: "not-started", endedAt: "2026-11-21T10:30:00.000Z" });
    memory.broken.clear();
    expect(await type("add web")).toBe(said);
    expect(memory.executions.size).toBe(0);
  });

  test("whose repeat is not taken leaves the first start as it is", async () => {
    const said = await type("add web");
    memory.broken.add("start");
    expect(await type("add web")).toBe(said);
    expect(onlyOperation().status).toBe("requested");
  });

  test("gets a sentence instead of silence when the ledger does not answer, and starts nothing", async () => {
    memory.broken.add("requested");
    expect(await type("add web")).toContain("does not answer");
    expect(memory.starts).toEqual([]);
  });

  test.each([
    ["nodes", { command: "nodes" }],
    ["describe node win-1", { command: "node", node: "win-1" }],
    ["operations", { command: "operations" }],
  ])("%j is looked up by a workflow, also for those who may only look", async (text, request) => {
    expect(await type(text, { user_id: "U0READER" })).toContain("is looking");
    expect([...memory.executions.values()]).toMatchObject([{ workflow: "look", payload: { request } }]);
  });

  test.each(["add wbe", "add web two", "frobnicate", "add web 2 3"])(
    "%j is answered with the right form and starts nothing",
    async (text) => {
      expect(await type(text)).toMatch(/\/win (add|help)/);
      expect(memory.operations.size).toBe(0);
    },
  );
});

describe("help", () => {
  test("lists every command and says what the reader may not use", async () => {
    const visitor = JSON.stringify(await answer(slashCommand("", { user_id: "U0VISITOR0" })));
    expect(visitor.split("not yours to use").length - 1).toBe(6);
    expect(visitor).toContain("You may change nothing here");
    const operator = JSON.stringify(await answer(slashCommand("help")));
    expect(operator).not.toContain("not yours to use");
    expect(operator).toContain("`/win add &lt;pool&gt; [count] [--dry-run]`");
  });

  test("explains one command", async () => {
    const said = JSON.stringify(await answer(slashCommand("help add")));
    expect(said).toContain("above the pool's maximum");
    expect(said).toContain("`/win add web 2 --dry-run`");
  });
});

describe("somebody who may not", () => {
  test.each([
    ["has no role", {}, "no role that may use `add`"],
    ["is of another workspace", { team_id: "T0OTHER" }, "my own workspace"],
    ["types in another channel", { channel_id: "C0RANDOM" }, "<#C0WINDOWS>"],
    ["writes to the bot directly", { channel_id: "D0DIRECT" }, "<#C0WINDOWS>"],
  ])("is told in private when the person %s, and nothing is started", async (_why, fields, sentence) => {
    expect(await type("add web", { user_id: "U0VISITOR0", ...fields })).toContain(sentence);
    expect(memory.operations.size).toBe(0);
  });

  test.each([
    ["guest", "Guests"],
    ["bot", "from people"],
    ["shared-channel", "another organisation"],
  ] as const)("is told in private as a %s, whatever the roles", async (standing, sentence) => {
    memory.standings.set("U0OPERATOR", standing);
    expect(await type("add web")).toContain(sentence);
    expect(await type("help")).toContain(sentence);
    expect(memory.operations.size).toBe(0);
  });

  test("gets nothing done while the groups cannot be read", async () => {
    memory.broken.add("groupsOf");
    expect(await type("add web")).toContain("does not answer");
    expect(memory.operations.size).toBe(0);
  });
});

describe("cancel", () => {
  const waitingAdd = () => {
    memory.operations.set("add-3f9c2a71", operationRecord({ callbacks: { cancel: "callback-operation" } }));
    memory.nodes.push(
      nodeRecord({ callbacks: { cancel: "callback-0", decision: "decision-0" } }),
      nodeRecord({ index: 1, callbacks: { cancel: "callback-1" } }),
      nodeRecord({ operation: "add-00000000", callbacks: { cancel: "callback-of-another" } }),
    );
    for (const id of ["callback-operation", "callback-0", "callback-1", "callback-of-another", "decision-0"])
      memory.callbacks.set(id, "waiting");
  };

  test("sets the flag and wakes everything of the operation that waits for it, and nothing else", async () => {
    waitingAdd();
    expect(await type("cancel add-3f9c2a71")).toContain("Cancelling `add-3f9c2a71`");
    expect(memory.operations.get("add-3f9c2a71")?.cancelledBy).toBe("U0OPERATOR");
    const cancelled = { decision: "cancel", userId: "U0OPERATOR" };
    expect(Object.fromEntries(memory.callbacks)).toEqual({
      "callback-operation": cancelled,
      "callback-0": cancelled,
      "callback-1": cancelled,
      "callback-of-another": "waiting",
      "decision-0": "waiting",
    });
  });

  test("says who was first when it was asked for already", async () => {
    waitingAdd();
    await type("cancel add-3f9c2a71");
    expect(await type("cancel add-3f9c2a71")).toContain("is being cancelled already, <@U0OPERATOR> asked for it");
  });

  test("says when there is nothing left to cancel", async () => {
    memory.operations.set(
      "add-3f9c2a71",
      operationRecord({ status: "succeeded", endedAt: "2026-11-21T10:00:00.000Z" }),
    );
    expect(await type("cancel add-3f9c2a71")).toContain("has ended already (✅ done)");
    expect(memory.operations.get("add-3f9c2a71")?.cancelledBy).toBeNull();
  });

  test("says when there is no such operation", async () => {
    expect(await type("cancel add-00000000")).toContain("There is no operation `add-00000000`");
  });

  test("by the button does the same and answers in private", async () => {
    waitingAdd();
    await door(buttonPress("cancel-operation", "add-3f9c2a71"), {});
    expect(memory.callbacks.get("callback-1")).toEqual({ decision: "cancel", userId: "U0OPERATOR" });
    expect(memory.whispers[0]?.message.text).toContain("Cancelling `add-3f9c2a71`");
  });
});

describe("the buttons of a failed node", () => {
  beforeEach(() => {
    memory.nodes.push(nodeRecord({ index: 1, status: "deciding", callbacks: { decision: "decision-1" } }));
    memory.callbacks.set("decision-1", "waiting");
  });

  test.each([
    ["keep-instance", "keep"],
    ["terminate-instance", "terminate"],
  ])("%s completes the waiting decision, and says nothing more", async (actionId, decision) => {
    expect((await door(buttonPress(actionId, "add-3f9c2a71:1"), {})).statusCode).toBe(200);
    expect(memory.callbacks.get("decision-1")).toEqual({ decision, userId: "U0OPERATOR" });
    expect(memory.whispers).toEqual([]);
  });

  test("tell who comes second that it was decided", async () => {
    await door(buttonPress("keep-instance", "add-3f9c2a71:1"), {});
    await door(buttonPress("terminate-instance", "add-3f9c2a71:1"), {});
    expect(memory.callbacks.get("decision-1")).toEqual({ decision: "keep", userId: "U0OPERATOR" });
    expect(memory.whispers).toMatchObject([
      { userId: "U0OPERATOR", message: { text: expect.stringContaining("Somebody was faster") } },
    ]);
  });

  test.each([
    ["a visitor", buttonPress("terminate-instance", "add-3f9c2a71:1", "U0VISITOR0"), "no role"],
    ["somebody who may only look", buttonPress("terminate-instance", "add-3f9c2a71:1", "U0READER"), "no role"],
    [
      "another workspace",
      buttonPress("terminate-instance", "add-3f9c2a71:1", "U0OPERATOR", {
        user: { id: "U0OPERATOR", team_id: "T0OTHER" },
      }),
      "my own workspace",
    ],
    [
      "another channel",
      buttonPress("terminate-instance", "add-3f9c2a71:1", "U0OPERATOR", { channel: { id: "C0RANDOM" } }),
      "<#C0WINDOWS>",
    ],
  ])("do nothing for %s and say so in private", async (_who, event, sentence) => {
    expect((await door(event, {})).statusCode).toBe(200);
    expect(memory.callbacks.get("decision-1")).toBe("waiting");
    expect(memory.whispers).toMatchObject([{ message: { text: expect.stringContaining(sentence) } }]);
  });

  test.each(["add-3f9c2a71:7", "add-3f9c2a71", "", "../../x:1", "add-3f9c2a71:-1"])(
    "do nothing with the value %j",
    async (value) => {
      await door(buttonPress("keep-instance", value), {});
      expect(memory.callbacks.get("decision-1")).toBe("waiting");
      expect(memory.whispers).toMatchObject([{ message: { text: expect.stringContaining("belongs to nothing") } }]);
    },
  );

  test("tell the person when the decision could not be passed on", async () => {
    memory.broken.add("completeCallback");
    expect((await door(buttonPress("keep-instance", "add-3f9c2a71:1"), {})).statusCode).toBe(200);
    expect(memory.whispers).toMatchObject([{ message: { text: expect.stringContaining("does not answer") } }]);
  });
});

describe("the removal's dialog", () => {
  const removal = operationRecord({
    id: "remove-12345678",
    request: { command: "remove", node: "win-1", dryRun: false },
    callbacks: { dialog: "callback-dialog" },
  });
  const waiting = () => {
    memory.operations.set(removal.id, removal);
    memory.callbacks.set("callback-dialog", "waiting");
  };
  const shown = async (event: HttpEvent) => JSON.parse((await door(event, {})).body || "null");

  test("opens at once with the command's own trigger, and the workflow is started to fill it in", async () => {
    await type("remove win-1");
    const { id } = onlyOperation();
    expect(memory.dialogs).toMatchObject([{ triggerId: "1.2.3", dialog: { external_id: `dialog-${id}` } }]);
    expect(memory.executions.get(id)?.workflow).toBe("remove-node");
  });

  test("opens once when the command is delivered twice", async () => {
    const first = await type("remove win-1");
    expect(await type("remove win-1")).toBe(first);
    expect(memory.dialogs.length).toBe(1);
  });

  test("is not opened for a dry run", async () => {
    await type("remove win-1 --dry-run");
    expect(memory.dialogs).toEqual([]);
    expect(memory.executions.size).toBe(1);
  });

  test("that Slack does not open means that nothing is started", async () => {
    memory.broken.add("openDialog");
    expect(await type("remove win-1")).toContain("Slack did not open the dialog in time");
    expect(onlyOperation().status).toBe("not-started");
    expect(memory.starts).toEqual([]);
  });

  test("submitted completes the waiting callback and closes", async () => {
    waiting();
    expect(await shown(dialogEvent("view_submission", removal.id))).toBeNull();
    expect(memory.callbacks.get("callback-dialog")).toEqual({ decision: "submitted", userId: "U0OPERATOR" });
  });

  test("submitted too late says so in its place", async () => {
    waiting();
    await shown(dialogEvent("view_submission", removal.id));
    const answered = await shown(dialogEvent("view_submission", removal.id));
    expect(answered).toMatchObject({ response_action: "update", view: { type: "modal", notify_on_close: false } });
    expect(JSON.stringify(answered)).toContain("Somebody was faster");
  });

  test("submitted by somebody who lost the role removes nothing", async () => {
    waiting();
    expect(JSON.stringify(await shown(dialogEvent("view_submission", removal.id, "U0READER")))).toContain(
      "no role that may use `remove`",
    );
    expect(memory.callbacks.get("callback-dialog")).toBe("waiting");
  });

  test("of an operation that nobody knows says so", async () => {
    expect(JSON.stringify(await shown(dialogEvent("view_submission", "remove-00000000")))).toContain(
      "belongs to nothing",
    );
  });

  test("closed completes the waiting callback", async () => {
    waiting();
    await shown(dialogEvent("view_closed", removal.id));
    expect(memory.callbacks.get("callback-dialog")).toEqual({ decision: "closed", userId: "U0OPERATOR" });
  });

  test("closed before the workflow waits for it cancels the operation", async () => {
    memory.operations.set(removal.id, { ...removal, callbacks: {} });
    await shown(dialogEvent("view_closed", removal.id));
    expect(memory.operations.get(removal.id)?.cancelledBy).toBe("U0OPERATOR");
  });

  test("closed by somebody who did not ask changes nothing", async () => {
    waiting();
    await shown(dialogEvent("view_closed", removal.id, "U0VISITOR0"));
    expect(memory.callbacks.get("callback-dialog")).toBe("waiting");
  });
});
