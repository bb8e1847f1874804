import { LambdaClient, StopDurableExecutionCommand } from "@aws-sdk/client-lambda";
import { afterEach, expect, test } from "vitest";
import { activity } from "../../lib/sandbox/core/activity.ts";
import { demo } from "../../lib/sandbox/demo.ts";
import { inProcess } from "../../lib/sandbox/in-process.ts";
import { OWNER } from "../../lib/sandbox/principals.ts";
import { heldBack } from "./evidence.ts";
import { type Journey, startJourney } from "./journey.ts";
import { guardedPod, web } from "./others.ts";
import { confirmRemoval, withSeedNodes } from "./removal.ts";

let here: Journey;
afterEach(() => here.close());

/** A person with an administrator's rights stops an execution from outside: nothing of it runs any more. */
async function stop(arn: string): Promise<void> {
  const lambda = new LambdaClient({
    region: demo.region,
    credentials: here.simulator.keys.of(OWNER),
    endpoint: "http://aws.sandbox.invalid",
    requestHandler: inProcess(here.simulator, activity()).aws,
  });
  await here.drive(lambda.send(new StopDurableExecutionCommand({ DurableExecutionArn: arn })));
}

test("an operation whose executions were stopped is closed by the sweep, which gives back what it held", async () => {
  here = await startJourney();
  await here.type("operator", "/win add web 1");
  const id = (await here.operations())[0]?.id ?? "";
  await here.until(async () => (await here.nodes(id))[0]?.stage === "features", 30);
  for (const { arn } of here.simulator.lambda.executions().filter(({ status }) => status === "RUNNING"))
    await stop(arn);
  await here.pass(40);

  const [operation] = await here.operations();
  expect(operation).toMatchObject({ status: "failed", summary: "its execution ended as STOPPED" });
  const [node] = await here.nodes(id);
  expect(node).toMatchObject({ status: "failed", outcome: `instance ${node?.instanceId} was left as is` });
  expect(here.said().filter((text) => text.includes("stalled and needs attention"))).toHaveLength(1);

  // The pool's promise, the place and the lease are free: the next add fits and the machine may be removed.
  await here.type("operator", "/win add web 7");
  await here.until(async () => (await here.operations())[0]?.status === "running", 5);
  expect((await here.operations())[0]?.summary).not.toContain("too many");
});

test("a node whose own execution was stopped holds nothing back once its add has ended", async () => {
  here = await startJourney();
  await here.type("operator", "/win add web 1");
  const id = (await here.operations())[0]?.id ?? "";
  await here.until(async () => (await here.nodes(id))[0]?.stage === "serving-csr", 60);
  await stop((await here.nodes(id))[0]?.executionArn ?? "");
  await here.pass(5);

  expect((await here.operations())[0]).toMatchObject({ status: "failed" });
  expect((await here.nodes(id))[0]?.failure?.why).toContain("ended as STOPPED");
  expect(await heldBack(here)).toEqual([]);
});

test("a removal whose execution was stopped after the cordon says how the node comes back into service", async () => {
  here = await withSeedNodes();
  await guardedPod(here, web);
  await confirmRemoval(here, "ip-10-0-3-7");
  const id = (await here.operations())[0]?.id ?? "";
  await here.until(async () => (await here.nodes(id))[0]?.stage === "evict", 10);
  for (const { arn } of here.simulator.lambda.executions().filter(({ status }) => status === "RUNNING"))
    await stop(arn);
  await here.pass(40);
  const outcome = `instance ${web.instanceId} is still running; its node may still be cordoned: \`kubectl uncordon ${web.name}\` makes it schedulable`;
  expect((await here.nodes(id))[0]).toMatchObject({ status: "failed", outcome });
  expect(here.said().join("\n")).toContain("kubectl uncordon");
});

test("an operation that goes on is left alone by the sweep", async () => {
  here = await startJourney();
  await here.type("operator", "/win add web 1");
  here.simulator.simulation.faults.inject("agent-never-online", {});
  await here.pass(45);
  expect((await here.operations())[0]?.status).toBe("waiting");
  expect(here.said().some((text) => text.includes("stalled and needs attention"))).toBe(false);
});
