import { createHmac } from "node:crypto";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { demo } from "../../../../lib/sandbox/demo.ts";
import { calls, newest, settled } from "../../evidence.ts";
import { type Journey, startJourney } from "../../journey.ts";
import { openly, privately } from "../../reading.ts";

let here: Journey;
beforeEach(async () => {
  here = await startJourney();
  // What the door refuses, it logs.
  vi.spyOn(console, "warn").mockImplementation(() => undefined);
  vi.spyOn(console, "error").mockImplementation(() => undefined);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await here.close();
});

const command = (text: string): string =>
  new URLSearchParams({
    command: "/win",
    text,
    team_id: demo.slack.teamId,
    channel_id: demo.slack.channelId,
    user_id: "U0OPERATOR",
    user_name: "olivia",
    trigger_id: "13345224609.738474920.8088930838d88f008e0",
    response_url: "https://hooks.slack.com/commands/1234/5678",
  }).toString();

const signatureOf = (secret: string, timestamp: string, body: string): string =>
  `v0=${createHmac("sha256", secret).update(`v0:${timestamp}:${body}`).digest("hex")}`;

interface Letter {
  readonly secret?: string;
  /** Seconds from now. */
  readonly age?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** The body that is sent instead of the one that was signed. */
  readonly instead?: string;
}

/** A request to the front door as anybody on the internet may send it. */
function send(body: string, { secret, age = 0, headers = {}, instead }: Letter = {}) {
  const timestamp = String(Math.floor(Date.now() / 1000) - age);
  const request = {
    method: "POST",
    url: "/",
    headers: {
      "content-type": "application/x-www-form-urlencoded",
      "x-slack-request-timestamp": timestamp,
      "x-slack-signature": signatureOf(secret ?? here.simulator.keys.signingSecret, timestamp, body),
      ...headers,
    },
    body: Buffer.from(instead ?? body),
  };
  return here.drive(here.simulator.frontDoor(request));
}

async function expectNothing(): Promise<void> {
  expect(here.simulator.lambda.executions()).toEqual([]);
  expect(await here.operations()).toEqual([]);
  expect(here.simulator.slack.messages()).toEqual([]);
}

test("a dialog that Slack answers with an error is said to have failed, not to have come late", async () => {
  here.simulator.simulation.faults.inject("slack-5xx", { method: "views.open" });
  await here.type("operator", "/win remove ip-10-0-3-7");
  await settled(here);
  expect(privately(here, "operator").at(-1)).toContain("Slack could not open the dialog. Nothing was changed");
  expect((await newest(here)).operation.status).toBe("not-started");
});

describe("what Slack did not sign", () => {
  const body = command("add web 2");
  test.each<readonly [string, Letter]>([
    ["signed with another secret", { secret: "8f742231b10e8888abcd99yyyzzz85a5" }],
    ["without a signature", { headers: { "x-slack-signature": "" } }],
    ["with a signature of another version", { headers: { "x-slack-signature": `v1=${"a".repeat(64)}` } }],
    ["changed on the way", { instead: command("add web 8") }],
    ["six minutes old", { age: 6 * 60 }],
    ["six minutes in the future", { age: -6 * 60 }],
    ["without a time", { headers: { "x-slack-request-timestamp": "" } }],
    ["with a time that is none", { headers: { "x-slack-request-timestamp": "now" } }],
  ])("%s gets 401 and runs nothing", async (_what, letter) => {
    expect((await send(body, letter)).status).toBe(401);
    await expectNothing();
  });

  test("the same, rightly signed, is taken on", async () => {
    expect((await send(body)).status).toBe(200);
    expect((await newest(here)).operation.request).toEqual({ command: "add", pool: "web", count: 2, dryRun: false });
  });
});

describe("the answer", () => {
  test.each(["nodes", "add web 2", "remove ip-10-0-3-7", "help", "frobnicate"])(
    "to %j comes within a second of Slack's time and of ours, once the function is warm",
    async (words) => {
      await here.type("operator", "/win help");
      const [slack, ours] = [Date.now(), performance.now()];
      const shown = await here.type("operator", `/win ${words}`);
      expect(shown.error).toBeNull();
      expect(Date.now() - slack).toBeLessThan(1_000);
      expect(performance.now() - ours).toBeLessThan(1_000);
    },
  );

  test("to a request with a reason is an operation that shows it as it was typed", async () => {
    await here.type("operator", "/win add web 1 --reason \u201cPatch Tuesday, KB5031364\u201d");
    await here.pass(1);
    expect((await newest(here)).operation.request).toMatchObject({ count: 1, reason: "Patch Tuesday, KB5031364" });
    expect(openly(here)[0]).toContain("Reason: Patch Tuesday, KB5031364");
    await here.type("operator", "/win operations");
    await here.pass(1);
    expect(privately(here, "operator").at(-1)).toContain("Add 1 node to web: Patch Tuesday, KB5031364");
  });

  test("to a request that is delivered twice is the same, and one operation is started", async () => {
    await here.type("operator", "/win add web 1");
    const again = await here.again();
    const { operation } = await newest(here);
    expect(again.messages[0]?.text).toContain(operation.id);
    expect(await here.operations()).toHaveLength(1);
    await here.pass(1);
    expect(calls(here, "ec2", "RunInstances").filter(({ error }) => error === null)).toHaveLength(1);
    expect(openly(here)).toHaveLength(1);
  });
});

describe("a start that Lambda does not take", () => {
  test.each(["aws-throttle", "aws-5xx"])(
    "(%s) is told kindly, and the ledger says that nothing was started",
    async (kind) => {
      here.simulator.simulation.faults.inject(kind, { service: "lambda", action: "Invoke" });
      const shown = await here.type("operator", "/win add web 2");
      expect(shown.error).toBeNull();
      expect(shown.messages[0]?.text).toMatch(/Not started: .*Try again in a minute/);
      expect((await newest(here)).operation).toMatchObject({ status: "not-started", endedAt: expect.any(String) });
      expect(here.simulator.lambda.executions()).toEqual([]);
      expect(openly(here)).toEqual([]);
    },
  );

  test("is tried again before anybody gives up", async () => {
    here.simulator.simulation.faults.inject("aws-throttle", { service: "lambda", action: "Invoke" }, 1);
    const shown = await here.type("operator", "/win add web 1");
    expect(shown.messages[0]?.text).toContain("Checking *");
    expect(here.simulator.lambda.executions().length).toBeGreaterThanOrEqual(0);
    await here.pass(1);
    expect((await newest(here)).operation.status).toBe("running");
  });
});

test("a ledger that is away gets a sentence instead of silence, and nothing starts", async () => {
  here.simulator.simulation.faults.inject("aws-5xx", { service: "dynamodb" });
  const shown = await here.type("operator", "/win add web 2");
  expect(shown.messages[0]?.text ?? shown.notice).toMatch(/is not responding|operation_timeout/);
  expect(here.simulator.lambda.executions()).toEqual([]);
});
