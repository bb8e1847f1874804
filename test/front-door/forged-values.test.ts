import fc from "fast-check";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { buttons } from "../../lambdas/front-door/clicks.ts";
import { DENY_DIALOG, REMOVE_DIALOG } from "../../lambdas/messages/slack/buttons.ts";
import { frontDoorInMemory } from "./front-door-in-memory.ts";
import { buttonPress, dialogEvent } from "./signed.ts";

let { memory, send } = frontDoorInMemory();
const failed = vi.fn();

beforeEach(() => {
  ({ memory, send } = frontDoorInMemory());
  vi.spyOn(console, "error").mockImplementation(failed);
});
afterEach(() => {
  vi.restoreAllMocks();
  failed.mockReset();
});

/** Values that Casement never put into a button or a dialog. */
const value = fc.oneof(
  fc.string(),
  fc.string({ minLength: 2_001, maxLength: 3_000 }),
  fc.stringMatching(/^[a-z]{1,30}-[0-9a-f]{1,300}(:[0-9]{1,8})?$/),
  fc.jsonValue(),
);

/** Ids under which the ledger was asked for an operation. */
const askedIds = (): string[] => vi.mocked(memory.operations.get).mock.calls.map(([id]) => id);

const OPERATION = /^[a-z]{1,20}-[0-9a-f]{8}$/;

test("A button with a forged value asks the ledger for no impossible key, starts nothing and fails nowhere", async () => {
  vi.spyOn(memory.operations, "get");
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...buttons), value, async (action, forged) => {
      const { statusCode } = await send(buttonPress(action, forged as string));
      expect([200, 400]).toContain(statusCode);
    }),
    { numRuns: 400 },
  );
  expect(askedIds().filter((id) => !OPERATION.test(id))).toEqual([]);
  expect(failed).not.toHaveBeenCalled();
  expect([memory.starts, [...memory.callbacks]]).toEqual([[], []]);
});

test("A dialog with forged metadata asks the ledger for no impossible key and fails nowhere", async () => {
  vi.spyOn(memory.operations, "get");
  const kinds = fc.constantFrom("view_submission", "view_closed");
  await fc.assert(
    fc.asyncProperty(kinds, fc.constantFrom(REMOVE_DIALOG, DENY_DIALOG), value, async (kind, dialog, forged) => {
      const view = { id: "V1", type: "modal", callback_id: dialog, private_metadata: forged, state: { values: {} } };
      await send(dialogEvent(kind as "view_closed", "", "U0OPERATOR", "7.8.9", { view }));
    }),
    { numRuns: 200 },
  );
  expect(askedIds().filter((id) => !OPERATION.test(id))).toEqual([]);
  expect(failed).not.toHaveBeenCalled();
});
