import { afterAll, beforeAll, describe, expect, it, test } from "vitest";
import { ruleName } from "../../lambdas/capabilities/schedules.ts";
import { createHandler } from "../../lambdas/cloud-events/handler.ts";
import { rulesOf } from "../../lib/event-rules.ts";
import { demo } from "../../lib/sandbox/demo.ts";
import { newCallbackId } from "../../lib/sandbox/durable/tokens.ts";
import { lambdaName } from "../../lib/sandbox/simulator.ts";
import { type TestSimulator, testSimulator } from "../steps/test-simulator.ts";

const COMMAND = "11111111-2222-4333-8444-555555555555";
const INSTANCE = "i-0ab12cd34ef567890";

let simulator: TestSimulator;
beforeAll(async () => {
  simulator = await testSimulator();
  // A callback of an execution that is gone: that the engine finds nobody shows that somebody was to be woken.
  const arn = `arn:aws:lambda:${demo.region}:${demo.accountId}:function:${lambdaName("provision-node")}:1/durable-execution/gone/1`;
  const callback = newCallbackId({ arn, operation: "1" }, simulator.simulation.random);
  await simulator.as("provision-node").ledger.awaitCommand(COMMAND, INSTANCE, callback);
});
afterAll(() => simulator.close());

const handle = (event: unknown): Promise<string> => {
  const settings = simulator.settings("cloud-events");
  const { now } = simulator.simulation.clock;
  return createHandler({ settings, now, slackNow: now, transport: simulator.transport })(event);
};

const finished = (status: string, commandId = COMMAND) => ({
  "detail-type": "EC2 Command Invocation Status-change Notification",
  detail: { "command-id": commandId, status },
});

describe("a command's event", () => {
  test.for(["Pending", "InProgress", "In Progress", "Delayed", "Cancelling"])("wakes nobody at %s", async (status) => {
    expect(await handle(finished(status))).toBe(`ignored: ${COMMAND} goes on`);
  });

  test.for(["Success", "TimedOut", "Undeliverable", "Access Denied", "Invalid Platform", "Something Of Next Year"])(
    "wakes who waits at %s",
    async (status) => {
      expect(await handle(finished(status))).toBe(`${COMMAND}: too late`);
    },
  );

  it("of somebody else's command is nobody's business", async () => {
    expect(await handle(finished("Success", "another"))).toBe("ignored: no workflow waits for another");
  });
});

describe("the event of a command over all its machines", () => {
  const FLEET = "22222222-2222-4333-8444-555555555555";
  const ended = (commandId: string) => ({
    "detail-type": "EC2 Command Status-change Notification",
    detail: { "command-id": commandId, status: "Success" },
  });

  it("wakes who waits for all of them, and a single machine's event does not", async () => {
    const arn = `arn:aws:lambda:${demo.region}:${demo.accountId}:function:${lambdaName("provision-node")}:1/durable-execution/gone/1`;
    const callback = newCallbackId({ arn, operation: "2" }, simulator.simulation.random);
    await simulator.as("provision-node").ledger.awaitFleet(FLEET, callback);
    expect(await handle(finished("Success", FLEET))).toBe(`ignored: no workflow waits for ${FLEET}`);
    expect(await handle(ended(FLEET))).toBe(`${FLEET}: too late`);
  });

  it("does not wake who waits for one machine", async () => {
    expect(await handle(ended(COMMAND))).toBe(`ignored: no workflow waits for ${COMMAND}`);
  });
});

describe("an instance's event", () => {
  const changed = (state: string, instanceId = INSTANCE) => ({
    "detail-type": "EC2 Instance State-change Notification",
    detail: { "instance-id": instanceId, state },
  });

  test.for(["stopping", "stopped", "shutting-down", "terminated"])("wakes who waits for it at %s", async (state) => {
    expect(await handle(changed(state))).toBe(`${INSTANCE}: too late`);
  });

  test.for(["pending", "running"])("wakes nobody at %s", async (state) => {
    expect(await handle(changed(state))).toBe(`ignored: ${INSTANCE} is ${state}`);
  });

  it("of another machine is nobody's business", async () => {
    expect(await handle(changed("terminated", "i-1"))).toBe("ignored: no workflow waits for i-1");
  });
});

test.for([
  { "detail-type": "EC2 Command Invocation Status-change Notification", detail: {} },
  { nonsense: true },
  null,
])("an event that nothing waits for is ignored: %j", async (event) => {
  expect(await handle(event)).toBe("ignored: nothing waits for this kind of event");
});

const details = { "command-id": "another", status: "Success", "instance-id": "i-1", state: "stopped" };

test.for(rulesOf(demo.cluster.name).filter(({ target }) => target === "cloud-events"))(
  "the rule $name wakes something that the handler knows",
  async ({ name, pattern }) => {
    const event = pattern
      ? { "detail-type": pattern["detail-type"][0], detail: details }
      : {
          "detail-type": "Scheduled Event",
          id: "1",
          resources: [`arn:aws:events:::rule/${ruleName(demo.cluster.name, name)}`],
        };
    // Nothing is mounted here, so that a tick that starts a workflow fails at the start.
    expect(await handle(event).catch(String)).not.toMatch(/nothing waits for this kind|unknown schedule/);
  },
);

test.each(["other", "due", ruleName("another", "due"), ruleName(demo.cluster.name, "overdue")])(
  "a tick of the rule %s, which is not of this cluster's schedules, says so",
  async (rule) => {
    const tick = { "detail-type": "Scheduled Event", id: "1", resources: [`arn:aws:events:::rule/${rule}`] };
    expect(await handle(tick)).toBe(`ignored: unknown schedule arn:aws:events:::rule/${rule}`);
  },
);
