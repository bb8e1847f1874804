import type { DurableContext } from "@aws/durable-execution-sdk-js";
import { afterAll, beforeAll, expect, it } from "vitest";
import { proveNewDataPlane } from "../../../lambdas/capabilities/add/new-data-plane.ts";
import type { ProvisionTask } from "../../../lambdas/capabilities/add/task.ts";
import { callLog, machine, taskOn } from "../../change/a-task.ts";
import { run, setUp, tearDown, tenMinutes, timeout } from "../../engine/durable-engine.ts";
import { configurationWith, manifest } from "../../profiles/okd/facts.ts";

beforeAll(setUp);
afterAll(tearDown);

const images = { "2022": "mcr.microsoft.com/windows/servercore:ltsc2022", linux: "docker.io/library/busybox:1.37" };
const runtime = { version: "1", configuration: { ...configurationWith(), probe: { images } }, payload: manifest() };
const registered = { name: machine.privateDnsName, uid: "uid-1" };

/** Proves the data plane of a new node. @param given the verbs of executions, of recorded probes and of Nodes */
async function proved(given: {
  readonly start?: () => Promise<void>;
  readonly of?: () => Promise<object | undefined>;
  readonly read?: () => Promise<object | undefined>;
}) {
  const notes: string[] = [];
  const ledger = {
    nodes: async () => [{ index: 0, notes: [] }],
    changeNode: async (_id: string, _at: number, change: { notes?: string[] }) =>
      void notes.push(...(change.notes ?? [])),
  };
  const executions = { start: given.start ?? (async () => undefined) };
  const machines = { probed: { of: given.of ?? (async () => undefined) } };
  const nodes = { read: given.read ?? (async () => ({ metadata: registered })) };
  const now = { enteredAt: Date.now(), wait: tenMinutes() };
  const changes = { runtime, node: registered, ...now } as unknown as Partial<ProvisionTask>;
  const prove = (ctx: DurableContext) =>
    proveNewDataPlane(taskOn(ctx, callLog(), { ledger, executions, machines, nodes }, changes));
  const { status, error } = await run(prove);
  return { status, type: error.type, notes };
}

const fails = { state: "fails", fault: "dns", from: null };
const recorded = (at: number, uid = "uid-1") => ({ uid, result: fails, probedAt: new Date(at).toISOString() });

it("fails by a probe of this Node that was ordered now", async () => {
  const ended = await proved({ of: async () => recorded(Date.now()) });
  expect(ended).toEqual({ status: "FAILED", type: "StageFailed:pod-resolves-nothing", notes: [] });
});

it("fails by a probe that did not leave the cluster, with a code of its own", async () => {
  const result = { state: "fails", fault: "outside", from: null, words: "registry.example.com:443" };
  const ended = await proved({ of: async () => ({ ...recorded(Date.now()), result }) });
  expect(ended.type).toBe("StageFailed:pod-reaches-nothing-outside");
});

it.each([
  ["of an earlier setup", async () => recorded(Date.now() - 3_600_000)],
  ["of another Node", async () => recorded(Date.now(), "uid-2")],
  ["that is not recorded", async () => undefined],
])("does not judge the node by a probe %s", async (_, of) => {
  const ended = await proved({ of });
  expect(ended.status).toBe("SUCCEEDED");
  expect(ended.notes).toEqual(["The data plane was not probed: the probe recorded no result in time."]);
});

it("uses the result of a probe that ended before its order was repeated", async () => {
  let ended: object | undefined;
  const start = async () => {
    if (ended) return;
    ended = recorded(Date.now());
    throw timeout();
  };
  const { type } = await proved({ start, of: async () => ended });
  expect(type).toBe("StageFailed:pod-resolves-nothing");
});

it.each([
  ["was deleted", async () => undefined],
  ["was replaced by another", async () => ({ metadata: { ...registered, uid: "uid-2" } })],
])("fails at once when the Node %s meanwhile", async (_, read) => {
  const begun = Date.now();
  const { type, notes } = await proved({ read });
  expect([type, notes]).toEqual(["StageFailed:node-deleted", []]);
  expect(Date.now() - begun).toBeLessThan(60_000);
});

it("does not judge the node where Lambda does not start the probe", async () => {
  const start = async () => Promise.reject(new Error("not authorized to perform lambda:InvokeFunction"));
  const ended = await proved({ start });
  expect(ended.status).toBe("SUCCEEDED");
  expect(ended.notes).toEqual([expect.stringContaining("not authorized to perform lambda:InvokeFunction")]);
});
