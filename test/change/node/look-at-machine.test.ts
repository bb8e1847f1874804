import { afterEach, beforeEach, expect, test } from "vitest";
import { lookAtMachine, withMachine } from "../../../lambdas/change/node/look-at-machine.ts";
import { step } from "../../../lambdas/engine/durable.ts";
import type { HealthFacts } from "../../../lambdas/health/facts.ts";
import type { LookState } from "../../../lambdas/steps/machine/machine-look.ts";
import { run, setUp, tearDown, verbs } from "../../engine/durable-engine.ts";
import { answers, healthy } from "../../health/health-facts.ts";

beforeEach(setUp);
afterEach(tearDown);

const unasked: HealthFacts = { ...healthy, machine: { known: false, why: "it has not answered yet" } };
const at = "2026-11-23T12:00:05.000Z";
const verdict = { script: "observe", ok: true, bootId: "8", clock: 1_795_435_205, hashes: {}, failed: {} } as const;
const answered: LookState = { state: "answered", verdict, answers };

test("an answer becomes facts of the machine, with its time", () => {
  expect(withMachine(unasked, { look: answered, at })).toMatchObject({
    now: at,
    machine: { known: true, value: { at, verdict: { bootId: "8" }, answers } },
  });
});

test.each<[string, LookState, object]>([
  [
    "a worker that ends",
    { state: "failed", why: "document process failed unexpectedly: x", isTaken: true },
    { isDeaf: false, failure: "document process failed unexpectedly: x" },
  ],
  ["a command that was not taken", { state: "running", isTaken: false }, { isDeaf: true, failure: null }],
  ["a script that takes too long", { state: "running", isTaken: true }, { isDeaf: false, failure: null }],
  ["a script that fails", { state: "failed", why: "no WMI", isTaken: true }, { isDeaf: false, failure: null }],
])("%s is told apart by what it says of the agent", (_, look, agent) => {
  const { ssm, machine } = withMachine(unasked, { look, at });
  expect(ssm).toMatchObject({ known: true, value: agent });
  expect(machine.known).toBe(false);
});

test("who waits is told once while the machine takes its time, and a silent SSM ends nothing", async () => {
  let readings = 0;
  let told = 0;
  const tell = async (): Promise<void> => {
    told += 1;
  };
  const begin = Date.now();
  const ended = await run(async (ctx) => {
    const steps = verbs({
      machineLook: {
        ask: async () => "command-1",
        answer: async (): Promise<LookState> => {
          readings += 1;
          if (readings === 2) throw new Error("SSM does not answer");
          return Date.now() - begin > 30_000 ? answered : { state: "running", isTaken: true };
        },
      },
    });
    const slow = { since: begin, afterMs: 13_000, tell: () => step(ctx, "tell", tell) };
    const asked = { name: "machine", instanceId: "i-1", mark: "why-1 look", slow };
    return lookAtMachine(ctx, steps, asked, { ...unasked, now: new Date(begin).toISOString() });
  });
  expect(ended).toMatchObject({ result: { machine: { known: true } } });
  expect(told).toBe(1);
});
