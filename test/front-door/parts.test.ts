import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { frontDoorConfiguration } from "../../lambdas/front-door/configuration.ts";
import { frontDoorSteps } from "../../lambdas/front-door/front-door.ts";
import { denySubmitted } from "../../lambdas/front-door/vote.ts";
import type { OperationRecord } from "../../lambdas/records/records.ts";
import type { FrontDoorContext } from "../../lambdas/steps/context.ts";
import { approvalRecord } from "../messages/approval/approval-record.ts";
import { nodeRecord, operationRecord } from "../messages/records.ts";
import { configuration } from "./configuration.ts";
import { fakeFrontDoor } from "./fake-front-door.ts";
import { frontDoorInMemory } from "./front-door-in-memory.ts";
import { buttonPress } from "./signed.ts";

beforeEach(() => {
  vi.spyOn(console, "error").mockImplementation(() => undefined);
});
afterEach(() => {
  vi.restoreAllMocks();
});

describe("The roster of the front door", () => {
  const AT = Date.parse("2026-11-21T10:30:00.000Z");

  /** The steps on a ledger that answers so, at a time that a test changes. */
  function on(answer: (read: number) => object | Error) {
    const state = { now: AT, reads: 0 };
    const dynamodb = async () => {
      state.reads += 1;
      const given = answer(state.reads);
      if (given instanceof Error) throw given;
      return given;
    };
    const context = { clients: { dynamodb }, settings: { ledgerTable: "t" }, now: () => state.now };
    return { steps: frontDoorSteps(context as unknown as FrontDoorContext, "win"), state };
  }
  const item = (more: object = {}) => ({
    Item: { groups: { S1: ["U1"] }, standings: { U1: "member" }, readAt: new Date(AT).toISOString(), ...more },
  });

  test("is read once a minute, and once for those who ask together", async () => {
    const { steps, state } = on(() => item());
    const known = {
      groups: { S1: ["U1"] },
      memberships: { U1: "member" },
      unreadablePools: [],
      readAt: "2026-11-21T10:30:00.000Z",
    };
    expect(await Promise.all([steps.roster.read(), steps.roster.read()])).toEqual([known, known]);
    state.now = AT + 59_999;
    await steps.roster.read();
    expect(state.reads).toBe(1);
    state.now = AT + 60_000;
    await steps.roster.read();
    expect(state.reads).toBe(2);
  });

  test("that is missing or could not be read is read again at once", async () => {
    const { steps, state } = on(
      (read) => [new Error("away"), {}, item({ unreadablePools: ["web"] })][read - 1] ?? item(),
    );
    await expect(steps.roster.read()).rejects.toThrow("away");
    expect(await steps.roster.read()).toBeUndefined();
    expect(await steps.roster.read()).toMatchObject({ unreadablePools: ["web"] });
    expect(state.reads).toBe(3);
  });

  test("is none half an hour after it was written", async () => {
    const { steps, state } = on(() => item());
    state.now = AT + 30 * 60_000 - 1;
    expect(await steps.roster.read()).toBeDefined();
    state.now = AT + 31 * 60_000;
    expect(await steps.roster.read()).toBeUndefined();
    expect(steps.timestamp()).toBe("2026-11-21T11:01:00.000Z");
  });
});

test("The configuration of the front door has people and policies, and of pools their policies alone", () => {
  const { web } = configuration.pools;
  const pools = { web: { ...web, policy: { add: ["operator"] } }, batch: { ...web } };
  const given = { ...configuration, pools } as unknown as Parameters<typeof frontDoorConfiguration>[0];
  expect(frontDoorConfiguration(given)).toEqual({
    command: configuration.command,
    slack: configuration.slack,
    people: configuration.people,
    policy: configuration.policy,
    cluster: { name: "prod-west" },
    pools: { web: { policy: { add: ["operator"] } }, batch: {} },
  });
});

describe("The change that runs without its approval", () => {
  const ID = "reboot-3f9c2a71";
  const operator = { userId: "U0OPERATOR", userName: "olivia", teamId: "T0CASEMENT", triggerId: "1.1", viewId: "V1" };

  function waiting() {
    const { door, memory } = fakeFrontDoor();
    const policy = { ...configuration.policy, "break-glass": ["operator"] };
    const request = { command: "reboot", node: "win-1", at: "12:00", now: "now" };
    const approval = approvalRecord({ unapprovedNode: "win-1.example" } as never);
    memory.operations.set(
      ID,
      operationRecord({ id: ID, request, approval, endedAt: null } as Partial<OperationRecord>),
    );
    const submit = () =>
      denySubmitted({ ...door, configuration: { ...configuration, policy } }, operator, `run ${ID}:1`, "  disk fails ");
    return { memory, submit };
  }

  test("is the same request for its node, with the reason and without a time, and is noted in both operations", async () => {
    const { memory, submit } = waiting();
    expect(await submit()).toBeNull();
    const [started, ...more] = [...memory.executions.values()];
    expect(more).toEqual([]);
    expect(started?.payload.request).toEqual({ command: "reboot", node: "win-1.example", breakGlass: "disk fails" });
    const id = started?.payload.operation ?? "";
    expect(memory.operations.get(ID)?.followUps).toEqual([
      { index: null, domain: "", operation: id, by: "U0OPERATOR", at: "2026-11-21T10:30:00.000Z" },
    ]);
    expect(memory.operations.get(id)?.follows).toEqual({ operation: ID, index: null });
  });

  test("is refused to the person where it does not start", async () => {
    const { memory, submit } = waiting();
    memory.broken.add("executions.start");
    expect((await submit())?.text).toContain("Not started");
    expect(memory.operations.get(ID)?.followUps).toBeUndefined();
  });
});

describe("Buttons", () => {
  const rollout = { part: 1, paused: { at: "x", why: "y" }, parkedAt: null, heard: null };
  const rebooting = (more: object = {}) =>
    operationRecord({
      id: "reboot-3f9c2a71",
      request: { command: "reboot", targets: { kind: "all" } },
      rollout,
      callbacks: { watch: "watch-1" },
      endedAt: null,
      ...more,
    } as unknown as Partial<OperationRecord>);

  test.each<[string, string, object | null]>([
    ["resume-with-more", "reboot-3f9c2a71:3", { decision: "resume", unavailable: 3 }],
    ["resume-rollout", "reboot-3f9c2a71", { decision: "resume" }],
    ["pause-rollout", "reboot-3f9c2a71", { decision: "pause" }],
    ["resume-with-more", "reboot-3f9c2a71", null],
    ["resume-with-more", "nonsense:3", null],
    ["pause-rollout", "nonsense", null],
  ])("%s with %j record %j", async (actionId, value, steering) => {
    const { memory, send } = frontDoorInMemory();
    memory.operations.set("reboot-3f9c2a71", rebooting());
    await send(buttonPress(actionId, value));
    const { steering: recorded } = memory.operations.get("reboot-3f9c2a71") ?? {};
    if (steering === null) {
      expect(recorded).toBeUndefined();
      expect(memory.ephemerals[0]?.message.text).toContain("expired");
    } else expect(recorded).toMatchObject({ ...steering, userId: "U0OPERATOR" });
  });

  test.each([
    ["continue-drain", "continue"],
    ["continue-reboot", "continue"],
    ["ec2-reboot", "ec2-reboot"],
    ["reboot-with-pods", "reboot-with-pods"],
    ["continue-removal", "continue"],
  ])("%s answers the question about a node with %s", async (actionId, decision) => {
    const { memory, send } = frontDoorInMemory();
    memory.nodes.push(nodeRecord({ index: 0, status: "deciding", callbacks: { decision: "decision-0" } }));
    memory.callbacks.set("decision-0", "waiting");
    await send(buttonPress(actionId, "add-3f9c2a71:0"));
    expect(memory.callbacks.get("decision-0")).toEqual({ decision, userId: "U0OPERATOR" });
  });

  test("that are unknown have expired, and a group without machines too", async () => {
    const { memory, send } = frontDoorInMemory();
    await send(buttonPress("keep-all", "add-3f9c2a71:"));
    await send(buttonPress("keep-all", "nonsense"));
    expect(memory.ephemerals.map(({ message }) => /expired/.test(message.text))).toEqual([true, true]);
  });
});
