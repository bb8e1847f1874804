import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { handleFailure } from "../../../lambdas/capabilities/add/handle-failure.ts";
import type { ProvisionTask } from "../../../lambdas/capabilities/add/task.ts";
import { Cancelled, StageFailed } from "../../../lambdas/engine/durable.ts";
import { callLog, machine, taskOn } from "../../change/a-task.ts";
import { run, setUp, tearDown } from "../../engine/durable-engine.ts";

beforeAll(setUp);
afterAll(tearDown);

const node = (ready: "True" | "False") => ({
  metadata: { name: machine.privateDnsName, uid: "uid-1" },
  status: { conditions: [{ type: "Ready", status: ready }] },
});
const cancelled = new Cancelled("U0OPERATOR");
const failed = new StageFailed("deadline-passed", "gave up waiting for the kubelet");

/** Acts on a node in trouble that nobody decides about, in order. */
async function endOf(error: Error, given: Readonly<Record<string, object>> = {}, changes: Partial<ProvisionTask> = {}) {
  const log = callLog();
  await run((ctx) => handleFailure(taskOn(ctx, log, given, changes), error));
  return log.entries;
}

describe("A node whose stage failed", () => {
  it("has its kubelet stopped and its place given back before anybody is asked, and goes when nobody decides", async () => {
    expect(await endOf(failed)).toEqual([
      'apply "stop the kubelet"',
      "give back the join slot",
      "deciding",
      "terminate",
      "failed: terminated automatically, because no decision was made in time",
    ]);
  });

  it("is asked about although its kubelet could not be stopped", async () => {
    const commandState = async () => ({ state: "failed", why: "the agent is silent" });
    expect((await endOf(failed, { machine: { commandState } })).slice(0, 3)).toEqual([
      'apply "stop the kubelet"',
      "give back the join slot",
      "deciding",
    ]);
  });

  it("is sent nothing where its kubelet was never started", async () => {
    expect((await endOf(failed, {}, { stage: "payload" })).slice(0, 2)).toEqual([
      "give back the join slot",
      "deciding",
    ]);
  });

  it("is asked about and terminated although EC2 does not answer for a while", async () => {
    const deaf = async () => {
      throw Object.assign(new Error("An internal error has occurred"), { name: "InternalError" });
    };
    const entries = await endOf(failed, { instances: { describe: deaf } }, { stage: "agent" });
    expect(entries).toEqual([
      "give back the join slot",
      "deciding",
      "terminate",
      `failed: terminated automatically, because no decision was made in time, but EC2 does not report ${machine.instanceId} as terminated yet`,
    ]);
    const wholly = await endOf(failed, { instances: { describe: deaf, terminate: deaf } }, { stage: "agent" });
    expect(wholly.at(-1)).toContain("as terminated yet");
  });

  it("stays asked about when an event says that its instance stops, and EC2 does not answer", {
    tags: ["long"],
  }, async () => {
    const log = callLog();
    const describe = async () => {
      if (!log.entries.includes("deciding")) return machine;
      throw Object.assign(new Error("An internal error has occurred"), { name: "InternalError" });
    };
    const ended = await run(
      (ctx) => handleFailure(taskOn(ctx, log, { instances: { describe } }, { stage: "agent" }), failed),
      async ({ callback }) => {
        const asked = callback("what becomes of the machine 1");
        await asked.begun();
        await asked.succeed(JSON.stringify({ state: "stopping" }));
      },
    );
    expect(ended.status).toBe("SUCCEEDED");
    expect(log.entries.slice(0, 4)).toEqual(["give back the join slot", "deciding", "deciding", "terminate"]);
  });

  it("is not asked about when its instance is gone or was never launched", async () => {
    const describeGone = async () => ({ ...machine, state: "terminated", because: "Server.InternalError" });
    expect(await endOf(failed, { instances: { describe: describeGone } })).not.toContain("deciding");
    expect(await endOf(failed, {}, { machine: null, lease: null })).toEqual(["failed: no instance was launched"]);
  });

  it("names its instance, which is kept, when it was launched and its lease was not taken", async () => {
    const launched = { machine: null, lease: null, launched: machine.instanceId };
    const left = `instance ${machine.instanceId} was left as is`;
    expect(await endOf(failed, {}, launched)).toEqual([`failed: ${left}`]);
    expect(await endOf(cancelled, {}, launched)).toEqual([`cancelled: cancelled by <@U0OPERATOR>; ${left}`]);
  });
});

describe("A node that was cancelled", () => {
  it("has its kubelet stopped, then instance and Node are taken away", async () => {
    const read = async () => node("False");
    expect(await endOf(cancelled, { nodes: { read, podsOn: async () => [] } })).toEqual([
      'apply "stop the kubelet"',
      "terminate",
      "delete the Node",
      "cancelled: cancelled by <@U0OPERATOR>; the instance is terminated",
    ]);
  });

  it("keeps its instance when the Node is Ready after all", async () => {
    const read = async () => node("True");
    const entries = await endOf(cancelled, { nodes: { read, podsOn: async () => [] } });
    expect(entries).not.toContain("terminate");
    expect(entries.at(-1)).toContain("is Ready: to remove it, use the remove command");
  });

  it("keeps its instance when the Node runs pods, but not for those of a DaemonSet", async () => {
    const read = async () => node("False");
    const owned = {
      metadata: { ownerReferences: [{ apiVersion: "apps/v1", kind: "DaemonSet", name: "log", controller: true }] },
    };
    const withPods = (...pods: object[]) => endOf(cancelled, { nodes: { read, podsOn: async () => pods } });
    const entries = await withPods(owned, { metadata: { name: "shop" } });
    expect(entries).not.toContain("terminate");
    expect(entries.at(-1)).toContain("runs 1 pod: to remove it, use the remove command");
    expect(await withPods(owned)).toContain("terminate");
  });

  it("keeps its instance while nobody can say what runs on it", async () => {
    const read = async () => {
      throw new Error("forbidden");
    };
    const entries = await endOf(cancelled, { nodes: { read } });
    expect(entries).not.toContain("terminate");
    expect(entries.at(-1)).toContain("forbidden");
  });
});
