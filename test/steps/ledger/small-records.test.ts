import { afterAll, beforeAll, expect, test } from "vitest";
import type { FleetCall } from "../../../lambdas/records/fleet-call.ts";
import type { Rollout } from "../../../lambdas/records/rollout.ts";
import type { Stray } from "../../../lambdas/records/stray.ts";
import { START, type TestSimulator, testSimulator } from "../test-simulator.ts";

let simulator: TestSimulator;
beforeAll(async () => {
  simulator = await testSimulator();
});
afterAll(() => simulator.close());

const sweep = () => simulator.as("sweep");
const at = (seconds: number): string => new Date(START + seconds * 1_000).toISOString();

test("Messages that Slack refuses are kept since the first refusal, those tried in vain last, until they are said", async () => {
  const { unsaid } = sweep();
  expect(await unsaid.read()).toEqual([]);
  await unsaid.said("add-1");
  await unsaid.note("add-1");
  await simulator.pass(60);
  await unsaid.note("add-1");
  await unsaid.note("add-2");
  await unsaid.note("add-3");
  const [first, second, third] = [
    { operation: "add-1", since: at(0) },
    { operation: "add-2", since: at(60) },
    { operation: "add-3", since: at(60) },
  ];
  expect(await unsaid.read()).toEqual([first, second, third]);
  await unsaid.tried("add-1");
  expect(await unsaid.read()).toEqual([second, third, first]);
  await unsaid.called(["add-1", "add-3"]);
  const calledAt = at(60);
  expect(await unsaid.read()).toEqual([second, { ...third, calledAt }, { ...first, calledAt }]);
  await unsaid.said("add-3");
  await unsaid.said("add-9");
  expect(await unsaid.read()).toEqual([second, { ...first, calledAt }]);
});

test("A call to trouble of many nodes is one of its kind until it ends", async () => {
  const { fleet } = sweep().announcements;
  const call = (kind: FleetCall["kind"], id: string) => ({ kind, id }) as unknown as FleetCall;
  const kind = "not-ready";
  const other = "agents-silent";
  expect(await fleet.open()).toEqual([]);
  await fleet.change(kind, { id: "none" } as never);
  expect(await fleet.open()).toEqual([]);
  expect(await fleet.begin(call(kind, "one"))).toEqual(call(kind, "one"));
  expect(await fleet.begin(call(kind, "two"))).toEqual(call(kind, "one"));
  await fleet.begin(call(other, "three"));
  await fleet.change(kind, { id: "changed" } as never);
  expect(await fleet.open()).toEqual(expect.arrayContaining([call(kind, "changed"), call(other, "three")]));
  await fleet.end(kind);
  expect(await fleet.open()).toEqual([call(other, "three")]);
});

test("What was posted is replaced as a whole, each list on its own", async () => {
  const { strays, machineEvents } = simulator.as("watch-reboots").announcements;
  const { rules, keepRules } = sweep().announcements;
  const stray = (id: string) => ({ instanceId: id }) as unknown as Stray;
  expect([await strays.posted(), await machineEvents.posted(), await rules()]).toEqual([[], [], undefined]);
  await strays.keep([stray("i-1"), stray("i-2")]);
  await strays.keep([stray("i-2")]);
  await keepRules({ version: "v-1", rules: {} as never });
  expect(await strays.posted()).toEqual([stray("i-2")]);
  expect(await machineEvents.posted()).toEqual([]);
  expect(await rules()).toMatchObject({ version: "v-1" });
});

test("A rollout is written once and changed field by field", async () => {
  const { rollouts } = simulator.as("reboot-nodes");
  const rollout = { part: 1, settings: "a" } as unknown as Rollout;
  expect(await rollouts.read("reboot-1")).toBeUndefined();
  expect(await rollouts.insert("reboot-1", rollout)).toBe("first");
  expect(await rollouts.insert("reboot-1", { part: 2 } as unknown as Rollout)).toBe("again");
  await rollouts.change("reboot-1", { part: 3 } as Partial<Rollout>);
  expect(await rollouts.read("reboot-1")).toMatchObject({ part: 3, settings: "a" });
});

test("A turn is taken over from the execution that had it, by one of those who ask", async () => {
  const { turns } = sweep();
  const of = "sweep" as Parameters<typeof turns.last>[0];
  expect(await turns.last(of)).toBeUndefined();
  expect(await turns.take(of, "arn:1", undefined)).toBe(true);
  expect(await turns.take(of, "arn:2", undefined)).toBe(false);
  expect(await turns.take(of, "arn:2", "arn:1")).toBe(true);
  expect(await turns.take(of, "arn:2", "arn:1")).toBe(true);
  expect(await turns.last(of)).toBe("arn:2");
});

test("A stop is in force until it is lifted or its time is over", async () => {
  const { stops } = simulator.as("stop-changes");
  const freeze = {
    kind: "freeze",
    target: { kind: "pool", pool: "web" },
    reason: "audit",
    by: "olivia",
    at: at(60),
    until: new Date(START + 3_600_000).toISOString(),
  } as const;
  const hold = { ...freeze, kind: "hold", target: { kind: "node", uid: "u-1", name: "win-1" }, until: null } as const;
  await stops.put(freeze);
  await stops.put(hold);
  expect(await stops.recordedFor({ uid: null, pool: "web" })).toMatchObject(freeze);
  expect(await stops.recordedFor({ uid: "u-1", pool: "web" })).toMatchObject(hold);
  expect(await stops.recordedFor({ uid: "u-2", pool: "batch" })).toBeNull();
  await stops.put({ ...freeze, reason: "longer audit" });
  expect((await stops.all()).map(({ reason }) => reason).toSorted()).toEqual(["audit", "longer audit"]);
  expect(await stops.end("hold", hold.target)).toMatchObject(hold);
  expect(await stops.end("hold", hold.target)).toBeUndefined();
  expect(await stops.end("freeze", { kind: "cluster" })).toBeUndefined();
  expect(await stops.all()).toMatchObject([{ reason: "longer audit" }]);
  await simulator.pass(3_600);
  expect(await stops.all()).toEqual([]);
});
