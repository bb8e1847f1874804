import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { FleetRun } from "../../lambdas/engine/fleet-batch.ts";
import type { FleetOutcome } from "../../lambdas/engine/fleet-outcome.ts";
import { batchesOf, observeFleet, sendToFleet } from "../../lambdas/engine/run-fleet.ts";
import type {
  FleetChange,
  FleetObservation,
  InvocationVerdict,
  SendResult,
} from "../../lambdas/steps/machine/fleet.ts";
import { run, setUp, tearDown, timeout, verbs } from "./durable-engine.ts";

beforeAll(setUp);
afterAll(tearDown);

const ids = (count: number): string[] => Array.from({ length: count }, (_, at) => `i-${String(at).padStart(17, "0")}`);

const request = { files: ["C:\\k\\kubelet-ca.crt"] };
const questionsTo = (count: number) => ids(count).map((instanceId) => ({ instanceId, request }));
const done = (instanceId: string): InvocationVerdict => ({
  instanceId,
  state: "done",
  result: { ok: true, from: instanceId },
});
const running = (instanceId: string): InvocationVerdict => ({ instanceId, state: "running", status: "Pending" });

interface Played {
  /** Answer to a send; by default it is sent. */
  readonly send?: (instanceIds: readonly string[], attempt: number) => SendResult | Error;
  /** Judgement of a machine at the nth reading of its command. */
  readonly verdict?: (instanceId: string, reading: number) => InvocationVerdict;
  /** Judgement of a machine once its command was cancelled. */
  readonly cancelled?: (instanceId: string) => InvocationVerdict;
  /** Command that is found by its mark when the answer was lost. */
  readonly found?: string | null;
  readonly ends?: ReadonlyMap<string, string>;
}

/** A fleet whose commands are played; what was asked of it is kept. */
function fleetOf(played: Played) {
  const asked: {
    readonly act: string;
    readonly ids: readonly string[];
    readonly mark?: string;
    readonly request?: object;
    readonly held?: readonly object[];
  }[] = [];
  const readings = new Map<string, number>();
  let attempts = 0;
  const send = async (
    act: string,
    instanceIds: readonly string[],
    { mark, script, request: sent }: FleetObservation | FleetChange,
    held: readonly object[] = [],
  ) => {
    attempts += 1;
    asked.push({ act: `${act} by ${script}`, ids: instanceIds, mark, request: sent, held });
    const answer = played.send?.(instanceIds, attempts);
    if (answer instanceof Error) throw answer;
    return answer ?? ({ state: "sent", commandId: `command of ${mark}` } as const);
  };
  const steps = verbs({
    fleet: {
      observe: (instanceIds: readonly string[], order: FleetObservation) => send("observe", instanceIds, order),
      change: (held: readonly { instanceId: string }[], order: FleetChange) =>
        send(
          "change",
          held.map(({ instanceId }) => instanceId),
          order,
          held,
        ),
      verdicts: async (_script: string, commandId: string, instanceIds: readonly string[]) => {
        const reading = (readings.get(commandId) ?? 0) + 1;
        readings.set(commandId, reading);
        const isCancelled = asked.at(-1)?.act === "cancel";
        const verdict = (isCancelled && played.cancelled) || played.verdict;
        return instanceIds.map((id) => verdict?.(id, reading) ?? done(id));
      },
      cancel: async (_commandId: string, instanceIds: readonly string[]) =>
        void asked.push({ act: "cancel", ids: instanceIds }),
    },
    machine: { sent: async () => played.found ?? null },
    instances: { endsOf: async () => played.ends ?? new Map() },
    ledger: { awaitFleet: async () => undefined },
  });
  return { steps, asked };
}

const wanted: FleetRun<string> = {
  owner: "rule-1",
  name: "look",
  minutes: 5,
  cancelledBy: async () => null,
  read: (result) =>
    "from" in result && typeof result.from === "string"
      ? { value: result.from }
      : { why: "it does not say from where" },
};

async function observed(played: Played, count: number, change: Partial<FleetRun<string>> = {}) {
  const { steps, asked } = fleetOf(played);
  const ended = await run(async (ctx) => [
    ...(await observeFleet(ctx, steps, questionsTo(count), { ...wanted, ...change })).values(),
  ]);
  return { outcomes: ended.result as readonly FleetOutcome<string>[], asked, ended };
}

describe("batches", () => {
  it("hold at most fifty machines, and only such with an equal request", () => {
    const machines = ids(120).map((instanceId, at) => ({ instanceId, request: { plan: at % 2 } }));
    const sizes = batchesOf(machines).map((batch) => [batch.length, batch[0]?.request.plan]);
    expect(sizes).toEqual([
      [50, 0],
      [10, 0],
      [50, 1],
      [10, 1],
    ]);
  });
});

describe("an observation of many machines", () => {
  it("asks fifty in one command and gives an outcome for each", async () => {
    const { outcomes, asked } = await observed({}, 120);
    expect(asked.map((one) => [one.act, one.ids.length, one.mark])).toEqual([
      ["observe by observe", 50, "rule-1 look 1"],
      ["observe by observe", 50, "rule-1 look 2"],
      ["observe by observe", 20, "rule-1 look 3"],
    ]);
    expect(outcomes).toEqual(ids(120).map((instanceId) => ({ instanceId, state: "done", value: instanceId })));
  });

  it("waits for machines that SSM's list does not show yet", async () => {
    const { outcomes } = await observed({ verdict: (id, reading) => (reading < 3 ? running(id) : done(id)) }, 3);
    expect(outcomes.map(({ state }) => state)).toEqual(["done", "done", "done"]);
  });

  it("sees 49 of 50 machines where the answer of one cannot be read", async () => {
    const [liar = ""] = ids(1);
    const verdict = (instanceId: string): InvocationVerdict =>
      instanceId === liar ? { instanceId, state: "done", result: { ok: true } } : done(instanceId);
    const read: FleetRun<string>["read"] = (result) => ({ value: (result as { from: string }).from.trim() });
    const { outcomes } = await observed({ verdict }, 50, { read });
    expect(outcomes.filter(({ state }) => state === "done")).toHaveLength(49);
    expect(outcomes.filter(({ state }) => state === "failed")).toMatchObject([
      { instanceId: liar, why: expect.stringContaining("its answer cannot be read"), code: "result-missing" },
    ]);
  });

  it("takes one machine's failure for that machine's alone, in its own words", async () => {
    const [bad = ""] = ids(1);
    const verdict = (instanceId: string): InvocationVerdict =>
      instanceId === bad
        ? { instanceId, state: "failed", why: "observe.ps1 ended as Failed", code: "command-failed" }
        : done(instanceId);
    const { outcomes } = await observed({ verdict }, 4);
    expect(outcomes.filter(({ state }) => state === "failed")).toEqual([
      { instanceId: bad, state: "failed", why: "observe.ps1 ended as Failed", code: "command-failed" },
    ]);
  });

  it("takes a result that lacks what it is read for as a failure", async () => {
    const { outcomes } = await observed({ verdict: (instanceId) => ({ instanceId, state: "done", result: {} }) }, 1);
    expect(outcomes).toEqual([{ instanceId: ids(1)[0], state: "failed", why: "it does not say from where" }]);
  });

  it("leaves out the machines that SSM refuses by name, and asks the rest under another mark", async () => {
    const bad = ids(50)[7] ?? "";
    const { outcomes, asked } = await observed(
      {
        send: (instanceIds) =>
          instanceIds.includes(bad)
            ? {
                state: "refused",
                unreachable: [bad],
                why: "SSM does not reach the instance",
                code: "command-undelivered",
              }
            : { state: "sent", commandId: "rest" },
      },
      50,
    );
    expect(asked.map(({ ids: those, mark }) => [those.length, mark])).toEqual([
      [50, "rule-1 look 1"],
      [49, "rule-1 look 1.1"],
    ]);
    expect(outcomes.filter(({ state }) => state === "failed").map(({ instanceId }) => instanceId)).toEqual([bad]);
    expect(outcomes).toHaveLength(50);
  });

  it("finds the machine that SSM refuses without naming it by halving the batch", async () => {
    const bad = ids(8)[5] ?? "";
    const { outcomes } = await observed(
      {
        send: (instanceIds) =>
          instanceIds.includes(bad)
            ? { state: "refused", unreachable: [], why: "SSM does not reach the instance", code: "command-undelivered" }
            : { state: "sent", commandId: `those with ${instanceIds[0]}` },
      },
      8,
    );
    expect(outcomes.filter(({ state }) => state === "failed").map(({ instanceId }) => instanceId)).toEqual([bad]);
    expect(outcomes).toHaveLength(8);
  });

  it("sends once although the answer was lost: the command is found by its mark", async () => {
    const { outcomes, asked } = await observed({ send: () => timeout(), found: "command-7" }, 2);
    expect(asked).toHaveLength(1);
    expect(outcomes.map(({ state }) => state)).toEqual(["done", "done"]);
  });
});

describe("an observation that lasts", () => {
  it("calls off what has not ended by its time, and keeps what the others said", async () => {
    const [slow = "", ...rest] = ids(3);
    const { outcomes, asked } = await observed({ verdict: (id) => (id === slow ? running(id) : done(id)) }, 3);
    expect(asked.at(-1)).toEqual({ act: "cancel", ids: [slow] });
    expect(outcomes).toEqual([
      {
        instanceId: slow,
        state: "failed",
        why: "observe.ps1 was called off: it did not end in time",
        code: "deadline-passed",
      },
      ...rest.map((instanceId) => ({ instanceId, state: "done", value: instanceId })),
    ]);
  });

  it("names the silent agent where a command that missed its time was never taken", async () => {
    const [silent = ""] = ids(1);
    const ended = { state: "failed", why: "the command was cancelled", code: "command-cancelled" } as const;
    const cancelled = (instanceId: string) => ({ instanceId, ...ended, isCalledOff: true }) as const;
    const { outcomes } = await observed({ verdict: running, cancelled }, 1);
    const why = "observe.ps1: the SSM agent did not take the command in time";
    expect(outcomes).toEqual([
      { instanceId: silent, state: "failed", why, code: "command-undelivered", isUnsure: true },
    ]);
  });

  it("keeps SSM's words about a command that missed its time", async () => {
    const verdict = (instanceId: string) => ({ instanceId, state: "running", status: "InProgress" }) as const;
    const late = { state: "failed", why: "too slow", code: "script-slow", isCalledOff: true } as const;
    const { outcomes } = await observed({ verdict, cancelled: (instanceId) => ({ instanceId, ...late }) }, 1);
    expect(outcomes).toMatchObject([{ state: "failed", why: "too slow" }]);
  });

  it("calls off what still runs once the operation is cancelled, and names that as the reason", async () => {
    const [slow = "", quick = ""] = ids(2);
    const off = { state: "failed", why: "the command was cancelled", code: "command-cancelled" } as const;
    const cancelled = (instanceId: string): InvocationVerdict =>
      instanceId === slow ? { instanceId, ...off, isCalledOff: true } : done(instanceId);
    const looks: null[] = [];
    const cancelledBy = async () => (looks.push(null) > 1 ? "U0OPERATOR" : null);
    const verdict = (id: string) => (id === slow ? running(id) : done(id));
    const { outcomes, asked } = await observed({ verdict, cancelled }, 2, { cancelledBy });
    expect(asked.at(-1)).toEqual({ act: "cancel", ids: [slow] });
    const why = "observe.ps1 was called off: the operation was cancelled";
    expect(outcomes).toEqual([
      { instanceId: slow, state: "failed", why, code: "called-off" },
      { instanceId: quick, state: "done", value: quick },
    ]);
  });

  it("does not wait for a machine that EC2 has terminated", async () => {
    const [gone = ""] = ids(1);
    const ends = new Map([[gone, `${gone} is terminated`]]);
    const { outcomes, asked } = await observed({ verdict: (id) => (id === gone ? running(id) : done(id)), ends }, 2);
    expect(outcomes[0]).toEqual({
      instanceId: gone,
      state: "failed",
      why: `${gone} is terminated`,
      code: "machine-ended",
    });
    expect(asked.map(({ act }) => act)).toEqual(["observe by observe"]);
  });

  it("sends nothing once the operation is cancelled", async () => {
    const { outcomes, asked } = await observed({}, 2, { cancelledBy: async () => "U0OPERATOR" });
    expect(asked).toEqual([]);
    expect(outcomes.every(({ state }) => state === "failed")).toBe(true);
  });

  it("stays far below 2,000 operations for 600 machines and ten minutes", { tags: ["long"] }, async () => {
    const { outcomes, ended } = await observed(
      { verdict: (id, reading) => (reading < 13 ? running(id) : done(id)) },
      600,
      { minutes: 12 },
    );
    expect(outcomes).toHaveLength(600);
    const operations = ended.events.filter((event) => /^\w+Started /.test(event));
    expect(operations.length).toBeGreaterThan(12 * 2 * 13);
    expect(operations.length).toBeLessThan(600);
  });
});

describe("a change of many machines", () => {
  it("hands on the lease of each", async () => {
    const { steps, asked } = fleetOf({});
    const machines = ids(60).map((instanceId) => ({ lease: { instanceId, owner: "rule-1:0", epoch: 1 }, request: {} }));
    await run((ctx) => sendToFleet(ctx, steps, { script: "apply", machines }, { ...wanted, name: "change" }));
    expect(asked.map((one) => [one.act, one.ids.length, one.mark])).toEqual([
      ["change by apply", 50, "rule-1 change 1"],
      ["change by apply", 10, "rule-1 change 2"],
    ]);
  });

  /** Changes one machine whose agent takes no command. @returns the commands, the outcome and the minutes until then */
  async function changedSilent() {
    const [id = ""] = ids(1);
    let commands = 0;
    const off = { state: "failed", why: "", code: "command-cancelled", isCalledOff: true } as const;
    const { steps, asked } = fleetOf({
      send: (_ids, attempt) => {
        commands = attempt;
        return { state: "sent", commandId: `command ${attempt}` };
      },
      verdict: (one) => (commands > 1 ? done(one) : running(one)),
      cancelled: (instanceId) => ({ instanceId, ...off }),
    });
    const machines = [{ lease: { instanceId: id, owner: "rule-1:0", epoch: 1 }, request: {} }];
    const began = Date.now();
    const ended = await run(async (ctx) => [
      ...(
        await sendToFleet(ctx, steps, { script: "apply", machines }, { ...wanted, name: "change", minutes: 30 })
      ).values(),
    ]);
    return { acts: asked.map(({ act }) => act), outcome: ended.result, minutes: (Date.now() - began) / 60_000 };
  }

  it("that no agent takes within three minutes is called off and sent once more", async () => {
    const { acts, outcome, minutes } = await changedSilent();
    expect(acts).toEqual(["change by apply", "cancel", "change by apply"]);
    expect(outcome).toMatchObject([{ state: "done" }]);
    expect(minutes).toBeGreaterThanOrEqual(3);
    expect(minutes).toBeLessThan(8);
  });

  it("sends each request with the leases of its machines alone, and gives an outcome for each", async () => {
    const { steps, asked } = fleetOf({});
    const machines = ids(4).map((instanceId, at) => ({
      lease: { instanceId, owner: "rule-1:0", epoch: at },
      request: { plan: at % 2 },
    }));
    const ended = await run(async (ctx) => [
      ...(await sendToFleet(ctx, steps, { script: "apply", machines }, { ...wanted, name: "change" })).values(),
    ]);
    const leases = machines.map(({ lease }) => lease);
    expect(asked.toSorted((one, other) => ((one.mark ?? "") < (other.mark ?? "") ? -1 : 1))).toMatchObject([
      { mark: "rule-1 change 1", request: { plan: 0 }, held: [leases[0], leases[2]] },
      { mark: "rule-1 change 2", request: { plan: 1 }, held: [leases[1], leases[3]] },
    ]);
    expect(ended.result).toHaveLength(4);
  });
});

describe("many small batches", () => {
  /** Observes machines with a request each, of so many machines. */
  async function small(sizes: readonly number[], played: Played = {}) {
    const { steps, asked } = fleetOf(played);
    const questions = sizes.flatMap((size, plan) =>
      ids(size).map((id) => ({ instanceId: `${id}-${plan}`, request: { files: [`${plan}`] } })),
    );
    const ended = await run(async (ctx) => [...(await observeFleet(ctx, steps, questions, wanted)).values()]);
    const groups = ended.events.flatMap((event) => /^ContextStarted (look(?: \d+)?)$/.exec(event)?.[1] ?? []);
    return { asked, groups: [...new Set(groups)], outcomes: ended.result as readonly FleetOutcome<string>[], ended };
  }

  it("carry the request of their own machines", async () => {
    const { asked } = await small([1, 2]);
    const sent = asked.map(({ act, mark, ids: those, request: of }) => [act, mark, those.length, of]);
    expect(sent.toSorted()).toEqual([
      ["observe by observe", "rule-1 look 1", 1, { files: ["0"] }],
      ["observe by observe", "rule-1 look 2", 2, { files: ["1"] }],
    ]);
  });

  it.each([
    [[20, 20, 10], ["look"]],
    [
      [20, 20, 11, 39, 1],
      ["look", "look 2", "look 3"],
    ],
  ])("of %j machines are one group as long as it has at most fifty: %j", async (sizes, expected) => {
    const { groups, outcomes } = await small(sizes);
    expect(groups).toEqual(expected);
    expect(outcomes).toHaveLength(sizes.reduce((sum, size) => sum + size, 0));
  });

  it("that are refused cost their own machines alone", async () => {
    const send = (instanceIds: readonly string[]): SendResult | Error =>
      instanceIds[0]?.endsWith("-1") ? new Error("it is denied") : { state: "sent", commandId: `c ${instanceIds[0]}` };
    const { outcomes } = await small([1, 2, 1], { send });
    expect(outcomes.map(({ instanceId, state }) => [instanceId.slice(-2), state])).toEqual([
      ["-0", "done"],
      ["-1", "failed"],
      ["-1", "failed"],
      ["-2", "done"],
    ]);
    expect(outcomes[1]).toMatchObject({ why: expect.stringContaining("it is denied") });
  });
});
