import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { applyPlan, readApplied } from "../../lambdas/engine/apply-plan.ts";
import type { WaitOptions } from "../../lambdas/engine/durable.ts";
import type { Action, ApplyResult } from "../../lambdas/machine/plan.ts";
import type { CommandState } from "../../lambdas/steps/machine/machine.ts";
import { inMinutes, run, setUp, tearDown, tenMinutes, verbs } from "./durable-engine.ts";

beforeAll(setUp);
afterAll(tearDown);

const held = { instanceId: "i-0ab12cd34ef567890", owner: "add-1:3", epoch: 1 };
const applied = (changes: Partial<ApplyResult> = {}): CommandState => ({
  state: "done",
  result: {
    script: "apply",
    ok: true,
    changed: [],
    unchanged: 2,
    failed: null,
    rebootDue: false,
    restartDue: [],
    ...changes,
  },
});
const failing = (action: string, code?: string): CommandState =>
  applied({ ok: false, failed: { action, error: "no", ...(code ? { code } : {}) } as never });
const lost = (why: string): CommandState => ({ state: "failed", why, code: "result-missing" });

const secretFile = {
  do: "file",
  path: "C:\\k\\bootstrap",
  source: { from: "secret", secretId: "s", field: "f" },
} as unknown as Action;
const feature = { do: "feature", name: "Containers" } as unknown as Action;

/** Applies a plan on a machine whose commands end so, one after the other. */
async function applying(
  ends: readonly CommandState[],
  actions: Parameters<typeof applyPlan>[3] = [feature],
  more: { readonly isOnce?: true; readonly wait?: Partial<WaitOptions> } = {},
) {
  const asked: unknown[] = [];
  let commands = 0;
  const machine = {
    requestFor: async (plan: object, key: string) => {
      asked.push([key, { ...plan, notAfter: "later", madeAt: "now" }]);
      return { plan };
    },
    send: async (_lease: unknown, { mark, script }: { mark: string; script: string }) => {
      asked.push(`${script}: ${mark}`);
      commands += 1;
      return `command-${commands}`;
    },
    sent: async () => null,
    commandState: async () => ends[commands - 1],
    cancelCommand: async () => undefined,
  };
  const steps = verbs({ machine, ledger: { awaitCommand: async () => undefined } });
  const { isOnce, wait } = more;
  const order = { held, name: "configure it", wait: tenMinutes(wait), ...(isOnce ? { isOnce } : {}) };
  return { ended: await run((ctx) => applyPlan(ctx, steps, order, actions)), asked };
}

const plan = (name: string, actions: readonly unknown[] = [feature]) => [
  `plans/add-1/3/${name}.json`,
  { format: 2, operation: "add-1", notAfter: "later", actions, madeAt: "now" },
];

describe("A plan", () => {
  test("is stored by operation, node and name, sent, and its result returned", async () => {
    const { ended, asked } = await applying([applied()]);
    expect(ended.result).toMatchObject({ ok: true, unchanged: 2 });
    expect(asked).toEqual([plan("configure-it"), "apply: add-1:3 configure it"]);
  });

  test("may have actions that are made in its own step", async () => {
    const { asked } = await applying([applied()], async () => [secretFile]);
    expect(asked[0]).toEqual(plan("configure-it", [secretFile]));
  });

  test("is sent once more when its result was lost, even past the deadline", async () => {
    const { ended, asked } = await applying([lost("lost"), applied()], [feature], { wait: { until: inMinutes(1) } });
    expect(ended.result).toMatchObject({ ok: true });
    expect(asked).toEqual([
      plan("configure-it"),
      "apply: add-1:3 configure it",
      plan("configure-it,-again"),
      "apply: add-1:3 configure it, again",
    ]);
  });

  test("ends with the first loss when the second result is lost too, and with any other second failure", async () => {
    expect((await applying([lost("first"), lost("second")])).ended.error).toEqual({
      type: "StageFailed:result-missing",
      message: "first",
    });
    const other: CommandState = { state: "failed", why: "second", code: "command-failed" };
    expect((await applying([lost("first"), other])).ended.error).toEqual({
      type: "StageFailed:command-failed",
      message: "second",
    });
  });

  test("that must not be repeated is not sent again, and neither is one that failed for sure", async () => {
    const once = await applying([lost("lost"), applied()], [feature], { isOnce: true });
    expect([once.ended.error, once.asked.length]).toEqual([{ type: "StageFailed:result-missing", message: "lost" }, 2]);
    const sure = await applying([{ state: "failed", why: "no", code: "command-failed" }, applied()]);
    expect([sure.ended.error, sure.asked.length]).toEqual([{ type: "StageFailed:command-failed", message: "no" }, 2]);
  });
});

describe("A plan that stopped at an action", () => {
  test.each<[string, string | undefined, string]>([
    ["feature Containers", undefined, "feature-not-installed"],
    ["file C:\\k\\kubelet.exe", undefined, "file-not-placed"],
    ["service-state kubelet", undefined, "service-not-started"],
    ["task x", undefined, "script-failed"],
    ["feature Containers", "aws-unreachable", "aws-unreachable"],
    ["feature Containers", "no code", "feature-not-installed"],
    ["file C:\\k\\bootstrap", undefined, "join-secret-unreadable"],
    ["file C:\\k\\bootstrap", "secret-unusable", "join-secret-unreadable"],
    ["file C:\\k\\bootstrap", "script-failed", "script-failed"],
  ])("%s with the code %s fails as %s", async (action, code, failure) => {
    const { ended } = await applying([failing(action, code)], [feature, secretFile]);
    expect(ended.error).toEqual({ type: `StageFailed:${failure}`, message: `${action}: no` });
  });

  test("whose actions were made in its step is judged by the action's kind", async () => {
    const { ended } = await applying([failing("file C:\\k\\bootstrap")], async () => [secretFile]);
    expect(ended.error).toEqual({ type: "StageFailed:file-not-placed", message: "file C:\\k\\bootstrap: no" });
  });

  test("without saying which failed all the same", async () => {
    const { ended } = await applying([applied({ ok: false })]);
    expect(ended.error).toEqual({
      type: "StageFailed:script-failed",
      message: "apply.ps1 failed without an error message",
    });
  });
});

test.each([
  [{ ok: true, failed: null }, { value: true }],
  [{ ok: true, failed: { action: "a", error: "e" } }, { value: true }],
  [
    { ok: false, failed: { action: "file x", error: "denied", code: "aws-unreachable" } },
    { why: "file x: denied", code: "aws-unreachable" },
  ],
  [
    { ok: false, failed: null },
    { why: "apply.ps1 did not finish and does not say why", code: "script-failed" },
  ],
  [{}, { why: "apply.ps1 did not finish and does not say why", code: "script-failed" }],
])("The line %j of many machines' reads as %j", (line, reading) => {
  expect(readApplied(line)).toEqual(reading);
});
