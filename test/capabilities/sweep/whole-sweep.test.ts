import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type SweepStart, sweepLedger } from "../../../lambdas/capabilities/sweep/sweep.ts";
import { CORDONED_BY, SOON_REBOOTED } from "../../../lambdas/cluster/node-keys.ts";
import { Refused, Retryable } from "../../../lambdas/errors.ts";
import { inMinutes, run, setUp, tearDown, verbs } from "../../engine/durable-engine.ts";
import { answers, recorded } from "../../engine/recorded.ts";
import { operationRecord } from "../../messages/records.ts";
import { configurationWith } from "../../profiles/okd/facts.ts";

beforeAll(setUp);
afterAll(tearDown);

const minutesAgo = (minutes: number): string => new Date(inMinutes(-minutes)).toISOString();

/** An operation of one node that waits in the ledger, and whose time came so many minutes ago. */
const parked = (id: string, minutes = 5) =>
  operationRecord({
    ...{ id, status: "scheduled", executionArn: "arn:1", requestedAt: minutesAgo(60) },
    request: { command: "drain", node: "win-1", dryRun: false },
    scheduled: {
      ...{ from: minutesAgo(minutes), until: null, wakeAt: minutesAgo(minutes), timeZone: "UTC", isDate: false },
      ...{ part: 1, parkedAt: minutesAgo(30), tries: 0 },
    },
  });

/** A cluster in which nothing is left to do; verbs that change something are recorded. */
const world = (reads: object = {}, writes: object = {}) =>
  recorded(
    {
      turns: { last: answers(undefined) },
      ledger: { unfinished: answers([]), operation: answers(undefined), nodes: answers([]) },
      cordons: { open: answers([]), find: answers(undefined) },
      slots: { left: answers([]) },
      runtime: { read: answers({ version: "7", configuration: configurationWith() }) },
      announcements: { rules: answers({ version: "7", rules: {} }), fleet: { open: answers([]) } },
      machines: { assistance: { all: answers([]) }, seen: { ownReboots: answers(new Map()) } },
      machine: { agents: answers(new Map()) },
      claims: { all: answers([]) },
      breakGlass: { open: answers([]) },
      nodes: { all: answers([]) },
      instances: { ofCluster: answers([]) },
      reminders: { all: answers(new Map()), presses: answers([]) },
      unsaid: { read: answers([]) },
      audit: { lateExports: answers([]) },
      executions: { status: answers("STOPPED") },
      ...reads,
    },
    {
      turns: { take: answers(true) },
      machines: { keepWhileMachinesLive: answers() },
      ...writes,
    },
  );

/** Sweeps a world. @returns how the execution ended, its steps, and what was changed */
async function swept({ steps, calls }: ReturnType<typeof world>, only?: SweepStart["only"]) {
  const start = { tick: "event-1", ...(only === undefined ? {} : { only }) };
  const { status, error, events } = await run((ctx) => sweepLedger(steps)(start, ctx));
  const done = events.flatMap((event) => event.match(/^StepSucceeded (.*)/)?.[1] ?? []);
  return { status, error: error.message, done, calls, verbs: calls.map(([verb]) => verb) };
}

describe("A sweep", () => {
  test("looks at everything in this order, and changes nothing where nothing was left", async () => {
    const { status, done, verbs: changed } = await swept(world());
    expect([status, changed]).toEqual(["SUCCEEDED", ["turns.take", "machines.keepWhileMachinesLive"]]);
    expect(done).toEqual([
      "take the turn: sweep",
      "announce changed rules",
      "start what is due",
      "find operations that were lost",
      "find operations that were handed over",
      "find nodes that operations left",
      "give back slots that were left",
      "find kept machines to remind of",
      "find awaited reviews",
      "expire what machines were given",
      "copy late entries of the audit",
      "clear marks of uncordoned nodes",
    ]);
  });

  test.each<[string, object, object, boolean]>([
    ["while the last execution runs", { last: answers("arn:2") }, { status: answers("RUNNING") }, false],
    ["after the last execution", { last: answers("arn:2") }, { status: answers("STOPPED") }, true],
    [
      "where Lambda refuses to show the last execution",
      { last: answers("arn:2") },
      { status: () => Promise.reject(Object.assign(new Error("no"), { name: "AccessDeniedException" })) },
      true,
    ],
    ["where another execution took the turn at once", { take: answers(false) }, {}, false],
  ])("%s has its turn: %j", async (_when, turns, executions, isItsTurn) => {
    const { done } = await swept(
      world({ turns: { last: answers(undefined), take: answers(true), ...turns }, executions }, { turns: {} }),
    );
    expect(done.length > 1).toBe(isItsTurn);
  });

  test("keeps its turn where it had it already", async () => {
    const taken: unknown[] = [];
    const { steps } = world({}, { turns: {} });
    await run(async (ctx) => {
      const own = ctx.executionContext.durableExecutionArn;
      const turns = { last: answers(own), take: async (...turn: unknown[]) => taken.push(turn) > 1 };
      const executions = { status: answers("RUNNING") };
      await sweepLedger(verbs({ ...steps, turns, executions }))({ tick: "event-1" }, ctx);
      expect(taken).toEqual([["sweep", own, own]]);
    });
    expect(taken).toHaveLength(1);
  });

  test("starts each operation whose time has come, and fails with the first that Lambda does not take", async () => {
    const ledger = { unfinished: answers([parked("drain-1"), parked("drain-9", -5), parked("drain-2")]) };
    const unreached = { ...ledger, operation: answers(undefined), nodes: answers([]) };
    const { status, calls } = await swept(world({ ledger: unreached }, { executions: { start: answers() } }), "due");
    expect(status).toBe("SUCCEEDED");
    expect(calls.map(([verb, workflow, , payload]) => [verb, workflow, payload])).toMatchObject([
      ["executions.start", "drain-node", { operation: "drain-1", continues: 2 }],
      ["executions.start", "drain-node", { operation: "drain-2", continues: 2 }],
    ]);
    const started: string[] = [];
    const start = async (_workflow: string, name: string) => {
      started.push(name);
      if (started.length === 1) throw new Error("not authorized");
    };
    const refused = await swept(world({ ledger: unreached }, { executions: { start } }), "due");
    expect([refused.status, refused.error, started.length]).toEqual(["FAILED", "not authorized", 2]);
  });

  test("gives back the slots of each execution that ended without doing so", async () => {
    const slots = { left: answers([{ owner: "drain-1:0" }, { owner: "drain-2:0" }]) };
    const { calls } = await swept(world({ slots }, { slots: { release: answers(true) } }));
    expect(calls.filter(([verb]) => verb === "slots.release")).toEqual([
      ["slots.release", "drain-1:0"],
      ["slots.release", "drain-2:0"],
    ]);
  });

  test("takes marks off nodes that others uncordoned, and off those whose rollout has ended", async () => {
    const nodes = [
      { metadata: { name: "web-1", uid: "uid-1", annotations: { [CORDONED_BY]: "drain-1" } }, spec: {} },
      { metadata: { name: "web-2", uid: "uid-2" }, spec: { taints: [{ key: SOON_REBOOTED, value: "reboot-1" }] } },
    ];
    const record = { adds: { taints: [], annotations: {}, labels: {} }, keptAt: minutesAgo(60) };
    const { verbs: changed } = await swept(
      world(
        {
          nodes: { all: answers(nodes) },
          cordons: { open: answers([]), find: answers(record) },
          ledger: { unfinished: answers([]), operation: answers(operationRecord({ endedAt: minutesAgo(60) })) },
        },
        {
          nodes: { change: answers(), prefersNoPods: answers() },
          cordons: { forget: answers() },
        },
      ),
    );
    expect(changed.slice(-3)).toEqual(["nodes.change", "cordons.forget", "nodes.prefersNoPods"]);
  });

  test("lets what machines were given expire once they are gone", async () => {
    const instances = { ofCluster: answers([{ instanceId: "i-1", state: "running", tags: {} }]) };
    const { calls } = await swept(world({ instances }));
    const [, isGone] = calls.find(([verb]) => verb === "machines.keepWhileMachinesLive") ?? [];
    const judge = isGone as (instanceId: string) => boolean;
    expect([judge("i-1"), judge("i-2")]).toEqual([false, true]);
  });

  test("copies late entries of the audit until S3 takes none", async () => {
    const audit = { lateExports: answers([1, 2, 3].map((chain) => ({ chain }))) };
    const catchUp = async (chain: number) => chain === 1;
    const { calls } = await swept(world({ audit }, { audit: { catchUp } }));
    expect(calls.filter(([verb]) => verb === "audit.catchUp").map(([, chain]) => chain)).toEqual([1, 2]);
  });

  test("closes a review of an operation whose record has expired", async () => {
    const used = { operation: "drain-1", at: minutesAgo(60) };
    const { calls } = await swept(
      world({ breakGlass: { open: answers([used]) } }, { breakGlass: { close: answers() } }),
    );
    expect(calls).toContainEqual(["breakGlass.close", "drain-1"]);
  });

  const busy = () => Promise.reject(new Retryable("busy"));
  test.each<[string, object, object]>([
    ["a service is busy", { slots: { left: busy } }, {}],
    [
      "there is no release",
      { runtime: { read: () => Promise.reject(new Refused("there is no release document")) } },
      {},
    ],
    [
      "it cannot let records expire",
      {},
      { machines: { keepWhileMachinesLive: () => Promise.reject(new Error("no")) } },
    ],
  ])("does everything else where %s, and leaves that to the next one", async (_where, reads, writes) => {
    const { status, done } = await swept(world(reads, writes));
    expect([status, done.at(-1)]).toEqual(["SUCCEEDED", "clear marks of uncordoned nodes"]);
  });

  test("fails with the first failure once everything else is done", async () => {
    const failing = (why: string) => () => Promise.reject(new Error(why));
    const { status, error, done } = await swept(
      world({ slots: { left: failing("no slots") }, breakGlass: { open: failing("no reviews") } }),
    );
    expect([status, error, done.at(-1)]).toEqual(["FAILED", "no slots", "clear marks of uncordoned nodes"]);
  });
});

describe("Every few minutes the sweep", () => {
  test("starts what is due, shows messages, hears presses, reminds people and looks at the fleet", async () => {
    const { status, done } = await swept(world(), "due");
    expect([status, done]).toEqual([
      "SUCCEEDED",
      [
        "start what is due",
        "find messages that Slack refused",
        "hear who has what waits",
        "find what waits for a person",
        "look at the whole fleet",
      ],
    ]);
  });

  test("hears presses after each press of one, and looks at the fleet", async () => {
    expect((await swept(world(), "presses")).done).toEqual(["hear who has what waits", "look at the whole fleet"]);
  });

  const since = minutesAgo(100);
  const paused = operationRecord({
    ...{ id: "reboot-1", messageTs: "1.0", executionArn: "arn:1" },
    rollout: { paused: { by: null, at: since, why: "a node failed" }, part: 1, parkedAt: null, heard: null },
  });
  const node = {
    metadata: { name: "web-1", uid: "uid-1", labels: { "kubernetes.io/os": "windows" } },
    spec: { unschedulable: true },
    status: { conditions: [{ type: "Ready", status: "True" }] },
  };
  const unproven = {
    node: "web-1",
    uid: "uid-1",
    operation: "reboot-1",
    index: 9,
    keptAt: since,
    unproven: { isQuarantined: false },
  };
  const waiting = { unfinished: answers([paused]), operation: answers(paused), nodes: answers([]) };
  const left = { nodes: { all: answers([node]) }, cordons: { find: answers(unproven) } };

  test.each<[string, object, readonly string[]]>([
    ["a paused rollout, in Slack alone", { ledger: waiting }, ["thread.post", "reminders.keep"]],
    [
      "a node out of service, past Slack too",
      { ...left, ledger: { ...waiting, unfinished: answers([]) } },
      ["notices.send", "reminders.keep", "thread.post", "reminders.keep"],
    ],
  ])("reminds people of %s", async (_what, reads, reminding) => {
    const rules = {
      read: answers({ version: "7", configuration: configurationWith() }),
      rules: answers(configurationWith()),
    };
    const writes = { thread: { post: answers("2.0") }, notices: { send: answers() }, reminders: { keep: answers() } };
    const { status, verbs: changed } = await swept(world({ ...reads, runtime: rules }, writes), "due");
    expect([status, changed]).toEqual(["SUCCEEDED", ["turns.take", ...reminding]]);
    const another = { last: answers("arn:2") };
    const executions = { status: answers("RUNNING") };
    const elsewhere = world({ ...reads, runtime: rules, turns: another, executions }, writes);
    expect((await swept(elsewhere, "due")).verbs).toEqual([]);
  });
});
