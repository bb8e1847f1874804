import { beforeEach, describe, expect, test } from "vitest";
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
