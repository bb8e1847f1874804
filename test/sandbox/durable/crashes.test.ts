import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type DurableContext, retryPresets, StepSemantics } from "@aws/durable-execution-sdk-js";
import { GetDurableExecutionCommand, InvokeCommand } from "@aws-sdk/client-lambda";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { hostClock } from "../../../bin/host-clock.ts";
import { durableClient } from "../../../lambdas/clients/durable.ts";
import { ending, history, invokeLater, mountDurable, type Workflow } from "./backends.ts";
import { fakeTime, pass, type Raised, raise } from "./harness.ts";

let folder = "";

beforeEach(() => {
  fakeTime();
  folder = mkdtempSync(join(tmpdir(), "durable-"));
  // The SDK writes every refused checkpoint to the log.
  vi.spyOn(process.stderr, "write").mockReturnValue(true);
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true });
});

/** Number of times that each thing happened in the tally outside. */
type Tally = Record<string, number>;

const happens = (tally: Tally, what: string) => async () => {
  tally[what] = (tally[what] ?? 0) + 1;
  return what;
};

const atMostOnce = { semantics: StepSemantics.AtMostOncePerRetry, retryStrategy: retryPresets.noRetry };

/** Something of everything: both kinds of steps, a wait, a map, a child execution. */
const workflow =
  (tally: Tally): Workflow =>
  async (_event: unknown, ctx: DurableContext) => {
    await ctx.step("prepare", happens(tally, "prepare"));
    const reboot = await ctx.step("reboot", happens(tally, "reboot"), atMostOnce).catch(() => "interrupted");
    await ctx.wait("settle", { minutes: 3 });
    const node = (child: DurableContext, item: string) => child.step(item, happens(tally, item));
    await ctx.map("nodes", ["left", "right"], node, { completionConfig: { toleratedFailurePercentage: 100 } });
    const nested = await ctx.invoke("call", "child:live", {});
    return [reboot, nested];
  };

const child =
  (tally: Tally): Workflow =>
  (_event: unknown, ctx: DurableContext) =>
    ctx.step("nested", happens(tally, "nested"));

const killed = (): never => {
  throw new Error("the process was killed");
};

/** One life of the sandbox's process on the same disk. It is killed at its n-th checkpoint, before or after it is stored. */
function life(tally: Tally, kill?: { at: number; when: "before" | "after" }) {
  let dead = false;
  let checkpoints = 0;
  const clock = {
    ...hostClock,
    after: (ms: number, what: () => void) => hostClock.after(ms, () => void (dead || what())),
  };
  const up = raise({
    path: join(folder, "state.sqlite"),
    clock,
    gate: (when, { url }) => {
      if (dead) killed();
      if (!url.endsWith("/checkpoint")) return;
      if (when === "before") checkpoints += 1;
      dead = checkpoints === kill?.at && when === kill.when;
      if (dead) killed();
    },
  });
  mountDurable(up, "work", workflow(tally), durableClient(up.lambda));
  mountDurable(up, "child", child(tally), durableClient(up.lambda));
  return { up, isDead: () => dead, checkpoints: () => checkpoints };
}

const untilDead = async (isDead: () => boolean): Promise<void> => {
  while (!isDead()) await new Promise((resolve) => void setTimeout(resolve, 1_000));
};

/** Lives until it is killed, lives again, and says how it ended. */
async function killedAndResumed(tally: Tally, kill: { at: number; when: "before" | "after" }) {
  const first = life(tally, kill);
  const arn = await pass(invokeLater(first.up.lambda, "work:live", {}, "operation-1"));
  await pass(untilDead(first.isDead));
  first.up.simulation.store.close();
  const { up } = life(tally);
  up.service.resume();
  const status = await pass(ending(up, arn));
  const { Result } = await pass(up.lambda.send(new GetDurableExecutionCommand({ DurableExecutionArn: arn })));
  up.simulation.store.close();
  return { status, result: JSON.parse(Result ?? "null") as string[], executions: up.service.executions().length };
}

describe("a killed sandbox", () => {
  test.each(["before", "after"] as const)("goes on, whichever checkpoint it was killed %s", async (when) => {
    const whole: Tally = {};
    const undisturbed = life(whole);
    const arn = await pass(invokeLater(undisturbed.up.lambda, "work:live", {}, "operation-1"));
    await pass(ending(undisturbed.up, arn));
    undisturbed.up.simulation.store.close();
    expect(whole).toEqual({ prepare: 1, reboot: 1, left: 1, right: 1, nested: 1 });
    expect(undisturbed.checkpoints()).toBeGreaterThan(6);
    for (let at = 1; at <= undisturbed.checkpoints(); at += 1) {
      rmSync(folder, { recursive: true });
      folder = mkdtempSync(join(tmpdir(), "durable-"));
      const tally: Tally = {};
      const ended = await killedAndResumed(tally, { at, when });
      expect(ended, `killed ${when} checkpoint ${at}`).toMatchObject({ status: "SUCCEEDED", executions: 2 });
      expect(ended.result[1]).toBe("nested");
      const { reboot = 0, ...others } = tally;
      expect(reboot).toBe(ended.result[0] === "reboot" ? 1 : reboot);
      expect(reboot).toBeLessThanOrEqual(1);
      for (const count of Object.values(others)) expect([1, 2]).toContain(count);
      expect(Object.keys(others).sort()).toEqual(["left", "nested", "prepare", "right"]);
    }
  });

  test("delivers the events that were queued", async () => {
    const heard: unknown[] = [];
    const path = join(folder, "state.sqlite");
    const deaf = { ...hostClock, after: () => () => undefined };
    const first = raise({ path, clock: deaf });
    first.service.mount("listener", {}, async (event) => heard.push(event));
    const send = { FunctionName: "listener", InvocationType: "Event", Payload: '{"n":1}' } as const;
    await first.lambda.send(new InvokeCommand(send));
    first.simulation.store.close();
    const second = raise({ path });
    second.service.mount("listener", {}, async (event) => heard.push(event));
    second.service.resume();
    await pass(new Promise((resolve) => void setTimeout(resolve, 10_000)));
    expect(heard).toEqual([{ n: 1 }]);
  });

  test("knows its callbacks again, and what was due while it was dead has happened", async () => {
    const path = join(folder, "state.sqlite");
    const asks = (_event: unknown, ctx: DurableContext) =>
      ctx
        .waitForCallback("approval", async () => undefined, { timeout: { hours: 1 } })
        .catch((error: unknown) => error instanceof Error && error.name);
    const first = raise({ path });
    mountDurable(first, "work", asks, durableClient(first.lambda));
    const arn = await pass(invokeLater(first.lambda, "work:live", {}));
    await pass(new Promise((resolve) => void setTimeout(resolve, 60_000)));
    first.simulation.store.close();
    vi.clearAllTimers();
    vi.setSystemTime(Date.now() + 7_200_000);
    const second = raise({ path });
    mountDurable(second, "work", asks, durableClient(second.lambda));
    second.service.resume();
    expect(await pass(ending(second, arn))).toBe("SUCCEEDED");
    const { Result } = await pass(second.lambda.send(new GetDurableExecutionCommand({ DurableExecutionArn: arn })));
    expect(Result).toBe('"CallbackTimeoutError"');
  });
});

describe("the fault", () => {
  const crashing = (kind: string, match: Record<string, string>): { up: Raised; tally: Tally } => {
    const tally: Tally = {};
    const up = raise();
    mountDurable(up, "work", workflow(tally), durableClient(up.lambda));
    mountDurable(up, "child", child(tally), durableClient(up.lambda));
    expect(up.simulation.faults.inject(kind, match, 1)).toBeDefined();
    return { up, tally };
  };
  const outcome = async (up: Raised) => {
    const arn = await pass(invokeLater(up.lambda, "work:live", {}));
    const status = await pass(ending(up, arn));
    const { Result } = await pass(up.lambda.send(new GetDurableExecutionCommand({ DurableExecutionArn: arn })));
    const crashes = (await pass(history(up.lambda, arn))).filter(
      ({ InvocationCompletedDetails: details }) => details?.Error?.Payload?.ErrorType === "Runtime.ExitError",
    );
    return { status, reboot: (JSON.parse(Result ?? "[]") as string[])[0], crashes: crashes.length };
  };

  test.each([
    ["handler-crash", "prepare", "before", { prepare: 2, reboot: 1 }, "reboot"],
    ["handler-crash", "prepare", "after", { prepare: 1, reboot: 1 }, "reboot"],
    ["handler-crash", "reboot", "before", { prepare: 1, reboot: 1 }, "interrupted"],
    ["handler-crash", "reboot", "after", { prepare: 1, reboot: 1 }, "reboot"],
    ["handler-crash-at-start", "reboot", "before", { prepare: 1, reboot: 1 }, "reboot"],
    ["handler-crash-at-start", "reboot", "after", { prepare: 1 }, "interrupted"],
  ])(
    "%s at %s (%s it is stored) repeats exactly what the step allows",
    async (kind, operation, when, counts, reboot) => {
      const { up, tally } = crashing(kind, { function: "work", operation, when });
      expect(await outcome(up)).toEqual({ status: "SUCCEEDED", reboot, crashes: 1 });
      expect(tally).toEqual({ ...counts, left: 1, right: 1, nested: 1 });
    },
  );

  test("handler-crash leaves other functions and operations alone", async () => {
    const { up } = crashing("handler-crash", { function: "child", operation: "prepare" });
    expect(await outcome(up)).toMatchObject({ status: "SUCCEEDED", crashes: 0 });
  });
});
