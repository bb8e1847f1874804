import { type DurableContext, withDurableExecution } from "@aws/durable-execution-sdk-js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { clients } from "../../lambdas/clients/clients.ts";
import { durableClient } from "../../lambdas/clients/durable.ts";
import { executionName } from "../../lambdas/steps/executions.ts";
import { steps } from "../../lambdas/steps/steps.ts";
import { demo } from "../../lib/sandbox/demo.ts";
import { lambdaName } from "../../lib/sandbox/simulator.ts";
import { type TestSimulator, testSimulator } from "./test-simulator.ts";

/** Words that the executions heard, and the callbacks that wait for one, by the payload's name. */
const heard: Record<string, string> = {};
const callbacks: Record<string, string> = {};
const wait = async ({ name }: { name: string }, ctx: DurableContext): Promise<void> => {
  const [word, callbackId] = await ctx.createCallback<string>("somebody's word", { timeout: { minutes: 10 } });
  callbacks[name] = callbackId;
  heard[name] = await word;
};

let simulator: TestSimulator;
beforeAll(async () => {
  simulator = await testSimulator();
  for (const name of ["add-nodes", "provision-node"] as const) {
    const { lambda } = clients(simulator.settings(name), simulator.transport);
    const handler = withDurableExecution(wait, { durableExecutionClient: durableClient(lambda) });
    simulator.lambda.mount(`casement-${demo.cluster.name}-${name}`, { executionTimeoutSeconds: 3_600 }, handler);
  }
  simulator.resume();
});
afterAll(() => simulator.close());

const arnOf = (name: string): string => simulator.lambda.executions().find(({ arn }) => arn.includes(name))?.arn ?? "";

describe("The name of an execution", () => {
  it("is the same for the same parts only, and one that Lambda takes", () => {
    expect(executionName("add-1", "0")).toBe(executionName("add-1", "0"));
    const names = [
      executionName("add-1", "0"),
      executionName("add-1", "1"),
      executionName("add-10"),
      executionName("add-1\n0"),
    ];
    expect(new Set(names.slice(0, 3)).size).toBe(3);
    for (const name of names) expect(name).toMatch(/^[a-zA-Z0-9-_]{1,64}$/);
  });
});

describe("An execution", () => {
  it("is started once under its name, whatever else is asked under it", async () => {
    const { executions } = simulator.as("front-door");
    const name = executionName("start");
    await executions.start("add-nodes", name, { operation: "add-1" });
    await executions.start("add-nodes", name, { operation: "add-1" });
    await executions.start("add-nodes", name, { operation: "add-2" });
    expect(simulator.lambda.executions().filter(({ arn }) => arn.includes(name))).toHaveLength(1);
  });

  it("cannot be started where the settings name no function, or without the permission", async () => {
    const { executions } = simulator.as("front-door");
    const started = executions.start("provision-node", executionName("no"), {});
    await expect(started).rejects.toThrow("no function for provision-node");
    const { settings } = simulator;
    const told = { ...settings("front-door"), functions: { "provision-node": `${lambdaName("provision-node")}:live` } };
    const curious = steps({
      clients: clients(told, simulator.transport),
      settings: told,
      now: simulator.simulation.clock.now,
    });
    const forbidden = curious.executions.start("provision-node", executionName("no"), {});
    await expect(forbidden).rejects.toMatchObject({ name: "AccessDeniedException" });
  });

  it("is RUNNING until its callback is completed, once; later is too late", async () => {
    const name = executionName("wake");
    await simulator.as("add-nodes").executions.start("provision-node", name, { name: "wake" });
    await simulator.pass(5);
    const { status, ending } = simulator.as("add-nodes").executions;
    expect(await status(arnOf(name))).toBe("RUNNING");
    expect(await ending(arnOf(name))).toBeNull();
    const { complete } = simulator.as("front-door").executions;
    expect(await complete(callbacks.wake ?? "", { decision: "keep" })).toBe("done");
    expect(await complete(callbacks.wake ?? "", { decision: "terminate" })).toBe("too late");
    await simulator.pass(5);
    await expect.poll(() => status(arnOf(name)), { timeout: 5_000 }).toBe("SUCCEEDED");
    expect(await ending(arnOf(name))).toBeNull();
    await simulator.pass(6 * 60);
    expect(await ending(arnOf(name))).toBe("SUCCEEDED");
    expect(heard.wake).toBe('{"decision":"keep"}');
  });

  it("has no status when nobody knows it any more", async () => {
    const unknown = `arn:aws:lambda:${demo.region}:${demo.accountId}:function:casement-${demo.cluster.name}-provision-node:1/durable-execution/gone/00000000-0000-4000-8000-000000000000`;
    expect(await simulator.as("add-nodes").executions.status(unknown)).toBeUndefined();
    expect(await simulator.as("add-nodes").executions.ending(unknown)).toBe("unknown");
  });

  it("whose callback has timed out is woken too late", async () => {
    const name = executionName("late");
    await simulator.as("add-nodes").executions.start("provision-node", name, { name: "late" });
    await simulator.pass(5);
    await simulator.pass(11 * 60);
    expect(await simulator.as("front-door").executions.complete(callbacks.late ?? "", {})).toBe("too late");
  });
});
