import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { changes } from "../../../lambdas/capabilities/remove/remove-node.ts";
import { changing } from "../../../lambdas/change/run-change.ts";
import type { NodeRecord, OperationRecord } from "../../../lambdas/records/records.ts";
import { machine } from "../../change/a-task.ts";
import { acceptedAs, inMinutes, runStarted, setUp, tearDown, verbs } from "../../engine/durable-engine.ts";
import { nodeRecord, operationRecord } from "../../messages/records.ts";
import { configurationWith, manifest } from "../../profiles/okd/facts.ts";

beforeAll(setUp);
afterAll(tearDown);
beforeEach(() => void vi.spyOn(console, "log").mockReturnValue());
afterEach(() => void vi.restoreAllMocks());

const ID = machine.instanceId;
const nothing = async (): Promise<void> => undefined;

interface Scene {
  readonly dryRun?: boolean;
  /** Tag with the operation that launched the machine. */
  readonly launchedBy?: string | null;
  /** Records of that operation. */
  readonly kept?: readonly Partial<NodeRecord>[];
  /** Message of that operation. */
  readonly messageTs?: string | null;
  readonly heldBy?: string;
  /** A freeze of the cluster. */
  readonly isFrozen?: boolean;
  /** The pool's maintenance is on another day. */
  readonly isMaintained?: boolean;
  /** EC2 does not get the machine down. */
  readonly isStuck?: boolean;
  /** Error of EC2 to the order to terminate. */
  readonly terminate?: Error;
}

const freeze = {
  ...{ kind: "freeze", target: { kind: "cluster" }, reason: "no changes", by: "Olivia", until: null },
  at: "2026-11-21T14:00:00.000Z",
};

/** Removes a machine that is no node, which an addition has left. @returns how it ended, and what was changed elsewhere */
async function removed({ dryRun = false, launchedBy = "add-1", kept = [{}], messageTs = "9.0", ...scene }: Scene) {
  const request = { command: "remove", node: ID, dryRun } as const;
  const removal: OperationRecord = {
    ...operationRecord({ id: "remove-1", request, requestedAt: new Date().toISOString() }),
  };
  const addition = operationRecord({ id: "add-1", messageTs, endedAt: "2026-11-21T15:00:00.000Z" });
  const own: NodeRecord[] = [];
  const dialogs: string[] = [];
  const said: string[] = [];
  const updated: string[] = [];
  const noted: unknown[][] = [];
  let isOrdered = false;
  const day = new Date(inMinutes(3 * 24 * 60)).toUTCString().slice(0, 3);
  const window = { days: [day], from: "01:00", until: "02:00", timeZone: "UTC" };
  const configuration = {
    ...configurationWith({}, scene.isMaintained ? { maintenance: [window] } : {}),
    people: { operator: [removal.asker?.userId ?? ""] },
    policy: { remove: ["operator"] },
    approvals: { remove: { needs: 0 } },
  };
  const keptRecords = kept.map((fields, index) =>
    nodeRecord({
      operation: "add-1",
      index,
      instanceId: ID,
      outcome: "kept",
      keptAt: "2026-11-21T14:30:00.000Z",
      ...fields,
    }),
  );
  const steps = verbs({
    runtime: {
      read: async () => ({ version: "7", configuration, payload: manifest() }),
      rules: async () => configuration,
    },
    people: { membership: async () => "member", groupsOf: async () => [] },
    claims: { all: async () => [] },
    stops: { over: async () => (scene.isFrozen ? freeze : null) },
    nodes: { all: async () => [], pods: async () => [], announce: nothing },
    instances: {
      describe: async () => ({
        ...machine,
        state: isOrdered && !scene.isStuck ? "terminated" : "running",
        tags: {
          ...{ "casement:launched": "true", "casement:cluster": "prod-west", "casement:pool": "web" },
          ...(launchedBy === null ? {} : { "casement:operation": launchedBy }),
        },
      }),
      isProtected: async () => false,
      terminate: async () => {
        if (scene.terminate) throw scene.terminate;
        isOrdered = true;
      },
    },
    leases: {
      holder: async () => scene.heldBy,
      take: async (instanceId: string, owner: string) => ({ instanceId, owner, epoch: 1 }),
      release: nothing,
      releaseOwned: nothing,
    },
    slots: { release: nothing },
    ledger: {
      accepted: acceptedAs(removal),
      unfinished: async () => [],
      operation: async (id: string) => (id === "add-1" ? addition : removal),
      nodes: async (id: string) => (id === "add-1" ? keptRecords : own),
      answerOf: async () => ({ decision: "submitted", userId: "U0OPERATOR" }),
      decisions: async () => [],
      changeOperation: async (_id: string, change: object) => void Object.assign(removal, change),
      recordNode: async (one: NodeRecord) => void own.splice(one.index, 1, one),
      changeNode: async (_id: string, index: number, change: object) => void Object.assign(own[index] ?? {}, change),
      noteOnNode: async (...note: unknown[]) => void noted.push(note),
      awaitMachine: nothing,
    },
    thread: {
      fillDialog: async (_id: string, dialog: object) => dialogs.push(JSON.stringify(dialog)) > 0,
      post: async (_channel: string, { text }: { text: string }) => `${said.push(text)}.0`,
      update: async (_channel: string, ts: string, { text }: { text: string }) => {
        if (ts === addition.messageTs) updated.push(text);
        return ts;
      },
    },
    answers: { give: async (_id: string, _to: object, { text }: { text: string }) => void said.push(text) },
    notices: { send: nothing },
    unsaid: { note: nothing, said: nothing },
  });
  const start = { operation: "remove-1", request, asker: removal.asker, notAfter: inMinutes(60) / 1_000 };
  const work = changing(...changes);
  const { events } = await runStarted(start, (ctx) => work(steps)({ ...start }, ctx));
  const { status, summary } = removal;
  return { status, summary, isOrdered, noted, updated, dialogs, said, stages: own.map(({ stage }) => stage), events };
}

describe("The removal of a machine that is no node", () => {
  test("terminates it, and closes the record of the operation that launched it and kept it", async () => {
    const end = await removed({});
    expect(end).toMatchObject({ status: "succeeded", isOrdered: true, stages: ["terminate"] });
    expect(end.summary).toContain(ID);
    expect(end.noted).toEqual([["add-1", 0, { outcome: expect.stringContaining("U0OPERATOR"), isTerminated: true }]]);
    expect(end.updated).toHaveLength(1);
  });

  test.each<[string, Scene, number, number]>([
    ["was launched by no operation", { launchedBy: null }, 0, 0],
    ["has a record that another decision closed", { kept: [{ keptAt: undefined, outcome: null }] }, 0, 0],
    ["is another one than was kept", { kept: [{ instanceId: "i-0aaaaaaaaaaaaaaaa" }] }, 0, 0],
    ["was launched by an operation without a message", { messageTs: null }, 1, 0],
  ])("that %s leaves other records and messages: %#", async (_which, scene, notes, updates) => {
    const end = await removed(scene);
    expect([end.status, end.noted.length, end.updated.length]).toEqual(["succeeded", notes, updates]);
    const looks = end.events.filter((event) => event === "StepSucceeded close the record of the kept machine");
    expect(looks).toHaveLength(scene.launchedBy === null ? 0 : 1);
  });

  test("is only shown on a dry run, to who asked", async () => {
    const end = await removed({ dryRun: true });
    expect(end).toMatchObject({ status: "succeeded", isOrdered: false, dialogs: [], stages: [] });
    expect(end.said).toEqual([expect.stringContaining(ID)]);
  });

  test("is refused in the dialog where another operation holds it", async () => {
    const end = await removed({ heldBy: "drain-1" });
    expect(end).toMatchObject({ status: "refused", isOrdered: false });
    expect(end.dialogs).toEqual([expect.stringContaining("drain-1")]);
  });

  test("that EC2 refuses leaves the machine, and closes no record", async () => {
    const end = await removed({ terminate: new Error("OperationNotPermitted") });
    expect(end).toMatchObject({ status: "failed", noted: [] });
    expect(end.summary).toBe("Not removed: termination failed; nothing was changed.");
  });

  test("that EC2 does not get down says that EC2 is still at it", { tags: ["long"] }, async () => {
    const end = await removed({ isStuck: true });
    expect(end).toMatchObject({ status: "failed", isOrdered: true, noted: [] });
    expect(end.summary).toContain(`EC2 is terminating \`${ID}\``);
  });

  test("that serves nothing waits for no maintenance", async () => {
    expect(await removed({ isMaintained: true })).toMatchObject({ status: "succeeded", isOrdered: true });
  });

  test.each([
    [false, 1],
    [true, 0],
  ])("is refused while a freeze stands; of a dry run (%s) no dialog is open", async (dryRun, dialogs) => {
    const end = await removed({ isFrozen: true, dryRun });
    expect([end.status, end.isOrdered, end.dialogs.length]).toEqual(["refused", false, dialogs]);
  });
});
