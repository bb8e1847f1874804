import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { HttpEvent } from "../../lambdas/front-door/verify.ts";
import { executionName } from "../../lambdas/steps/executions.ts";
import { operationRecord } from "../messages/records.ts";
import { frontDoorInMemory } from "./front-door-in-memory.ts";
import { dialogEvent } from "./signed.ts";

let { memory, type, send, onlyOperation } = frontDoorInMemory();

beforeEach(() => {
  ({ memory, type, send, onlyOperation } = frontDoorInMemory());
  vi.spyOn(console, "error").mockImplementation(() => undefined);
});
afterEach(() => {
  vi.restoreAllMocks();
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
  const shown = async (event: HttpEvent) => JSON.parse((await send(event)).body || "null");

  test("opens at once with the command's own trigger, and the workflow is started to fill it in", async () => {
    await type("remove win-1");
    const { id } = onlyOperation();
    expect(memory.dialogs).toMatchObject([{ triggerId: "1.2.3", dialog: { external_id: `dialog-${id}` } }]);
    expect(memory.executions.get(executionName(id))?.workflow).toBe("remove-node");
  });

  test("opens once when the command is delivered twice", async () => {
    const first = await type("remove win-1");
    expect(await type("remove win-1")).toBe(first);
    expect(memory.dialogs.length).toBe(1);
  });

  test("that is still being opened lets no second delivery of the command start anything", async () => {
    let open: () => void = () => undefined;
    memory.opening = new Promise((resolve) => {
      open = resolve;
    });
    const first = type("remove win-1");
    await vi.waitFor(() => expect(memory.operations.size).toBe(1));
    await type("remove win-1");
    expect(memory.starts).toEqual([]);
    open();
    await first;
    expect(memory.starts).toHaveLength(1);
  });

  test("is not opened for a dry run", async () => {
    await type("remove win-1 --dry-run");
    expect(memory.dialogs).toEqual([]);
    expect(memory.executions.size).toBe(1);
  });

  test("that Slack does not open means that nothing is started", async () => {
    memory.broken.add("thread.openDialog");
    expect(await type("remove win-1")).toContain("Slack could not open the dialog. Nothing was changed");
    expect(onlyOperation().status).toBe("not-started");
    expect(memory.starts).toEqual([]);
    const why = new Error("thread.openDialog does not answer");
    expect(console.error).toHaveBeenCalledWith(`dialog of ${onlyOperation().id} failed`, why);
  });

  test("whose trigger Slack calls too old is said to have come too late", async () => {
    memory.expired.add("1.2.3");
    expect(await type("remove win-1")).toContain("the dialog did not open within Slack's time limit");
    expect(onlyOperation().status).toBe("not-started");
  });

  test("submitted completes the waiting callback and closes", async () => {
    waiting();
    expect(await shown(dialogEvent("view_submission", removal.id))).toBeNull();
    expect(memory.callbacks.get("callback-dialog")).toEqual({ decision: "submitted", userId: "U0OPERATOR" });
  });

  test("submitted twice in one delivery closes both times", async () => {
    waiting();
    expect(await shown(dialogEvent("view_submission", removal.id))).toBeNull();
    expect(await shown(dialogEvent("view_submission", removal.id))).toBeNull();
  });

  test("submitted too late says so in its place", async () => {
    waiting();
    await shown(dialogEvent("view_submission", removal.id));
    const answered = await shown(dialogEvent("view_submission", removal.id, "U0OPERATOR", "7.8.10"));
    expect(answered).toMatchObject({ response_action: "update", view: { type: "modal", notify_on_close: false } });
    expect(JSON.stringify(answered)).toContain("already made, or timed out");
  });

  test("submitted by somebody who lost the role removes nothing", async () => {
    waiting();
    expect(JSON.stringify(await shown(dialogEvent("view_submission", removal.id, "U0READER")))).toContain(
      "do not have permission to use `remove`",
    );
    expect(memory.callbacks.get("callback-dialog")).toBe("waiting");
  });

  test("of an operation that nobody knows says so", async () => {
    expect(JSON.stringify(await shown(dialogEvent("view_submission", "remove-00000000")))).toContain("has expired");
  });

  test("closed completes the waiting callback", async () => {
    waiting();
    await shown(dialogEvent("view_closed", removal.id));
    expect(memory.callbacks.get("callback-dialog")).toEqual({ decision: "closed", userId: "U0OPERATOR" });
  });

  test("closed leaves its answer in the ledger, so that a lost wake-up loses no decision", async () => {
    waiting();
    await shown(dialogEvent("view_closed", removal.id));
    expect(memory.operations.get(removal.id)?.decided).toMatchObject({ decision: "closed", userId: "U0OPERATOR" });
  });

  test("closed before the workflow waits for it cancels the operation", async () => {
    memory.operations.set(removal.id, { ...removal, callbacks: {} });
    await shown(dialogEvent("view_closed", removal.id));
    expect(memory.operations.get(removal.id)?.cancelledBy).toBe("U0OPERATOR");
  });

  test("closed in another workspace changes nothing, by the same user id", async () => {
    memory.operations.set(removal.id, { ...removal, callbacks: {} });
    const user = { id: "U0OPERATOR", name: "somebody", username: "somebody", team_id: "T0OTHER" };
    await shown(dialogEvent("view_closed", removal.id, "U0OPERATOR", "7.8.9", { user }));
    expect(memory.operations.get(removal.id)?.cancelledBy).toBeNull();
  });

  test("closed about an operation that has no dialog changes nothing", async () => {
    const drain = operationRecord({
      id: "drain-12345678",
      request: { command: "drain", node: "win-1", dryRun: false },
    });
    memory.operations.set(drain.id, drain);
    await shown(dialogEvent("view_closed", drain.id));
    expect(memory.operations.get(drain.id)?.cancelledBy).toBeNull();
  });

  test("closed by somebody who did not ask changes nothing", async () => {
    waiting();
    await shown(dialogEvent("view_closed", removal.id, "U0VISITOR0"));
    expect(memory.callbacks.get("callback-dialog")).toBe("waiting");
  });
});
