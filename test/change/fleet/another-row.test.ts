import { afterAll, beforeAll, expect, test } from "vitest";
import { changeFleet } from "../../../lambdas/change/fleet/change-fleet.ts";
import type { FleetMachine, FleetOperation, FleetRow, SendPlan } from "../../../lambdas/change/fleet/row.ts";
import { StageFailed } from "../../../lambdas/engine/durable.ts";
import { Refused } from "../../../lambdas/errors.ts";
import type { FleetResult } from "../../../lambdas/messages/operation/fleet.ts";
import { run, setUp, tearDown } from "../../engine/durable-engine.ts";
import { Fleet, idOf, nameOf, type Troubles } from "./fleet.ts";

beforeAll(setUp);
afterAll(tearDown);

/** A machine that lacks one of two files. */
interface Lacking extends FleetMachine {
  readonly lacks: "hosts.toml" | "ca.crt";
}

/** Sends each machine the file that it lacks, and writes down beforehand which it will have. */
const sendingOf = (given: Map<string, string>): SendPlan<Lacking> => ({
  script: "apply",
  minutes: 10,
  groupOf: ({ lacks }) => lacks,
  plan: async (members) => {
    for (const { instanceId, lacks } of members) given.set(instanceId, lacks);
    return { file: members[0]?.lacks };
  },
  read: (result) => ("ok" in result && result.ok ? { value: true } : { why: "it failed" }),
});

/** The smallest row that has everything a row may have: another kind of change needs no more than this. */
const rowOf = (given: Map<string, string>, prove: () => Promise<null>) =>
  ({
    workflow: "authority",
    stage: "file",
    claim: "claim",
    onHeld: (why) => ({ state: "untouched", why }),
    onClaimed: async () => null,
    sending: async () => sendingOf(given),
    trial: {
      names: { plan: "plan first", send: "first", settle: "settle first", undo: "undo" },
      prove,
      undo: async () => ({ file: "as it was before" }),
      block: async ({ name }, at) => void given.set("blocked", `${name} by its ${at}`),
    },
    rest: { plan: "plan rest", send: "rest", settle: "settle rest" },
    audit: { succeeded: "changed", detail: { change: "write a file" } },
    endOf: (outcome) => {
      if (outcome.state === "failed") given.set("failed", outcome.code ?? "without a code");
      return { status: outcome.state === "changed" ? "succeeded" : "failed" };
    },
  }) satisfies FleetRow<Lacking>;

const lackingOf = (machine: number): Lacking => ({
  name: nameOf(machine),
  uid: `uid-${machine}`,
  instanceId: idOf(machine),
  lacks: machine % 2 === 0 ? "hosts.toml" : "ca.crt",
});

async function change(prove: () => Promise<null>, troubles: Troubles = {}, undo?: SendPlan<Lacking>["plan"] | null) {
  const fleet = new Fleet(121, troubles);
  const given = new Map<string, string>();
  const machines = fleet.numbers().map(lackingOf);
  const ended = await run((ctx) => {
    const op: FleetOperation = { ctx, steps: fleet.steps(), operation: "files-0a1b2c3d" };
    const row = rowOf(given, prove);
    const { undo: usual, ...trial } = row.trial;
    const restoring = undo === undefined ? usual : undo;
    return changeFleet(op, { ...row, trial: { ...trial, ...(restoring ? { undo: restoring } : {}) } }, machines);
  });
  return { fleet, given, result: ended.result };
}

test("a row of its own kind sends each machine its own request, one machine first", async () => {
  const { fleet, given, result } = await change(async () => null);
  expect(result).toMatchObject({ result: { failed: [], untouched: [], note: null } });
  expect(fleet.changed.map(({ length }) => length)).toEqual([1, 50, 10, 50, 10]);
  expect(fleet.changed[0]).toEqual([idOf(0)]);
  for (const [at, ids] of fleet.changed.entries())
    for (const id of ids) expect(fleet.requests[at]).toEqual({ file: given.get(id) });
});

test("what a machine is about to get is written down before it is sent", async () => {
  const { fleet, given } = await change(async () => null, { fails: () => "it failed" });
  expect(fleet.changed).toEqual([[idOf(0)]]);
  expect([...given].slice(0, 2)).toEqual([
    [idOf(0), "hosts.toml"],
    ["blocked", `${nameOf(0)} by its change`],
  ]);
});

const refuses = async () => {
  throw new Refused("the pull failed");
};

test("a proof that fails gives the first machine back what it had, and no other machine is changed", async () => {
  const { fleet, given, result } = await change(refuses);
  expect(fleet.requests).toEqual([{ file: "hosts.toml" }, { file: "as it was before" }]);
  expect(given.get("blocked")).toBe(`${nameOf(0)} by its proof`);
  const why = "the pull failed; what was there before is back";
  expect(result).toMatchObject({ result: { changed: [], failed: [{ node: nameOf(0), why }] } });
  expect(fleet.statuses()).toEqual({ failed: 121 });
  expect(fleet.held.size).toBe(0);
});

/** Words on a first machine whose proof fails. @param fails words of a machine at which its nth command fails */
async function whyUnproven(undo?: SendPlan<Lacking>["plan"] | null, fails: readonly (string | null)[] = []) {
  const left = [...fails];
  const { result } = await change(refuses, { fails: () => left.shift() ?? null }, undo);
  return (result as { result: FleetResult }).result.failed[0]?.why;
}

test("what was not given back after a proof that failed is said, with the cause", async () => {
  const lost = "the pull failed; what was there before could not be given back: ";
  expect(await whyUnproven(undefined, [null, "the disk is full"])).toBe(`${lost}it failed`);
  const unknown = async () => {
    throw new Refused("the ledger has no file of before");
  };
  expect(await whyUnproven(unknown)).toBe(`${lost}the ledger has no file of before`);
  expect(await whyUnproven(null)).toBe("the pull failed");
});

test("a proof that fails ends the first machine's work with the proof's code, by which the remedy is chosen", async () => {
  const { given } = await change(async () => {
    throw new StageFailed("image-not-pulled", "the mirror lacks it");
  });
  expect(given.get("failed")).toBe("image-not-pulled");
});

/** Failure of a machine whose agent does not take the command, as SSM's status makes it. */
const silent = (...machines: readonly number[]): Troubles => ({ silent: machines });

test("where the first agents do not take the command twice, the next machine is tried first, and nothing is blocked", async () => {
  const { fleet, given, result } = await change(async () => null, silent(0, 1));
  expect(fleet.changed.map(({ length }) => length)).toEqual([1, 1, 1, 1, 1, 50, 9, 50, 9]);
  expect(fleet.changed.slice(0, 5).flat()).toEqual([0, 0, 1, 1, 2].map(idOf));
  expect(given.has("blocked")).toBe(false);
  expect(result).toMatchObject({ result: { failed: [{ node: nameOf(0) }, { node: nameOf(1) }], untouched: [] } });
  expect(fleet.statuses()).toEqual({ failed: 2, succeeded: 119 });
  expect(fleet.held.size).toBe(0);
});

test("where no agent takes the command, the others are left alone after three, and nothing is blocked", async () => {
  const { fleet, given, result } = await change(async () => null, silent(0, 1, 2, 3));
  expect(fleet.changed.flat()).toEqual([0, 0, 1, 1, 2, 2].map(idOf));
  expect(given.has("blocked")).toBe(false);
  expect((result as { result: FleetResult }).result.untouched).toHaveLength(118);
  expect(fleet.held.size).toBe(0);
});

/** Changes three machines at once by a row that observes them afterwards. @param seen words on what is observed */
async function verified(troubles: Troubles, seen: string | null) {
  const fleet = new Fleet(3, troubles);
  const observed: string[] = [];
  const steps = fleet.steps();
  const observe: typeof steps.fleet.observe = async (ids) => {
    observed.push(...ids);
    return { state: "sent", commandId: "observe" };
  };
  const { trial: _, ...row } = rowOf(new Map(), async () => null);
  const sending = async () => ({
    ...(await row.sending()),
    verify: () => (seen === null ? { value: true as const } : { why: seen }),
  });
  const ended = await run((ctx) => {
    const op: FleetOperation = { ctx, steps: { ...steps, fleet: { ...steps.fleet, observe } }, operation: "files-1" };
    return changeFleet(op, { ...row, sending }, fleet.numbers().map(lackingOf));
  });
  const { result } = ended.result as { result: FleetResult };
  const failed = result.failed.map(({ node, why }) => `${node}: ${why}`);
  return { observed, changed: result.changed, failed, events: ended.events };
}

test("machines that were changed are observed afterwards, and fail where they do not show the change", async () => {
  const fails = (machine: number) => (machine === 1 ? "it failed" : null);
  const [first, second, third] = [0, 1, 2].map(nameOf);
  const observed = [idOf(0), idOf(2)];
  const failed = [`${second}: it failed`];
  expect(await verified({ fails }, null)).toMatchObject({ observed, changed: [first, third], failed });
  const gone = [`${first}: it is gone`, ...failed, `${third}: it is gone`];
  expect(await verified({ fails }, "it is gone")).toMatchObject({ observed, changed: [], failed: gone });
});

test("machines of which none was changed are not observed", async () => {
  const { observed, failed, events } = await verified({ fails: () => "it failed" }, null);
  expect([observed, failed.length, events.filter((event) => event.includes("verify"))]).toEqual([[], 3, []]);
});
