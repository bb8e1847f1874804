import { afterAll, beforeAll, expect, it } from "vitest";
import type { WaitOptions } from "../../lambdas/engine/durable.ts";
import { roundSeconds, runScript } from "../../lambdas/engine/run-script.ts";
import type { CommandState } from "../../lambdas/steps/machine/machine.ts";
import { inMinutes, run, setUp, tearDown, tenMinutes, verbs } from "./durable-engine.ts";

beforeAll(setUp);
afterAll(tearDown);

const held = { instanceId: "i-0ab12cd34ef567890", owner: "add-1:0", epoch: 1 };
const running: CommandState = { state: "running", status: "InProgress" };

/** Runs a script whose command is in these states, one per poll; the last one repeats itself. */
async function scripted(states: readonly CommandState[], bounds: WaitOptions, refusal?: Error) {
  const asked: string[] = [];
  let poll = 0;
  const machine = {
    send: async (_lease: unknown, { mark }: { mark: string }) => {
      asked.push(`send ${mark}`);
      if (refusal) throw refusal;
      return "command-1";
    },
    sent: async () => null,
    commandState: async () => states[Math.min(poll++, states.length - 1)],
    cancelCommand: async (commandId: string) => void asked.push(`cancel ${commandId}`),
  };
  const steps = verbs({ machine, ledger: { awaitCommand: async () => undefined } });
  const order = { script: "apply", request: {} } as const;
  const began = Date.now();
  const ended = await run((ctx) => runScript(ctx, steps, { held, name: "configure", wait: bounds }, order));
  return { ended, asked, polls: poll, minutes: (Date.now() - began) / 60_000 };
}

it("sends its command once, with its mark, and gives the result when no event ever comes", async () => {
  const { ended, asked } = await scripted([running, running, { state: "done", result: { ok: true } }], tenMinutes());
  expect(ended.result).toEqual({ ok: true });
  expect(asked).toEqual(["send add-1:0 configure"]);
});

it("calls a command off at its deadline, and says how SSM saw it last", async () => {
  const { ended, asked } = await scripted([running], tenMinutes({ until: inMinutes(3) }));
  expect(ended.error).toEqual({
    type: "DeadlineExceeded:script-slow",
    message: "gave up waiting for apply.ps1 (SSM status InProgress)",
  });
  expect(asked).toEqual(["send add-1:0 configure", "cancel command-1"]);
});

it("polls a command ever more seldom: eight hours take less than three hundred rounds of two operations", () => {
  let rounds = 0;
  for (let lasted = 0; lasted < 8 * 3_600; lasted += roundSeconds(rounds)) rounds += 1;
  expect([roundSeconds(1), roundSeconds(60), roundSeconds(rounds)]).toEqual([45, 60, 120]);
  expect(rounds).toBeLessThan(300);
});

it("calls a command off when somebody cancels", async () => {
  const { ended, asked } = await scripted([running], tenMinutes({ cancelledBy: async () => "U0OPERATOR" }));
  expect(ended.error).toEqual({ type: "Cancelled", message: "U0OPERATOR" });
  expect(asked).toEqual(["send add-1:0 configure", "cancel command-1"]);
});

it("takes what a command has done although somebody cancelled meanwhile", async () => {
  const done: CommandState = { state: "done", result: { ok: true } };
  const { ended, asked } = await scripted([done], tenMinutes({ cancelledBy: async () => "U0OPERATOR" }));
  expect(ended.result).toEqual({ ok: true });
  expect(asked).toEqual(["send add-1:0 configure"]);
});

it("fails in the machine's words", async () => {
  const { ended } = await scripted(
    [{ state: "failed", why: "apply.ps1 ended as Failed (exit code 1)", code: "command-failed" }],
    tenMinutes(),
  );
  expect(ended.error).toEqual({
    type: "StageFailed:command-failed",
    message: "apply.ps1 ended as Failed (exit code 1)",
  });
});

it("gives up a command that no agent has taken for three minutes, and that may still run", async () => {
  const { ended, asked, minutes } = await scripted([{ state: "running", status: "Pending" }], tenMinutes());
  expect(ended.error).toEqual({
    type: "StageFailed:command-undelivered",
    message: "apply.ps1: the SSM agent did not take the command in time",
  });
  expect(asked).toEqual(["send add-1:0 configure", "cancel command-1"]);
  expect(minutes).toBeGreaterThanOrEqual(3);
  expect(minutes).toBeLessThan(6);
});

it("waits until a command that was called off has ended, for a minute at most", async () => {
  const cancelled = tenMinutes({ cancelledBy: async () => "U0OPERATOR" });
  const ends = await scripted([running, running, { state: "done", result: {} }], cancelled);
  expect([ends.polls, ends.ended.error.type]).toEqual([3, "Cancelled"]);
  const never = await scripted([running], cancelled);
  expect(never.ended.error.type).toBe("Cancelled");
  expect(never.minutes).toBeLessThan(3);
});

it.each([
  ["the instance is terminated", "the instance is terminated"],
  [null, "no such instance"],
])("names the end of a machine to which SSM sends nothing: %s", async (end, message) => {
  const refusal = Object.assign(new Error("no such instance"), { name: "InvalidInstanceId" });
  const { ended } = await scripted([running], tenMinutes({ endOfMachine: async () => end }), refusal);
  expect(ended.error.message).toBe(message);
});
