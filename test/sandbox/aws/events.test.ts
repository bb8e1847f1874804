import { EventBridgeClient, PutEventsCommand } from "@aws-sdk/client-eventbridge";
import { describe, expect, it } from "vitest";
import { type EventRule, eventBridge } from "../../../lib/sandbox/aws/events/events.ts";
import { type Event, matches, type Pattern, patternFaults } from "../../../lib/sandbox/aws/events/pattern.ts";
import { schedule } from "../../../lib/sandbox/aws/events/schedule.ts";
import { openStore, type Store } from "../../../lib/sandbox/core/store.ts";
import { demo } from "../../../lib/sandbox/demo.ts";
import { manualClock } from "../manual-clock.ts";
import { clientOf, codeOf, endpointFor, simulationFor } from "./fixture.ts";

const stateChanges: EventRule = {
  name: "state",
  pattern: { source: ["aws.ec2"], "detail-type": ["EC2 Instance State-change Notification"] },
  target: "endpoint",
};

interface Options {
  rules?: EventRule[];
  store?: Store;
  clock?: ReturnType<typeof manualClock>;
  seed?: number;
  fails?: () => boolean;
}

function newFixture({ rules = [stateChanges], clock = manualClock(), fails = () => false, ...rest }: Options = {}) {
  const simulation = simulationFor(clock, rest);
  const events: Event[] = [];
  const endpoint = async (event: Event) => {
    if (fails()) throw new Error("the target is down");
    events.push(event);
  };
  const bridge = eventBridge(simulation, { ...demo, rules, targets: { endpoint } });
  bridge.resume();
  const announce = (state: string) => simulation.bus.announce({ kind: "instance-state", instanceId: "i-1", state });
  return { clock, simulation, bridge, events, announce };
}

describe("event patterns", () => {
  const event = {
    source: "aws.ssm",
    count: 3,
    tags: ["a", "b"],
    detail: { "document-name": "casement-apply-1", status: "Success" },
  };
  const cases: [string, Pattern, boolean][] = [
    ["equal values", { source: ["aws.ec2", "aws.ssm"] }, true],
    ["other values", { source: ["aws.ec2"] }, false],
    ["a prefix", { detail: { "document-name": [{ prefix: "casement-" }] } }, true],
    ["a suffix", { detail: { "document-name": [{ suffix: "-2" }] } }, false],
    ["a wildcard", { detail: { "document-name": [{ wildcard: "casement-*-1" }] } }, true],
    ["anything but", { detail: { status: [{ "anything-but": ["Pending", "InProgress"] }] } }, true],
    ["anything but a prefix", { detail: { status: [{ "anything-but": { prefix: "Succ" } }] } }, false],
    ["a field that exists", { detail: { status: [{ exists: true }] } }, true],
    ["a field that does not", { detail: { missing: [{ exists: false }] } }, true],
    ["a field inside nothing", { missing: { deep: ["x"] } }, false],
    ["numbers", { count: [{ numeric: [">", 1, "<=", 3] }] }, true],
    ["numbers out of range", { count: [{ numeric: ["<", 3] }] }, false],
    ["no regard to case", { detail: { status: [{ "equals-ignore-case": "SUCCESS" }] } }, true],
    ["a member of a list", { tags: ["b"] }, true],
    ["all fields at once", { source: ["aws.ssm"], count: [4] }, false],
  ];
  it.each(cases)("matches %s", (_, pattern, expected) => {
    expect(matches(pattern, event)).toBe(expected);
  });

  it("names the error of a pattern", () => {
    expect(patternFaults({ source: ["aws.ec2"] })).toEqual([]);
    expect(patternFaults({ source: [{ regex: "x" }] })).toEqual([
      "Event pattern is not valid. Reason: Unrecognized match type regex",
    ]);
    expect(patternFaults({ source: [] })).toEqual(["Event pattern is not valid. Reason: Empty arrays are not allowed"]);
    expect(patternFaults({ source: "aws.ec2" as never })[0]).toContain("must be an object or an array");
  });
});

describe("schedules", () => {
  const saturday = Date.UTC(2026, 10, 21, 8);
  it.each([
    ["rate(5 minutes)", "2026-11-21T08:05:00.000Z"],
    ["rate(1 day)", "2026-11-22T08:00:00.000Z"],
    ["cron(0/15 * * * ? *)", "2026-11-21T08:15:00.000Z"],
    ["cron(30 9 ? * MON-FRI *)", "2026-11-23T09:30:00.000Z"],
    ["cron(30 9 ? * 2 *)", "2026-11-23T09:30:00.000Z"],
    ["cron(0 6 ? * 3#2 *)", "2026-12-08T06:00:00.000Z"],
    ["cron(0 0 L * ? *)", "2026-11-30T00:00:00.000Z"],
  ])("%s comes next at %s", (expression, next) => {
    expect(new Date(schedule(expression).next(saturday) ?? 0).toISOString()).toBe(next);
  });

  it.each([
    "rate(1 minutes)",
    "rate(0 minutes)",
    "rate(5 seconds)",
    "cron(* * * * *)",
    "cron(0 8 * * * *)",
    "cron(99 8 ? * * *)",
    "daily",
  ])("refuses %s", (expression) => {
    expect(() => schedule(expression)).toThrow(`Parameter ScheduleExpression is not valid: ${expression}`);
  });

  it("fires a rule again and again, at the sandbox's time", async () => {
    const { clock, events } = newFixture({
      rules: [{ name: "sweep", schedule: "rate(5 minutes)", target: "endpoint" }],
    });
    await clock.advance(16 * 60_000);
    expect(new Set(events.map((event) => event.time))).toEqual(
      new Set(["2026-11-21T08:05:00Z", "2026-11-21T08:10:00Z", "2026-11-21T08:15:00Z"]),
    );
    expect(events[0]).toMatchObject({ source: "aws.events", "detail-type": "Scheduled Event", detail: {} });
  });

  it("continues after a restart without catching up on missed runs", async () => {
    const rules = [{ name: "sweep", schedule: "rate(5 minutes)", target: "endpoint" }];
    const store = openStore(":memory:");
    newFixture({ rules, store });
    const { clock, events } = newFixture({ rules, store, clock: manualClock(Date.UTC(2026, 10, 21, 12)) });
    await clock.advance(4 * 60_000);
    expect(new Set(events.map((event) => event.time))).toEqual(new Set(["2026-11-21T12:00:00Z"]));
  });
});

describe("delivery", () => {
  it("sends AWS's events about an instance, and none about a reboot", async () => {
    const { clock, events, announce, simulation } = newFixture();
    announce("running");
    simulation.bus.announce({ kind: "instance-reboot", instanceId: "i-1" });
    await clock.advance(30_000);
    expect(events[0]).toEqual({
      version: "0",
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      "detail-type": "EC2 Instance State-change Notification",
      source: "aws.ec2",
      account: demo.accountId,
      time: "2026-11-21T08:00:00Z",
      region: demo.region,
      resources: ["arn:aws:ec2:us-west-2:111122223333:instance/i-1"],
      detail: { "instance-id": "i-1", state: "running" },
    });
    expect(new Set(events.map(({ id }) => id)).size).toBe(1);
  });

  it("sends AWS's events about commands and durable executions", async () => {
    const pattern = { source: ["aws.ssm", "aws.lambda"] };
    const { clock, events, simulation } = newFixture({ rules: [{ name: "all", pattern, target: "endpoint" }] });
    simulation.bus.announce({
      kind: "command-invocation",
      commandId: "c-1",
      documentName: "casement-apply",
      instanceId: "i-1",
      status: "Success",
      requestedAt: "2026-11-21T08:00:00Z",
    });
    const arn = "arn:aws:lambda:us-west-2:111122223333:function:casement-look:1/durable-execution/look-1/8f";
    simulation.bus.announce({ kind: "execution", arn, functionName: "casement-look", status: "FAILED" });
    await clock.advance(30_000);
    const details = Object.fromEntries(events.map((event) => [event["detail-type"], event.detail]));
    expect(details["EC2 Command Invocation Status-change Notification"]).toEqual({
      "command-id": "c-1",
      "document-name": "casement-apply",
      "instance-id": "i-1",
      "requested-date-time": "2026-11-21T08:00:00Z",
      status: "Success",
    });
    expect(details["Durable Execution Status Change"]).toMatchObject({
      durableExecutionArn: arn,
      durableExecutionName: "look-1",
      status: "FAILED",
    });
  });

  it("delivers some events late, out of order and twice", async () => {
    const { clock, events, announce } = newFixture();
    for (let at = 0; at < 200; at += 1) announce(String(at));
    await clock.advance(60_000);
    const order = events.map(({ detail }) => Number(detail.state));
    expect(new Set(order).size).toBe(200);
    expect(order.length).toBeGreaterThan(200);
    expect(order).not.toEqual(order.toSorted((one, other) => one - other));
  });

  it("retries while the target fails, and delivers in the end", async () => {
    let failures = 3;
    const { clock, events, announce, bridge } = newFixture({ fails: () => failures-- > 0 });
    announce("running");
    await clock.advance(60_000);
    expect(events).toHaveLength(1);
    expect(bridge.deadLetters()).toEqual([]);
  });

  it("gives up after a day, and keeps undelivered events", async () => {
    const { clock, announce, bridge, events } = newFixture({ fails: () => true });
    announce("running");
    await clock.advance(25 * 3_600_000);
    expect(events).toEqual([]);
    expect(bridge.deadLetters()).toMatchObject([{ error: "Error: the target is down", delivery: { rule: "state" } }]);
    expect(bridge.deadLetters()[0]?.delivery.attempts).toBeLessThanOrEqual(186);
  });

  it("delivers after a restart the events that it accepted before", async () => {
    const store = openStore(":memory:");
    newFixture({ store }).announce("running");
    const { clock, events } = newFixture({ store, clock: manualClock(Date.UTC(2026, 10, 21, 9)) });
    await clock.advance(1_000);
    expect(events).toHaveLength(1);
  });

  it("refuses a rule that EventBridge would refuse", () => {
    expect(() => newFixture({ rules: [{ name: "bad", pattern: {}, target: "endpoint" }] })).toThrow(
      "Rule bad: Event pattern is not valid",
    );
    expect(() => newFixture({ rules: [{ name: "bad", target: "endpoint" }] })).toThrow("must be specified");
  });
});

describe("PutEvents", () => {
  it("refuses entries of 256 KB together", async () => {
    const { simulation, bridge } = newFixture({ rules: [] });
    const client = new EventBridgeClient(clientOf(endpointFor(simulation, [bridge.service])));
    const put = (size: number) => {
      const entry = { Source: "s", DetailType: "t", Detail: JSON.stringify("x".repeat(size)) };
      return codeOf(client.send(new PutEventsCommand({ Entries: [entry, entry] })));
    };
    expect(await put(128 * 1024)).toBe("ValidationException");
    expect(await put(127 * 1024)).toBe("none");
  });

  it("accepts valid entries and refuses the others one by one", async () => {
    const rules = [{ name: "own", pattern: { source: ["casement"] }, target: "endpoint" }];
    const { clock, simulation, bridge, events } = newFixture({ rules });
    const endpoint = endpointFor(simulation, [bridge.service]);
    const put = new PutEventsCommand({
      Entries: [
        { Source: "casement", DetailType: "Swept", Detail: '{"left":0}' },
        { Source: "casement", DetailType: "Swept", Detail: "nothing" },
        { Source: "aws.ec2", DetailType: "Forged", Detail: "{}" },
        { Source: "casement", DetailType: "Swept", Detail: "{}", EventBusName: "missing" },
      ],
    });
    const answer = await new EventBridgeClient(clientOf(endpoint)).send(put);
    expect(answer.FailedEntryCount).toBe(3);
    expect(answer.Entries?.map(({ ErrorCode }) => ErrorCode)).toEqual([
      undefined,
      "MalformedDetail",
      "NotAuthorizedForSourceException",
      "InvalidArgument",
    ]);
    await clock.advance(30_000);
    expect(events[0]?.detail).toEqual({ left: 0 });
    expect(await codeOf(new EventBridgeClient(clientOf(endpoint, "look")).send(put))).toBe("AccessDeniedException");
  });
});
