import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { openRollout } from "../../../../lambdas/capabilities/reboot/rollout/open.ts";
import type { Op } from "../../../../lambdas/change/operation/op.ts";
import type { RolloutRequest } from "../../../../lambdas/commands/request.ts";
import type { MovedPod } from "../../../../lambdas/messages/plan/moved-pods.ts";
import type { NodeRecord, OperationRecord } from "../../../../lambdas/records/records.ts";
import { startOf } from "../../../change/operation/starts.ts";
import { inMinutes, run, setUp, tearDown, verbs } from "../../../engine/durable-engine.ts";
import { operationRecord } from "../../../messages/records.ts";
import { configurationWith } from "../../../profiles/okd/facts.ts";

beforeAll(setUp);
afterAll(tearDown);
beforeEach(() => void vi.spyOn(console, "log").mockReturnValue());
afterEach(() => void vi.restoreAllMocks());

const idOf = (name: string): string => `i-${Buffer.from(name).toString("hex")}`;
const pod = (more: Partial<MovedPod> = {}): MovedPod => ({
  ...{ namespace: "shop", name: "cart-0", owner: "ReplicaSet cart", localData: [] },
  ...more,
});

/** State of one node of the pool. */
interface Given {
  readonly name: string;
  readonly isReady?: boolean;
  readonly heldBy?: string;
  readonly plan?: object;
  readonly isSilent?: boolean;
  readonly hasProfile?: boolean;
}

interface Scene {
  readonly nodes?: readonly Given[];
  readonly request?: object;
  readonly record?: Partial<OperationRecord>;
  readonly continues?: number;
  readonly stop?: object;
  /** Nodes that become Ready once the plan is made. */
  readonly recovered?: readonly string[];
}

const WEB = { kind: "pool", pool: "web" } as const;
const nothing = async (): Promise<void> => undefined;

/** Opens a rollout. @returns its work, and what was written */
async function opened({ nodes = [{ name: "web-1" }, { name: "web-2" }], request: asked = {}, ...scene }: Scene = {}) {
  const request = {
    command: "reboot",
    targets: WEB,
    dryRun: false,
    canary: false,
    ...asked,
  } as unknown as RolloutRequest;
  let operation: OperationRecord = {
    ...operationRecord({ id: "reboot-1", request, requestedAt: new Date().toISOString() }),
    ...scene.record,
  };
  const records: NodeRecord[] = [];
  const inserted: Record<string, unknown>[] = [];
  const planned: string[] = [];
  const said: string[] = [];
  const day = new Date(inMinutes(3 * 24 * 60)).toUTCString().slice(0, 3);
  const maintenance = [{ days: [day], from: "01:00", until: "02:00", timeZone: "UTC" }];
  const configuration = {
    ...configurationWith({}, scene.recovered ? { maintenance } : {}),
    people: { operator: [operation.asker?.userId ?? ""], approver: ["U2"] },
    policy: { reboot: ["operator"], restart: ["operator"], approve: ["approver"] },
    approvals: { reboot: { needs: scene.recovered ? 1 : 0 }, restart: { needs: 0 } },
  };
  const isReady = ({ name, isReady: so = true }: Given): boolean =>
    so || (scene.recovered?.includes(name) === true && operation.approval !== undefined);
  const nodeOf = (one: Given) => ({
    metadata: {
      ...{ name: one.name, uid: `uid-${one.name}` },
      labels: { "kubernetes.io/os": "windows", "casement.dev/pool": "web" },
    },
    spec: { providerID: `aws:///us-west-2a/${idOf(one.name)}` },
    status: {
      nodeInfo: { bootID: `boot-${one.name}` },
      conditions: [{ type: "Ready", status: isReady(one) ? "True" : "False" }],
    },
  });
  const machineOf = ({ name, hasProfile = true }: Given) => ({
    ...{ instanceId: idOf(name), privateDnsName: name, state: "running", hasProfile },
    tags: { "casement:launched": "true", "casement:cluster": "prod-west", "casement:pool": "web" },
  });
  const given = (instanceId: string): Given | undefined => nodes.find(({ name }) => idOf(name) === instanceId);
  const steps = verbs({
    runtime: { read: async () => ({ version: "7", configuration }), rules: async () => configuration },
    people: { membership: async () => "member", groupsOf: async () => [] },
    nodes: { all: async () => nodes.map(nodeOf), pods: async () => [] },
    instances: {
      ofCluster: async () => nodes.map(machineOf),
      describe: async (instanceId: string) => {
        const one = given(instanceId);
        return one && machineOf(one);
      },
    },
    claims: { all: async () => [] },
    leases: { holder: async (instanceId: string) => given(instanceId)?.heldBy },
    machines: {
      assistance: { all: async () => [] },
      seen: { marks: async () => ({}) },
    },
    traces: {
      of: async () => ({
        ...{ machineFacts: null, healthChecks: [], associations: [], patches: null, groupMember: null, unread: [] },
      }),
    },
    stops: { over: async () => scene.stop ?? null },
    cordons: { find: async () => undefined },
    health: {
      agent: async (instanceId: string) => {
        const lastPingAt = new Date(Date.now() - (given(instanceId)?.isSilent ? 3_600_000 : 0)).toISOString();
        return { registered: true, online: true, lastPingAt };
      },
    },
    plan: {
      of: async ({
        node,
        options,
        ...seen
      }: {
        node: { metadata: { name: string } };
        options: object;
        away: object;
      }) => {
        const { name } = node.metadata;
        planned.push(`${name} ${JSON.stringify(options)}`);
        const own = nodes.find((one) => one.name === name)?.plan;
        return { ...seen, node: name, pods: [], refusals: [], blockers: [], longJobs: [], minutes: 5, ...own };
      },
    },
    rollouts: { insert: async (_id: string, rollout: Record<string, unknown>) => void inserted.push(rollout) },
    ledger: {
      operation: async () => operation,
      unfinished: async () => [],
      nodes: async () => [],
      changeOperation: async (_id: string, change: Partial<OperationRecord>) => {
        operation = { ...operation, ...change };
      },
      recordNode: async (one: NodeRecord) => void records.push(one),
      votes: async (_id: string, { hash }: { hash: string }) => [
        { userId: "U2", decision: "approve", plan: hash, at: new Date().toISOString() },
      ],
      consumeApproval: async () => true,
    },
    notices: { send: nothing },
    thread: { post: async () => "1.0", update: async () => "1.0" },
    answers: { give: async (_id: string, _to: object, message: object) => void said.push(JSON.stringify(message)) },
    unsaid: { note: nothing, said: nothing },
  });
  const ended = await run((ctx) => {
    const start = startOf(operation, scene.continues);
    const settings = { runtimeVersion: "7", region: "us-west-2", runbook: null };
    return openRollout({ ctx, steps, start, request, settings } as unknown as Op<RolloutRequest>);
  });
  const steps_ = ended.events.flatMap((event) => event.match(/^StepSucceeded (.*)/)?.[1] ?? []);
  return { work: ended.result, error: ended.error.message, operation, records, inserted, planned, said, done: steps_ };
}

describe("A rollout that is opened", () => {
  test("is written with its nodes in the order of their turn, and shown", async () => {
    const nodes = [{ name: "web-1" }, { name: "web-2", isReady: false }];
    const { work, operation, records, inserted, done } = await opened({ nodes, request: { canary: true, max: 3 } });
    expect(work).toMatchObject({ published: { view: "" }, settings: { runtimeVersion: "7" } });
    expect(inserted).toMatchObject([
      {
        ...{ pool: "web", max: 3, canary: true, isBound: true, isConfirmed: false, accepted: [], published: null },
        nodes: [
          { name: "web-2", uid: "uid-web-2", index: 0, isAway: true, throughEc2: false },
          { name: "web-1", uid: "uid-web-1", index: 1, isAway: false, throughEc2: false },
        ],
        record: {
          ...{ action: "reboot", losses: [], blockers: [] },
          options: { force: false, deleteEmptyDir: false, max: 3, canary: true },
          nodes: ["web-2", "web-1"].map((name) => ({
            uid: `uid-${name}`,
            bootId: `boot-${name}`,
            instanceId: idOf(name),
          })),
        },
      },
    ]);
    expect(records).toMatchObject([
      { index: 0, nodeName: "web-2", instanceId: idOf("web-2"), status: "queued", workflow: "reboot" },
      { index: 1, nodeName: "web-1", instanceId: idOf("web-1"), status: "queued", workflow: "reboot" },
    ]);
    expect(operation).toMatchObject({
      ...{ status: "running", inPool: "web", callbacks: {} },
      rollout: { paused: null, part: 1, parkedAt: null, heard: null },
    });
    expect(done.at(-1)).toBe("write the rollout");
  });

  test("plans ten nodes in a step", async () => {
    const nodes = Array.from({ length: 12 }, (_, at) => ({ name: `web-${10 + at}` }));
    const { done } = await opened({ nodes });
    expect(done.filter((name) => name.startsWith("plan nodes"))).toEqual(["plan nodes from 1", "plan nodes from 11"]);
  });

  test("leaves out a node that another operation holds, and is refused where none is left", async () => {
    const { inserted } = await opened({ nodes: [{ name: "web-1", heldBy: "drain-1" }, { name: "web-2" }] });
    expect(inserted[0]?.nodes).toMatchObject([{ name: "web-2" }]);
    const none = await opened({ nodes: [{ name: "web-1", heldBy: "drain-1" }] });
    expect([none.error, none.inserted]).toEqual([expect.stringContaining("drain-1"), []]);
  });

  test("only shows a dry run, to who asked", async () => {
    const { work, said, inserted, operation } = await opened({ request: { dryRun: true } });
    expect([work, inserted, operation.status]).toEqual([null, [], "succeeded"]);
    expect(said).toEqual([expect.stringContaining("web-1")]);
  });

  test("waits for its window where a freeze stands when its time has come", async () => {
    const stop = {
      kind: "freeze",
      target: { kind: "cluster" },
      reason: "no",
      by: "Olivia",
      until: null,
      at: "2026-11-21T14:00:00.000Z",
    };
    const record = { inPool: "web" };
    const { work, operation, planned } = await opened({ stop, record, continues: 2 });
    expect([work, operation.status, planned]).toEqual([null, "scheduled", []]);
    expect(operation.summary).toContain("web");
  });

  test("of nodes that are out of service waits for its window once one of them is back", async () => {
    const nodes = [
      { name: "web-1", isReady: false },
      { name: "web-2", isReady: false },
    ];
    const still = await opened({ nodes, recovered: [] });
    expect(still.inserted).toMatchObject([{ isBound: false }]);
    const back = await opened({ nodes, recovered: ["web-2"] });
    expect([back.work, back.operation.status]).toEqual([null, "scheduled"]);
  });

  test("of services is a restart of each node, which evicts nothing", async () => {
    const { inserted, planned, records } = await opened({ request: { command: "restart" } });
    expect(inserted).toMatchObject([{ record: { action: "restart", losses: [], blockers: [] } }]);
    expect([planned, records.map(({ workflow }) => workflow)]).toEqual([[], ["restart", "restart"]]);
  });
});

describe("What is lost by a rollout", () => {
  const losing = { localData: ["emptyDir scratch"] };
  const refused = (reason: string) => [{ pod: "shop/cart-0", reason, detail: "emptyDir scratch" }];

  test("leaves a node out, and the command that accepts it is named", async () => {
    const pods = [pod(losing), pod({ name: "pay-0", owner: "ReplicaSet pay", ...losing })];
    const nodes = [{ name: "web-1", plan: { pods, refusals: refused("empty-dir") } }, { name: "web-2" }];
    const { inserted } = await opened({ nodes });
    expect(inserted[0]?.nodes).toMatchObject([{ name: "web-2" }]);
    expect(inserted[0]?.record).not.toHaveProperty("lossMarks");
    const [said = ""] = (await opened({ nodes, request: { dryRun: true } })).said;
    expect(said).toContain("`{win} reboot web --force web`");
    expect(said).toContain("`shop/ReplicaSet cart` loses emptyDir scratch");
    expect(said).not.toContain("ReplicaSet pay");
  });

  test("is not offered for acceptance where it cannot be accepted", async () => {
    const nodes = [
      { name: "web-1", plan: { pods: [pod(losing)], refusals: refused("job-unreadable") } },
      { name: "web-2" },
    ];
    const [said = ""] = (await opened({ nodes, request: { dryRun: true } })).said;
    expect(said).toContain("could not be read");
    expect(said).not.toContain("--force web");
  });

  test("is what its approval is bound to, once for all nodes", async () => {
    const plan = { pods: [pod(losing), pod({ name: "job-1", owner: null })] };
    const nodes = [
      { name: "web-1", plan },
      { name: "web-2", plan },
    ];
    const { inserted, planned } = await opened({ nodes, request: { force: "web" } });
    const [rollout] = inserted;
    expect(rollout?.record).toMatchObject({
      losses: ["emptyDir", "unmanaged pod"],
      options: { force: true, deleteEmptyDir: true },
    });
    expect(rollout).toHaveProperty("record.lossMarks.length", 2);
    expect(planned).toEqual(nodes.map(({ name }) => expect.stringContaining(`${name} {"recreating":[],"force":true`)));
    const mistyped = await opened({ nodes, request: { force: "db" } });
    expect([mistyped.error, mistyped.planned]).toEqual([expect.stringContaining("`web`, not `db`"), []]);
  });
});

describe("A node of a rollout", () => {
  test("whose agent is silent is rebooted through EC2", async () => {
    const { inserted } = await opened({ nodes: [{ name: "web-1", isSilent: true }] });
    expect(inserted[0]).toMatchObject({ record: { options: { ec2: true } }, nodes: [{ throughEc2: true }] });
    const { inserted: others } = await opened({ nodes: [{ name: "web-1" }] });
    expect(others[0]).not.toHaveProperty("record.options.ec2");
  });

  test("shows its budgets, lone workloads and a missing instance profile in the plan", async () => {
    const blockers = [
      { budgets: ["shop/cart"], pods: ["cart-0"], why: "", isForever: true },
      { budgets: ["shop/pay"], pods: ["pay-0"], why: "", isForever: false },
    ];
    const plan = { blockers, pods: [pod()], lone: [{ owner: "shop/ReplicaSet cart", pods: 2 }] };
    const nodes = [{ name: "web-1", plan, isSilent: true, hasProfile: false }];
    const [said = ""] = (await opened({ nodes, request: { dryRun: true } })).said;
    expect(said).toContain("Never allowed on `web-1` by the disruption budgets `shop/cart`:");
    expect(said).toMatch(/disruption budgets `shop\/cart`, `shop\/pay`/);
    expect(said).toContain("2 pods on `web-1`");
    expect(said).toContain("has no instance profile");
    expect(said).toContain("1 pod will be evicted");
  });

  test("that is cordoned beside another one takes the pool's slot from it", async () => {
    const nodes = [{ name: "web-1" }, { name: "web-2", isReady: false }];
    const [said = ""] = (
      await opened({ nodes, request: { dryRun: true, targets: { kind: "nodes", nodes: ["web-1"] } } })
    ).said;
    expect(said).toContain("Out of service already: `web-2`");
  });
});
