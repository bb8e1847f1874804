import { beforeEach, describe, expect, test, vi } from "vitest";
import { buttons } from "../../lambdas/front-door/clicks.ts";
import * as ids from "../../lambdas/messages/slack/buttons.ts";
import { carriers } from "../../lambdas/messages/slack/carriers.ts";
import { offerPartition, operationPartition } from "../../lambdas/records/ledger-table.ts";
import { operationRecord } from "../messages/records.ts";
import { frontDoorInMemory } from "./front-door-in-memory.ts";
import { buttonPress, dialogEvent } from "./signed.ts";

let { memory, send } = frontDoorInMemory();

beforeEach(() => {
  ({ memory, send } = frontDoorInMemory());
  vi.spyOn(console, "log").mockImplementation(() => undefined);
  return () => vi.restoreAllMocks();
});

const own = "1795689000.000100";
const later = "1795689600.000200";
const since = "2026-11-26T10:30:00.000Z";
const id = "add-3f9c2a71";

const inMessage = (ts: string, more: object = {}) => ({
  container: { type: "message", message_ts: ts, channel_id: "C0WINDOWS", is_ephemeral: false, ...more },
});
const cancel = (container: object) => send(buttonPress("cancel-operation", id, "U0OPERATOR", container));
const isCancelled = () => memory.operations.get(id)?.cancelledBy === "U0OPERATOR";
const listed = (...cards: { readonly since: string; readonly ts?: string }[]) => {
  memory.operations.set(id, operationRecord({ id, messageTs: own }));
  memory.cards.set(operationPartition(id), cards);
};

describe("each kind of button", () => {
  const dialogs: readonly string[] = [ids.REMOVE_DIALOG, ids.DENY_DIALOG];

  test("has its carrier in the table", () => {
    expect(Object.keys(carriers).toSorted()).toEqual(buttons.toSorted());
    const declared = Object.values(ids).filter((action) => !dialogs.includes(action));
    expect(declared.filter((action) => carriers[action] === undefined)).toEqual([]);
  });

  test.each(buttons.filter((action) => carriers[action] === "operation"))(
    "%s changes nothing in another message, and says where the operation's message is",
    async (action) => {
      listed({ since, ts: own });
      const value =
        action.includes("operation") || action.includes("rollout") || action === "try-again" ? id : `${id}:0`;
      const before = JSON.stringify([...memory.operations]);
      await send(buttonPress(action, value, "U0OPERATOR", { ...inMessage(later), team: { domain: "casement" } }));
      expect(JSON.stringify([...memory.operations])).toBe(before);
      expect(memory.starts).toEqual([]);
      // Who may not use the command is told that, whatever the message.
      expect(memory.ephemerals.at(-1)?.message.text).toMatch(/Casement did not post this message|permission|expired/);
    },
  );

  test.each(buttons.filter((action) => carriers[action] === "command"))(
    "%s starts nothing in a message that does not offer its command, and names the command",
    async (action) => {
      memory.cards.set(offerPartition("why ip-10-0-3-7"), [{ since, ts: own }]);
      await send(buttonPress(action, "why ip-10-0-3-7", "U0READER", inMessage(later)));
      expect(memory.starts).toEqual([]);
      expect(memory.ephemerals.at(-1)?.message.text).toContain("The button would run `{win} why ip-10-0-3-7`");
      await send(buttonPress(action, "why ip-10-0-3-7", "U0READER", inMessage(own)));
      expect(memory.starts).toHaveLength(1);
    },
  );
});

describe("a button that takes what waits", () => {
  const wait = "unproven reboot-3f9c2a71 0 ip-10-0-3-7 2026-11-26T10:15:00.000Z";
  const take = (user: string, place: object) => send(buttonPress(ids.TAKE_WAIT, wait, user, place));

  test("records who pressed it in which message, and starts the sweep, which judges the press", async () => {
    memory.cards.set(offerPartition(wait), [{ since, ts: own }]);
    await take("U0READER", inMessage(own));
    expect(memory.presses).toEqual([
      expect.objectContaining({ wait, userId: "U0READER", channel: "C0WINDOWS", messageTs: own }),
    ]);
    const [started] = [...memory.executions.values()];
    expect(started).toMatchObject({ workflow: "sweep", payload: { only: "presses" } });
    expect(memory.ephemerals).toEqual([]);
  });

  test("records nothing in a message that does not offer it, and nothing of a guest", async () => {
    memory.cards.set(offerPartition(wait), [{ since, ts: own }]);
    await take("U0READER", inMessage(later));
    expect(memory.ephemerals.at(-1)?.message.text).toContain("expired");
    memory.memberships.set("U0READER", "guest");
    await take("U0READER", inMessage(own));
    expect([memory.presses, memory.starts]).toEqual([[], []]);
  });
});

describe("a button of an operation", () => {
  test("acts in the message that was listed with it, also if Slack no longer let the first one be edited", async () => {
    listed({ since, ts: own }, { since, ts: later });
    await cancel(inMessage(later));
    expect(isCancelled()).toBe(true);
  });

  test("acts in a message whose timestamp is not stored yet, but in none that is older than its announcement", async () => {
    listed({ since: "2026-11-26T10:30:00.000Z" });
    await cancel(inMessage(`${Date.parse("2026-11-26T10:00:00.000Z") / 1_000}.000100`));
    expect(isCancelled()).toBe(false);
    await cancel(inMessage(`${Date.parse("2026-11-26T10:30:01.000Z") / 1_000}.000100`));
    expect(isCancelled()).toBe(true);
  });

  test("acts in the message and the older replies of the last release, which listed none", async () => {
    const reply = inMessage(later, { thread_ts: own });
    const shownLater = { since: new Date((Number(later) + 3_600) * 1_000).toISOString(), ts: "1795699999.000100" };
    for (const place of [inMessage(own), reply])
      for (const cards of [[], [shownLater]]) {
        listed(...cards);
        await cancel(place);
        expect(isCancelled()).toBe(true);
      }
  });

  test("does nothing in a reply that is newer than the operation's listed message", async () => {
    listed({ since, ts: own });
    await cancel(inMessage(later, { thread_ts: own }));
    expect(isCancelled()).toBe(false);
  });

  test("does nothing in a private message, in no message, and before the operation has a message", async () => {
    listed({ since, ts: own });
    await cancel(inMessage(own, { is_ephemeral: true }));
    await cancel({ container: { type: "view", view_id: "V1" }, message: undefined });
    memory.operations.set(id, operationRecord({ id, messageTs: null }));
    memory.cards.set(operationPartition(id), []);
    await cancel(inMessage(later));
    expect(isCancelled()).toBe(false);
  });
});

test("A private answer runs the command of its button, whatever is listed", async () => {
  memory.cards.set(offerPartition("why ip-10-0-3-7"), []);
  await send(buttonPress("look-again", "why ip-10-0-3-7", "U0READER", inMessage(later, { is_ephemeral: true })));
  expect(memory.starts).toHaveLength(1);
});

test("A removal's dialog that the front door did not open confirms nothing and cancels nothing", async () => {
  const removal = operationRecord({
    id: "remove-12345678",
    request: { command: "remove", node: "win-1", dryRun: false },
    callbacks: { dialog: "callback-dialog" },
  });
  memory.operations.set(removal.id, removal);
  memory.callbacks.set("callback-dialog", "waiting");
  memory.views.clear();
  const { body } = await send(dialogEvent("view_submission", removal.id));
  expect(body).toContain("Casement did not open this dialog for `remove-12345678`");
  await send(dialogEvent("view_closed", removal.id));
  expect(memory.callbacks.get("callback-dialog")).toBe("waiting");
  expect(memory.operations.get(removal.id)?.cancelledBy).toBeNull();
});
