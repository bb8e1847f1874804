import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { OperationRecord } from "../../lambdas/records/records.ts";
import { nodeRecord, operationRecord } from "../messages/records.ts";
import { frontDoorInMemory } from "./front-door-in-memory.ts";
import { buttonPress } from "./signed.ts";

let { memory, type, send } = frontDoorInMemory();

beforeEach(() => {
  ({ memory, type, send } = frontDoorInMemory());
  vi.spyOn(console, "error").mockImplementation(() => undefined);
});
afterEach(() => {
  vi.restoreAllMocks();
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
    expect(await type("cancel add-3f9c2a71", { trigger_id: "1.2.4" })).toContain(
      "is already being cancelled by <@U0OPERATOR>",
    );
  });

  test("delivered again gets the first answer, also when the operation has ended meanwhile", async () => {
    waitingAdd();
    const first = await type("cancel add-3f9c2a71");
    expect(await type("cancel add-3f9c2a71")).toBe(first);
    const cancelled = memory.operations.get("add-3f9c2a71");
    if (!cancelled) throw new Error("the operation is gone");
    const ended = { status: "cancelled", endedAt: "2026-11-21T10:31:00.000Z" } as const;
    memory.operations.set("add-3f9c2a71", { ...cancelled, ...ended });
    expect(await type("cancel add-3f9c2a71")).toBe(first);
  });

  test("whose flag was set by a door that died then wakes those who wait", async () => {
    waitingAdd();
    memory.broken.add("executions.complete");
    await type("cancel add-3f9c2a71");
    memory.broken.clear();
    await type("cancel add-3f9c2a71", { trigger_id: "1.2.4", user_id: "U0OPERATOR" });
    expect(memory.callbacks.get("callback-1")).toEqual({ decision: "cancel", userId: "U0OPERATOR" });
  });

  test("says when there is nothing left to cancel", async () => {
    memory.operations.set(
      "add-3f9c2a71",
      operationRecord({ status: "succeeded", endedAt: "2026-11-21T10:00:00.000Z" }),
    );
    expect(await type("cancel add-3f9c2a71")).toContain("has already ended (✅ done)");
    expect(memory.operations.get("add-3f9c2a71")?.cancelledBy).toBeNull();
  });

  test("says when there is no such operation", async () => {
    expect(await type("cancel add-00000000")).toContain("Operation `add-00000000` not found");
  });

  test("by the button does the same and answers in private", async () => {
    waitingAdd();
    await send(buttonPress("cancel-operation", "add-3f9c2a71"));
    expect(memory.callbacks.get("callback-1")).toEqual({ decision: "cancel", userId: "U0OPERATOR" });
    expect(memory.ephemerals[0]?.message.text).toContain("Cancelling `add-3f9c2a71`");
  });
});

describe("the buttons of failures with one cause", () => {
  beforeEach(() => {
    for (const index of [0, 1, 2, 3]) {
      memory.nodes.push(nodeRecord({ index, status: "deciding", callbacks: { decision: `decision-${index}` } }));
      memory.callbacks.set(`decision-${index}`, "waiting");
    }
  });
  const decisions = () => [0, 1, 2, 3].map((index) => memory.callbacks.get(`decision-${index}`));
  const keep = { decision: "keep", userId: "U0OPERATOR" };
  const terminate = { decision: "terminate", userId: "U0OPERATOR" };

  test.each([
    ["keep-one", [keep, terminate, terminate, "waiting"]],
    ["keep-all", [keep, keep, keep, "waiting"]],
    ["terminate-all", [terminate, terminate, terminate, "waiting"]],
  ])("%s decides about the machines that the message lists, and about no other", async (actionId, decided) => {
    await send(buttonPress(actionId, "add-3f9c2a71:0,1,2"));
    expect(decisions()).toEqual(decided);
    expect(memory.ephemerals[0]?.message.text).toBe("Your decision is recorded for 3 of 3 machines.");
  });

  test("leave a machine as it was decided before", async () => {
    await send(buttonPress("keep-instance", "add-3f9c2a71:1"));
    await send(buttonPress("terminate-all", "add-3f9c2a71:0,1", "U0OPERATOR", { trigger_id: "1.2.9" }));
    expect(decisions()).toEqual([terminate, keep, "waiting", "waiting"]);
    expect(memory.ephemerals[0]?.message.text).toBe(
      "Your decision is recorded for 1 of 2 machines. About the others someone decided before, or their time was over: the thread has the end of each.",
    );
  });

  test("terminate no other machine where the one to keep was terminated before", async () => {
    await send(buttonPress("terminate-instance", "add-3f9c2a71:0"));
    await send(buttonPress("keep-one", "add-3f9c2a71:0,1,2", "U0OPERATOR", { trigger_id: "1.2.9" }));
    expect(decisions()).toEqual([terminate, "waiting", "waiting", "waiting"]);
    expect(memory.ephemerals[0]?.message.text).toContain("already made, or timed out");
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
    expect((await send(buttonPress(actionId, "add-3f9c2a71:1"))).statusCode).toBe(200);
    expect(memory.callbacks.get("decision-1")).toEqual({ decision, userId: "U0OPERATOR" });
    expect(memory.ephemerals).toEqual([]);
  });

  test("delivered again get no other answer", async () => {
    await send(buttonPress("keep-instance", "add-3f9c2a71:1"));
    await send(buttonPress("keep-instance", "add-3f9c2a71:1"));
    expect(memory.ephemerals).toEqual([]);
  });

  test("tell it later when the door died between writing the decision and telling it", async () => {
    memory.broken.add("executions.complete");
    await send(buttonPress("keep-instance", "add-3f9c2a71:1"));
    memory.broken.clear();
    await send(buttonPress("terminate-instance", "add-3f9c2a71:1", "U0OPERATOR", { trigger_id: "4.5.7" }));
    expect(memory.callbacks.get("decision-1")).toEqual({ decision: "keep", userId: "U0OPERATOR" });
    expect(memory.ephemerals.at(-1)).toMatchObject({
      message: { text: expect.stringContaining("already made, or timed out") },
    });
  });

  test("tell who comes second that it was decided", async () => {
    await send(buttonPress("keep-instance", "add-3f9c2a71:1"));
    await send(buttonPress("terminate-instance", "add-3f9c2a71:1", "U0OPERATOR", { trigger_id: "4.5.7" }));
    expect(memory.callbacks.get("decision-1")).toEqual({ decision: "keep", userId: "U0OPERATOR" });
    expect(memory.ephemerals).toMatchObject([
      { userId: "U0OPERATOR", message: { text: expect.stringContaining("already made, or timed out") } },
    ]);
  });

  test.each([
    ["a visitor", buttonPress("terminate-instance", "add-3f9c2a71:1", "U0VISITOR0"), "do not have permission"],
    [
      "somebody who may only look",
      buttonPress("terminate-instance", "add-3f9c2a71:1", "U0READER"),
      "do not have permission",
    ],
    [
      "another workspace",
      buttonPress("terminate-instance", "add-3f9c2a71:1", "U0OPERATOR", {
        user: { id: "U0OPERATOR", team_id: "T0OTHER" },
      }),
      "Casement's own workspace",
    ],
    [
      "another channel",
      buttonPress("terminate-instance", "add-3f9c2a71:1", "U0OPERATOR", { channel: { id: "C0RANDOM" } }),
      "<#C0WINDOWS>",
    ],
  ])("do nothing for %s and say so in private", async (_who, event, sentence) => {
    expect((await send(event)).statusCode).toBe(200);
    expect(memory.callbacks.get("decision-1")).toBe("waiting");
    expect(memory.ephemerals).toMatchObject([{ message: { text: expect.stringContaining(sentence) } }]);
  });

  test.each(["add-3f9c2a71:7", "add-3f9c2a71", "", "../../x:1", "add-3f9c2a71:-1"])(
    "do nothing with the value %j",
    async (value) => {
      await send(buttonPress("keep-instance", value));
      expect(memory.callbacks.get("decision-1")).toBe("waiting");
      expect(memory.ephemerals).toMatchObject([{ message: { text: expect.stringContaining("has expired") } }]);
    },
  );

  test("tell the person when the decision could not be passed on", async () => {
    memory.broken.add("executions.complete");
    expect((await send(buttonPress("keep-instance", "add-3f9c2a71:1"))).statusCode).toBe(200);
    expect(memory.ephemerals).toMatchObject([{ message: { text: expect.stringContaining("is not responding") } }]);
  });
});

describe("the button Try again", () => {
  const failed = nodeRecord({
    status: "failed",
    failure: { stage: "agent", why: "gave up waiting", left: "no instance was launched" },
  });
  const fail = (fields: Partial<OperationRecord> = {}) => {
    memory.operations.set(
      "add-3f9c2a71",
      operationRecord({ status: "failed", endedAt: "2026-11-21T10:00:00.000Z", ...fields }),
    );
    memory.nodes.push(failed, nodeRecord({ index: 1, status: "succeeded" }));
  };
  const press = (triggerId: string, user = "U0OPERATOR") =>
    send(buttonPress("try-again", "add-3f9c2a71", user, { trigger_id: triggerId }));

  test("starts the request for as many nodes as failed, once, by the first person who pressed", async () => {
    fail();
    await press("1.2.3");
    await press("1.2.4");
    const [started, ...more] = [...memory.executions.values()];
    expect(more).toEqual([]);
    expect(started).toMatchObject({
      workflow: "add-nodes",
      payload: { request: { command: "add", pool: "web", count: 1 }, asker: { userId: "U0OPERATOR" } },
    });
    const id = started?.payload.operation ?? "";
    memory.operations.set(id, { ...operationRecord(), id, executionArn: "arn:1" });
    await press("1.2.5");
    expect(memory.ephemerals.at(-1)?.message.text).toContain(`has already tried again: \`${id}\``);
  });

  test("starts the operation of one person when two press at the same moment", async () => {
    fail();
    memory.members.push("U0SECOND");
    const second = Promise.withResolvers<void>();
    memory.accepting = async ({ userId }) => (userId === "U0SECOND" ? second.resolve() : second.promise);
    await Promise.all([press("1.2.3"), press("1.2.4", "U0SECOND")]);
    const [started, ...more] = [...memory.executions.values()];
    expect(more).toEqual([]);
    const { operation = "", asker } = started?.payload ?? {};
    expect(asker).toMatchObject({ userId: "U0SECOND" });
    expect(memory.accepted.get(operation)?.requester).toEqual(asker);
  });

  test("starts again after an attempt that was not started, or that was refused, and then only once", async () => {
    fail();
    memory.broken.add("executions.start");
    await press("1.2.3");
    expect(memory.ephemerals.at(-1)?.message.text).toContain("Not started");
    memory.broken.clear();
    await press("1.2.4");
    await press("1.2.5");
    const [second, ...more] = [...memory.executions.values()];
    expect(more).toEqual([]);
    const id = second?.payload.operation ?? "";
    const refused = { id, executionArn: "arn:2", status: "refused", endedAt: "2026-11-21T10:20:00.000Z" } as const;
    memory.operations.set(id, { ...operationRecord(), ...refused });
    await press("1.2.6");
    await press("1.2.7");
    expect(memory.executions.size).toBe(2);
  });

  test("starts nothing for a person whose role does not allow the command", async () => {
    fail();
    await press("1.2.3", "U0APPROVER");
    expect(memory.executions.size).toBe(0);
    expect(memory.operations.size).toBe(1);
  });

  test("starts nothing while the operation waits for a decision, nor for one that is unknown", async () => {
    fail({ status: "waiting", endedAt: null });
    await press("1.2.3");
    expect(memory.ephemerals[0]?.message.text).toContain("has not ended yet");
    await send(buttonPress("try-again", "add-00000000"));
    expect(memory.ephemerals[1]?.message.text).toContain("expired");
    expect(memory.executions.size).toBe(0);
  });
});

describe("the button Terminate now of a kept machine", () => {
  const kept = nodeRecord({ index: 1, status: "failed", keptAt: "2026-11-21T10:00:00.000Z" });
  const press = (user = "U0OPERATOR") => send(buttonPress("terminate-instance", "add-3f9c2a71:1", user));

  test("asks by the dialog of a removal, of that instance", async () => {
    memory.nodes.push(kept);
    await press();
    expect(memory.dialogs).toHaveLength(1);
    expect([...memory.executions.values()]).toMatchObject([
      {
        workflow: "remove-node",
        payload: { request: { command: "remove", node: "i-0ab12cd34ef567890", dryRun: false } },
      },
    ]);
    expect(memory.ephemerals).toEqual([]);
  });

  test("is too late once the instance is gone", async () => {
    memory.nodes.push({ ...kept, isTerminated: true });
    await press();
    expect(memory.dialogs).toEqual([]);
    expect(memory.ephemerals).toHaveLength(1);
  });
});

test.each(["open-runbook", "open-aws"])(
  "a click on %s, which opens an address, is taken and changes nothing",
  async (id) => {
    const answer = await send(buttonPress(id, "add-3f9c2a71:0"));
    expect(answer.statusCode).toBe(200);
    expect(memory.ephemerals).toEqual([]);
  },
);
