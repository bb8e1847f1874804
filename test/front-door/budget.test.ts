import { createHmac } from "node:crypto";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { environmentOf, ledgerOf } from "../../bin/handlers.ts";
import { hostClock } from "../../bin/host-clock.ts";
import { clients } from "../../lambdas/clients/clients.ts";
import { createHandler } from "../../lambdas/front-door/handler.ts";
import type { HttpEvent } from "../../lambdas/front-door/verify.ts";
import type { Approval } from "../../lambdas/records/approval.ts";
import { settings } from "../../lambdas/settings.ts";
import { cards } from "../../lambdas/steps/slack/cards.ts";
import { roster } from "../../lambdas/steps/slack/roster.ts";
import { activity } from "../../lib/sandbox/core/activity.ts";
import { createSimulation } from "../../lib/sandbox/core/simulation.ts";
import { openStore } from "../../lib/sandbox/core/store.ts";
import { demo } from "../../lib/sandbox/demo.ts";
import { demoConfiguration } from "../../lib/sandbox/demo-configuration.ts";
import { inProcess } from "../../lib/sandbox/in-process.ts";
import { OWNER } from "../../lib/sandbox/principals.ts";
import { seedAccount } from "../../lib/sandbox/seed-account.ts";
import { createSimulator, lambdaName, type Simulator } from "../../lib/sandbox/simulator.ts";
import { nodeRecord, operationRecord } from "../messages/records.ts";
import { buttonPress, dialogEvent, slashCommand } from "./signed.ts";

let simulator: Simulator;
let listed: ReturnType<typeof cards>;
let addresses: Parameters<typeof ledgerOf>[1];

/** The simulator, with functions that only take what is started: the calls that it answers are the front door's alone. */
beforeAll(async () => {
  simulator = await createSimulator({
    simulation: createSimulation({ clock: hostClock, store: openStore(":memory:"), seed: 1 }),
    host: hostClock,
    hostTime: (ms) => ms,
    slackAddress: () => "http://slack.invalid",
  });
  const cluster = { apiServer: "https://kubernetes.invalid", authority: simulator.kubernetes.authorityPem };
  const configuration = demoConfiguration(cluster);
  await seedAccount(simulator, configuration, cluster.apiServer);
  for (const name of ["add-nodes", "remove-node", "look"])
    simulator.lambda.mount(lambdaName(name), { executionTimeoutSeconds: 60 }, async () => ({ Status: "SUCCEEDED" }));
  const host = { aws: "http://aws.invalid", slack: "http://slack.invalid", now: Date.now, slackNow: Date.now };
  addresses = { ...host, configuration, transport: inProcess(simulator, activity()) };
  const owner = settings(environmentOf(simulator, OWNER, addresses));
  const context = { clients: clients(owner, addresses.transport), settings: owner, now: Date.now };
  listed = cards(context);
  const people = {
    groups: { S0OPERATORS: ["U0APPROVER"] },
    memberships: {},
    unreadablePools: [],
    readAt: new Date().toISOString(),
  };
  await roster(context).write(people);
});
afterAll(() => simulator.dynamodb.close());

/** A process of the front door's, as it is hosted. */
const coldDoor = () =>
  createHandler({ ...addresses, settings: settings(environmentOf(simulator, "front-door", addresses)) });

/** The same request, signed with the simulator's secret just now. */
function resigned({ headers, body = "" }: HttpEvent): HttpEvent {
  const at = String(Math.floor(Date.now() / 1000));
  const signature = createHmac("sha256", simulator.keys.signingSecret).update(`v0:${at}:${body}`).digest("hex");
  return {
    headers: { ...headers, "x-slack-request-timestamp": at, "x-slack-signature": `v0=${signature}` },
    body,
    isBase64Encoded: false,
  };
}

/** Calls that the door makes for one request, in order: "dynamodb PutItem". */
async function callsOf(door: ReturnType<typeof coldDoor>, event: HttpEvent): Promise<string[]> {
  const before = simulator.simulation.calls.after(0).at(-1)?.seq ?? 0;
  expect((await door(resigned(event), {})).statusCode).toBe(200);
  return simulator.simulation.calls.after(before).map(({ service, action }) => `${service} ${action}`);
}

// The callbacks of these tests are nobody's: that the engine refuses them is not what is counted.
beforeEach(() => {
  vi.spyOn(console, "error").mockImplementation(() => undefined);
});
afterEach(() => {
  vi.restoreAllMocks();
});

/** The message of an operation is the one in which tests press. */
const post = (operation: string) => listed.keep({ text: "", blocks: [] }, operation, "1.0");

let trigger = 0;
const fresh = (): string => {
  trigger += 1;
  return `budget.${trigger}`;
};
/** A person whose role comes from a group, which takes most to find out. */
const typed = (text: string): HttpEvent => slashCommand(text, { trigger_id: fresh(), user_id: "U0APPROVER" });

describe("the calls that a request costs", () => {
  test("are the secret and the directory once per process", async () => {
    const door = coldDoor();
    const first = await callsOf(door, typed("add web 2"));
    expect(first.toSorted()).toEqual([
      "dynamodb GetItem",
      ...["dynamodb PutItem", "dynamodb PutItem", "dynamodb PutItem"],
      "lambda Invoke",
      "secretsmanager GetSecretValue",
    ]);
    expect(await callsOf(door, typed("help"))).toEqual([]);
  });

  test.each([
    ["add web 2", ["dynamodb PutItem", "dynamodb PutItem", "dynamodb PutItem", "lambda Invoke"]],
    ["nodes", ["dynamodb PutItem", "dynamodb PutItem", "lambda Invoke"]],
    ["help", []],
    ["add wbe", []],
    ["add web two", []],
  ])("for %j are %j", async (text, expected) => {
    const door = coldDoor();
    await callsOf(door, typed("help"));
    expect(await callsOf(door, typed(text))).toEqual(expected);
  });

  test("for a command with a dialog are three writes at once, the dialog with its id, and one start", async () => {
    simulator.lambda.mount(lambdaName("front-door"), { timeoutSeconds: 10 }, coldDoor());
    const channel = demo.slack.channelId;
    await simulator.slack.ui.type("U0APPROVER", channel, "/win help");
    const before = simulator.simulation.calls.after(0).at(-1)?.seq ?? 0;
    await simulator.slack.ui.type("U0APPROVER", channel, "/win remove win-1");
    expect(simulator.simulation.calls.after(before).map(({ service, action }) => `${service} ${action}`)).toEqual([
      "dynamodb PutItem",
      "dynamodb PutItem",
      "dynamodb PutItem",
      "slack views.open",
      "dynamodb PutItem",
      "lambda Invoke",
    ]);
  });

  test("for a button are four reads, one conditional write and one callback", async () => {
    const ledger = ledgerOf(simulator, addresses);
    await ledger.recordNode(nodeRecord({ callbacks: { decision: "nobody-waits" } }));
    await post("add-3f9c2a71");
    const door = coldDoor();
    await callsOf(door, typed("help"));
    const calls = await callsOf(
      door,
      buttonPress("keep-instance", "add-3f9c2a71:0", "U0OPERATOR", { trigger_id: fresh() }),
    );
    expect(calls.slice(0, 6)).toEqual([
      "dynamodb Query",
      "dynamodb GetItem",
      "dynamodb GetItem",
      "dynamodb Query",
      "dynamodb PutItem",
      "lambda SendDurableExecutionCallbackSuccess",
    ]);
  });

  test("for a dialog's answer are four reads, one conditional write and one callback", async () => {
    const ledger = ledgerOf(simulator, addresses);
    const record = operationRecord({ id: "remove-12345678", callbacks: { dialog: "nobody-waits" } });
    await ledger.requested(record);
    await ledger.keepDialog(record.id, "V1");
    const door = coldDoor();
    await callsOf(door, typed("help"));
    const calls = await callsOf(door, dialogEvent("view_submission", record.id, "U0OPERATOR", fresh()));
    expect(calls).toEqual([
      "dynamodb GetItem",
      "dynamodb GetItem",
      "dynamodb GetItem",
      "dynamodb Query",
      "dynamodb PutItem",
      "lambda SendDurableExecutionCallbackSuccess",
    ]);
  });

  test.each([
    [
      "the button",
      (id: string) => buttonPress("cancel-operation", id, "U0OPERATOR", { trigger_id: fresh() }),
      ["dynamodb Query"],
    ],
    ["the command", (id: string) => slashCommand(`cancel ${id}`, { trigger_id: fresh() }), []],
  ])(
    "to cancel by %s are one conditional write, one look at who waits, and a callback for each",
    async (_by, ask, first) => {
      const id = `add-${String(trigger).padStart(8, "0")}`;
      const ledger = ledgerOf(simulator, addresses);
      await ledger.requested(operationRecord({ id, callbacks: {} }));
      await post(id);
      for (const index of [0, 1])
        await ledger.recordNode(nodeRecord({ operation: id, index, callbacks: { cancel: "nobody" } }));
      const door = coldDoor();
      await callsOf(door, typed("help"));
      const calls = await callsOf(door, ask(id));
      expect(calls.slice(0, 4 + first.length)).toEqual([
        ...first,
        "dynamodb UpdateItem",
        "dynamodb Query",
        "lambda SendDurableExecutionCallbackSuccess",
        "lambda SendDurableExecutionCallbackSuccess",
      ]);
      expect(calls.slice(4 + first.length).filter((call) => call !== "slack chat.postEphemeral")).toEqual([]);
    },
  );

  test("to close a dialog are one look at whose it is, and what an answer costs", async () => {
    const ledger = ledgerOf(simulator, addresses);
    const record = operationRecord({
      id: "remove-87654321",
      request: { command: "remove", node: "win-1", dryRun: false },
      callbacks: { dialog: "nobody-waits" },
    });
    await ledger.requested(record);
    await ledger.keepDialog(record.id, "V1");
    const door = coldDoor();
    await callsOf(door, typed("help"));
    const calls = await callsOf(door, dialogEvent("view_closed", record.id, "U0OPERATOR"));
    expect(calls).toEqual([
      "dynamodb GetItem",
      "dynamodb GetItem",
      "dynamodb GetItem",
      "dynamodb GetItem",
      "dynamodb Query",
      "dynamodb PutItem",
      "lambda SendDurableExecutionCallbackSuccess",
    ]);
  });
});

describe("the calls that a refused request costs", () => {
  test("for forged signatures are one more look at the secret in half a minute", async () => {
    const at = { now: Date.now() };
    const environment = settings(environmentOf(simulator, "front-door", addresses));
    const door = createHandler({ ...addresses, settings: environment, now: () => at.now });
    await callsOf(door, typed("help"));
    const before = simulator.simulation.calls.after(0).at(-1)?.seq ?? 0;
    at.now += 30_000;
    for (let times = 0; times < 10; times += 1) {
      const { headers, ...request } = resigned(typed("add web"));
      const forged = { ...request, headers: { ...headers, "x-slack-signature": `v0=${"0".repeat(64)}` } };
      expect((await door(forged, {})).statusCode).toBe(401);
    }
    expect(simulator.simulation.calls.after(before).map(({ action }) => action)).toEqual(["GetSecretValue"]);
  });

  test("for what the policy refuses is one conditional write", async () => {
    const door = coldDoor();
    await callsOf(door, typed("help"));
    const refused = slashCommand("add web", { trigger_id: fresh(), user_id: "U0VISITOR0" });
    expect(await callsOf(door, refused)).toEqual(["dynamodb PutItem"]);
  });
});

/** A plan that waits for one approval of an approver. */
const approval: Approval = {
  state: "open",
  asking: 1,
  record: { action: "remove", options: {}, nodes: [], losses: [], blockers: null, policy: {} },
  hash: "",
  votesIn: "door",
  needs: 1,
  roles: ["approver"],
  pool: "web",
  until: "2999-01-01T00:00:00.000Z",
  card: { blocks: [] },
  votes: [],
  worse: [],
};

test("the calls that an approval costs are two reads, one conditional write and one callback", async () => {
  const ledger = ledgerOf(simulator, addresses);
  const asker = { userId: "U0OPERATOR", userName: "olivia", channel: demo.slack.channelId };
  const callbacks = { approval: "nobody-waits" };
  await ledger.requested(operationRecord({ id: "remove-aaaaaaa1", asker, approval, callbacks }));
  await post("remove-aaaaaaa1");
  const door = coldDoor();
  await callsOf(door, typed("help"));
  const calls = await callsOf(
    door,
    buttonPress("approve-operation", "remove-aaaaaaa1:1", "U0APPROVER", { trigger_id: fresh() }),
  );
  expect(calls.slice(0, 4)).toEqual([
    "dynamodb Query",
    "dynamodb GetItem",
    "dynamodb PutItem",
    "lambda SendDurableExecutionCallbackSuccess",
  ]);
});

test("the ledger is looked at from above without a call, whatever goes wrong in the simulator", async () => {
  const { calls, faults } = simulator.simulation;
  const before = calls.after(0).at(-1)?.seq;
  const order = faults.inject("aws-5xx", {}, 1);
  await ledgerOf(simulator, addresses).operations(10);
  expect(faults.inForce()).toEqual([order]);
  expect(calls.after(0).at(-1)?.seq).toBe(before);
  faults.end(order?.id ?? "");
});
