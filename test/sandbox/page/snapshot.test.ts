import { expect, test } from "vitest";
import { snapshotOf } from "../../../lib/sandbox/page/snapshot.ts";
import { agents, instances, machines, nodes } from "../../page/samples.ts";

const state = { now: "2026-11-20T14:12:00.000Z", instances, machines, nodes } as unknown as Parameters<
  typeof snapshotOf
>[0];

test("puts the newest instances first, with what SSM hears of their agents", () => {
  const shown = snapshotOf(state, agents, 1, []).instances.map(({ id, state, ping, pool }) => [id, state, ping, pool]);
  expect(shown).toEqual([
    ["i-0a1b2c3d4e5f60711", "pending", "–", "web"],
    ["i-0a1b2c3d4e5f60710", "running", "Online", "web"],
    ["i-0ffffffffffffff02", "terminated", "ConnectionLost", "web"],
    ["i-0ffffffffffffff01", "running", "–", "control-plane"],
  ]);
});

test("puts Windows nodes first, in the words of kubectl", () => {
  const shown = snapshotOf(state, agents, 1, []).nodes.map(({ name, status, instanceId }) => [
    name.split(".")[0],
    status,
    instanceId,
  ]);
  expect(shown).toEqual([
    ["ip-10-0-0-21", "Ready", "i-0a1b2c3d4e5f60710"],
    ["ip-10-0-0-22", "NotReady,SchedulingDisabled", "i-0a1b2c3d4e5f60711"],
    ["ip-10-0-0-5", "Ready", "i-0ffffffffffffff01"],
  ]);
});

test("lists the registries' files by folder and content, without those of machines that are gone", () => {
  expect(snapshotOf(state, agents, 1, []).registries).toEqual([
    { folder: "mirror.example.com_5000_", hash: "60303ae2", instanceIds: ["i-0a1b2c3d4e5f60710"] },
    { folder: "quay.io", hash: "2c26b46b", instanceIds: ["i-0a1b2c3d4e5f60711"] },
    { folder: "quay.io", hash: "9f86d081", instanceIds: ["i-0a1b2c3d4e5f60710"] },
  ]);
});

test("calls a node that never reported Unknown, and an instance without details by its id", () => {
  const bare = {
    now: state.now,
    instances: [{ InstanceId: "i-1" }],
    machines: [],
    nodes: [{ metadata: { name: "n" } }],
  };
  const snapshot = snapshotOf(bare, [], 60, []);
  expect(snapshot.nodes[0]).toMatchObject({ status: "Unknown", version: "", instanceId: "", windows: false });
  expect(snapshot.instances[0]).toMatchObject({ id: "i-1", state: "unknown", ping: "–" });
  expect(snapshot.speed).toBe(60);
});
