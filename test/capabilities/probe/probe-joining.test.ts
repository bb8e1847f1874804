import { afterAll, beforeAll, expect, it } from "vitest";
import { probeNodes } from "../../../lambdas/capabilities/probe/probe-nodes.ts";
import type { ProbePod } from "../../../lambdas/health/probe-pods.ts";
import { machine } from "../../change/a-task.ts";
import { run, setUp, tearDown, verbs } from "../../engine/durable-engine.ts";
import { configurationWith } from "../../profiles/okd/facts.ts";

beforeAll(setUp);
afterAll(tearDown);

const images = { "2022": "mcr.microsoft.com/windows/servercore:ltsc2022", linux: "docker.io/library/busybox:1.37" };
const outside = "registry.example.com:443";
const node = {
  metadata: { name: machine.privateDnsName, uid: "uid-1" },
  spec: { providerID: `aws:///us-west-2a/${machine.instanceId}` },
};
const awaited = {
  ...{ index: 0, status: "running", workflow: "provision", stage: "probe" },
  ...{ instanceId: machine.instanceId, nodeName: machine.privateDnsName },
};

/**
 * Probes a node that joins.
 * @param record of the ledger about its setup
 * @param command of its operation
 * @param found its Node; null once it is deleted
 */
async function probed(record: object, command = "add", found: object | null = node) {
  const made: { readonly name: string; readonly seconds: unknown }[] = [];
  const commands: string[] = [];
  const recorded: object[] = [];
  const steps = verbs({
    runtime: { read: async () => ({ configuration: { ...configurationWith(), probe: { images, outside } } }) },
    ledger: { nodes: async () => [record], operation: async () => ({ request: { command, pool: "web" } }) },
    nodes: { all: async () => [], read: async () => found ?? undefined },
    machines: { probed: { note: async (one: object) => void recorded.push(one) } },
    probes: {
      origin: () => "linux-1",
      start: async ({ metadata, spec }: ProbePod) => {
        made.push({ name: metadata.name, seconds: spec.activeDeadlineSeconds });
        commands.push(JSON.stringify(spec.containers));
      },
      state: async () => ({ exitCode: 0, address: "10.1.2.3", waiting: "", ended: "" }),
      remove: async () => undefined,
    },
  });
  const ended = await run((ctx) => probeNodes(steps)({ operation: "add-1", index: 0 }, ctx));
  return { ended, made, recorded, commands };
}

it("records the result for the setup that waits, after a pod that had time to pull its image", async () => {
  const { made, recorded } = await probed(awaited);
  expect(made).toEqual([{ name: "probe-add-1-0-1-windows", seconds: 600 }]);
  expect(recorded).toEqual([
    expect.objectContaining({ instanceId: machine.instanceId, uid: "uid-1", result: { state: "works" } }),
  ]);
});

it("has the pod connect to the host outside of the cluster that the configuration names", async () => {
  const { commands } = await probed(awaited);
  expect(commands).toEqual([expect.stringContaining("ConnectAsync('registry.example.com', 443)")]);
});

it.each([
  ["is in another stage", { ...awaited, stage: "verify" }, node],
  ["has ended", { ...awaited, status: "failed" }, node],
  ["has lost its Node", awaited, null],
])("runs no pod, and does not fail, for a setup that %s meanwhile", async (_, record, found) => {
  const { ended, made, recorded } = await probed(record, "add", found);
  expect([ended.status, made, recorded]).toEqual(["SUCCEEDED", [], []]);
});

it.each([
  ["its Node belongs to another machine", { ...awaited, instanceId: "i-0ffffffffffffffff" }, "add"],
  ["another command works on it", { ...awaited, workflow: "reboot" }, "reboot"],
])("refuses to run a pod when %s", async (_, record, command) => {
  const { ended, made, recorded } = await probed(record, command);
  expect(ended.error.message).toBe("no setup under way waits for a probe of node 1 of add-1");
  expect([made, recorded]).toEqual([[], []]);
});
