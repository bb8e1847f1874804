import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { MOST_IN_ROLLOUT } from "../../../../lambdas/capabilities/reboot/capability.ts";
import { checkShared, chooseDue } from "../../../../lambdas/capabilities/reboot/rollout/due.ts";
import {
  checkMarks,
  checkSize,
  chooseNodes,
  mostAtOnce,
  type PlanResult,
  wholePlan,
} from "../../../../lambdas/capabilities/reboot/rollout/plan.ts";
import type { PlannedNode } from "../../../../lambdas/capabilities/reboot/rollout/rollout-plan.ts";
import type { Op } from "../../../../lambdas/change/operation/op.ts";
import type { RolloutRequest } from "../../../../lambdas/commands/request.ts";
import type { SeenMachine } from "../../../../lambdas/machine/seen-machine.ts";
import { run, setUp, tearDown, verbs } from "../../../engine/durable-engine.ts";
import { configurationWith } from "../../../profiles/okd/facts.ts";

beforeAll(setUp);
afterAll(tearDown);

/** A Node of a pool, and its machine. */
interface Given {
  readonly name: string;
  readonly pool?: string;
  readonly isReady?: boolean;
  readonly os?: string;
  /** Tag of a machine that Casement launched. */
  readonly launched?: string;
}

const idOf = (name: string): string => `i-${Buffer.from(name).toString("hex")}`;

const nodeOf = ({ name, isReady = true, os = "windows" }: Given) => ({
  metadata: { name, uid: `uid-${name}`, labels: { "kubernetes.io/os": os } },
  spec: { providerID: `aws:///us-west-2a/${idOf(name)}` },
  status: { conditions: [{ type: "Ready", status: isReady ? "True" : "False" }] },
});

const machineOf = ({ name, pool = "web", launched = "true" }: Given) => ({
  ...{ instanceId: idOf(name), privateDnsName: name, state: "running", launchedAt: "2026-11-21T08:00:00.000Z" },
  tags: { "casement:launched": launched, "casement:cluster": "prod-west", "casement:pool": pool },
});

const pool = { maxUnavailable: 1 };
const configuration = { ...configurationWith(), pools: { web: pool, db: { maxUnavailable: 2 } } };

const steps = (all: readonly Given[], more: object = {}) =>
  verbs({
    runtime: { read: async () => ({ version: "7", configuration, ...more }) },
    nodes: { all: async () => all.map(nodeOf), pods: async () => [] },
    instances: { ofCluster: async () => all.map(machineOf) },
    claims: { all: async () => [] },
    ...more,
  });

const reboot = (targets: RolloutRequest["targets"], more: object = {}): RolloutRequest =>
  ({ command: "reboot", targets, dryRun: false, canary: false, ...more }) as RolloutRequest;

const WEB = { kind: "pool", pool: "web" } as const;
const ALL = { kind: "all" } as const;

describe("The nodes of a rollout", () => {
  const nodes: readonly Given[] = [
    { name: "web-3" },
    { name: "web-2", isReady: false },
    { name: "db-1", pool: "db" },
    { name: "web-1" },
    { name: "linux-1", os: "linux" },
  ];
  const chosen = (targets: RolloutRequest["targets"], among = nodes, command = "reboot") =>
    chooseNodes({
      ...{ steps: steps(among), settings: { runtimeVersion: "7" } },
      request: { ...reboot(targets), command },
    } as unknown as Op<RolloutRequest>);

  test.each<[RolloutRequest["targets"], readonly string[]]>([
    [WEB, ["web-2", "web-1", "web-3"]],
    [ALL, ["web-2", "db-1", "web-1", "web-3"]],
    [{ kind: "nodes", nodes: ["web-3", "db-1", "web-3", "web-2"] }, ["web-2", "web-3", "db-1"]],
  ])("of %j are those that are not Ready first, then the others, each once", async (targets, names) => {
    expect(await chosen(targets)).toEqual(names);
  });

  test("are missing in a pool without Windows nodes, and where none waits", async () => {
    await expect(chosen({ kind: "pool", pool: "batch" })).rejects.toThrow("Pool `batch` has no Windows nodes.");
    await expect(chosen(ALL, [])).rejects.toThrow("No Windows node waits for a reboot");
  });

  test("that may be out of service together are those of each pool, or fewer where the requester says so", async () => {
    const of = (pools: readonly (string | null)[], max: number | null) => mostAtOnce(steps(nodes), pools, max);
    expect(await of(["web"], null)).toBe(1);
    expect(await of(["web", "db"], null)).toBe(3);
    expect(await of(["web", "db"], 2)).toBe(2);
    expect(await of(["web"], 5)).toBe(1);
    expect(await of([null], null)).toBe(1);
  });

  test("are limited in their number, and lose pods of 1,000 workloads at most", () => {
    const some = (count: number) => Array.from({ length: count }, (_, at) => `web-${at}`);
    expect(() => checkSize(some(MOST_IN_ROLLOUT))).not.toThrow();
    expect(() => checkSize(some(MOST_IN_ROLLOUT + 1))).toThrow("nodes are too many for one rollout");
    expect(() => checkMarks(some(1_000))).not.toThrow();
    expect(() => checkMarks(some(1_001))).toThrow("1001 workloads would lose pods or data");
  });
});

describe("The plan of a rollout", () => {
  const planned = (name: string, of: string | null = "web"): PlannedNode => ({
    ...{ name, uid: `uid-${name}`, instanceId: `i-${name}`, bootId: null, pool: of },
    ...{ isAway: false, throughEc2: false, pods: 0, minutes: 5, losses: [], blockers: [], budgets: [] },
  });
  const lost = [{ workload: "shop/cart", what: "is not recreated", pods: 1 }];
  const losing = (name: string, of: string | null = "web"): PlanResult => ({ name, leftOut: "losses", lost, pool: of });
  const FORCED = "`{win} reboot web --force web`";

  test("lists the nodes that are left out, and the command that accepts their losses", () => {
    const plan = wholePlan([planned("web-1"), losing("web-2"), { name: "web-3", leftOut: "held" }], 2, reboot(WEB));
    expect(plan).toEqual({
      ...{ command: "reboot", pool: "web", nodes: [planned("web-1")], most: 2, forced: FORCED },
      leftOut: [
        { name: "web-2", why: "losses", lost },
        { name: "web-3", why: "held" },
      ],
    });
  });

  test.each<[string, readonly PlanResult[], string | undefined]>([
    ["nothing is lost", [{ name: "web-3", leftOut: "held" }], undefined],
    ["nodes of one pool lose something", [losing("web-2"), losing("web-3")], FORCED],
    ["nodes of several pools lose something", [losing("web-2"), losing("db-1", "db")], undefined],
    ["a node of no pool loses something", [losing("web-2", null)], undefined],
  ])("where %s offers the pool's --force: %#", (_where, others, forced) => {
    expect(wholePlan([planned("web-1"), ...others], 1, reboot(WEB)).forced).toBe(forced);
  });

  test("is refused where no node is left, and where its nodes are of several pools", () => {
    expect(() => wholePlan([losing("web-2")], 1, reboot(WEB))).toThrow(/no node can be rebooted: .* Next: `\{win\}/);
    const several = [planned("web-1"), planned("db-1", "db")];
    expect(() => wholePlan(several, 1, reboot(ALL))).toThrow("belong to several pools (`web`, `db`)");
    expect(wholePlan(several, 3, reboot(ALL, { due: true }))).toMatchObject({ pool: "web", pools: ["web", "db"] });
    expect(wholePlan([planned("web-1")], 3, reboot(ALL, { due: true }))).not.toHaveProperty("pools");
  });

  test("says that its losses are accepted", () => {
    expect(wholePlan([planned("web-1")], 1, reboot(WEB, { force: "web" })).isForced).toBe(true);
    expect(wholePlan([planned("web-1")], 1, reboot(WEB))).not.toHaveProperty("isForced");
  });
});

const MINUTE = 60_000;
const seen = (name: string, reasons: readonly string[], more: Partial<SeenMachine> = {}) => ({
  ...{ uid: `uid-${name}`, reasons, dueSince: reasons.length > 0 ? "2026-11-21T14:00:00.000Z" : null },
  ...{ seenAt: new Date(Date.now()).toISOString() },
  ...more,
});

interface DueScene {
  readonly nodes: readonly Given[];
  readonly command?: string;
  readonly seen?: Readonly<Record<string, object>>;
  readonly pods?: readonly object[];
  readonly pools?: object;
}

/** Chooses nodes that wait for the command. @returns those with their reasons, or the mistake; and the machines to observe again */
async function due({ nodes, command = "reboot", pods = [], pools = configuration.pools, ...scene }: DueScene) {
  const observed: string[] = [];
  const machines = new Map(Object.entries(scene.seen ?? {}).map(([name, one]) => [idOf(name), one]));
  const all = steps(nodes, {
    runtime: { read: async () => ({ version: "7", configuration: { ...configuration, pools } }) },
    nodes: { all: async () => nodes.map(nodeOf), pods: async () => pods },
    machines: {
      seen: { all: async () => machines },
      assistance: { all: async () => [] },
      given: { all: async () => new Map() },
    },
    machine: { agents: async () => new Map() },
    leases: {
      holder: async (instanceId: string) => {
        observed.push(instanceId);
        return "drain-1";
      },
    },
  });
  const request = { ...reboot(WEB, { due: true }), command } as RolloutRequest;
  const start = { operation: "reboot-1" };
  const names = nodes.map(({ name }) => name).filter((name) => name !== "unmeant");
  const ended = await run((ctx) => chooseDue({ ctx, steps: all, start, request } as never, names));
  return { waiting: ended.result, refused: ended.error.message, observed };
}

describe("Of nodes that wait for a reboot", () => {
  const nodes = ["web-1", "web-2", "web-3"].map((name) => ({ name }));

  test("those are chosen whose last observation says so, with the reasons in words", async () => {
    const { waiting, observed } = await due({
      nodes,
      seen: {
        "web-1": seen("web-1", ["servicing", "windows-update"]),
        "web-2": seen("web-2", []),
        "web-3": seen("web-3", ["file-renames"]),
      },
    });
    expect(waiting).toEqual({
      "web-1": "a Windows feature or update, Windows Update",
      "web-3": "files to be replaced at the next boot",
    });
    expect(observed).toEqual([]);
  });

  test("those are observed again that were not seen for 40 minutes, or whose Node is another one", async () => {
    const at = (minutes: number) => ({ seenAt: new Date(Date.now() - minutes * MINUTE).toISOString() });
    const { observed } = await due({
      nodes: [...nodes, { name: "web-4" }, { name: "unmeant" }],
      seen: {
        "web-1": seen("web-1", ["servicing"], at(39)),
        "web-2": seen("web-2", ["servicing"], at(41)),
        "web-3": seen("web-3", ["servicing"], { uid: "uid-before" }),
      },
    });
    expect(observed).toEqual(["web-2", "web-3", "web-4"].map(idOf));
  });

  test.each<[string, Readonly<Record<string, object>>, RegExp]>([
    ["nothing is pending", { "web-1": seen("web-1", []) }, /Windows has nothing pending there/],
    ["it is not known", {}, /Not known of `web-1`:/],
    [
      "the last reboot did not help",
      { "web-1": seen("web-1", ["file-renames"], { chronic: ["file-renames"] }) },
      /^No node of `web` waits for a reboot that would help\. Left out: `web-1`/,
    ],
  ])("none is chosen where %s", async (_where, known, words) => {
    expect((await due({ nodes: [{ name: "web-1" }], seen: known })).refused).toMatch(words);
  });

  test("one is chosen for the reasons alone that the last reboot did not end", async () => {
    const known = { "web-1": seen("web-1", ["file-renames", "servicing"], { chronic: ["file-renames"] }) };
    expect((await due({ nodes, seen: known })).waiting).toEqual({ "web-1": "a Windows feature or update" });
  });

  test("one is chosen for a restart only where that helps; no restart is called useless for what it cannot cure", async () => {
    const known = { "web-1": seen("web-1", ["servicing", "proxy"]), "web-2": seen("web-2", ["servicing"]) };
    const { waiting } = await due({ nodes, seen: known, command: "restart" });
    expect(waiting).toEqual({ "web-1": "the proxy, written but not in force" });
    const none = await due({
      ...{ nodes: [{ name: "web-1" }], command: "restart" },
      seen: { "web-1": seen("web-1", ["servicing"], { chronic: ["servicing"] }) },
    });
    expect(none.refused).toBe(
      "No node of `web` waits for a restart: Windows has nothing pending there. Nothing was changed.",
    );
  });

  test("those are first whose pulls the proxy refuses", async () => {
    const refused = {
      spec: { nodeName: "web-2" },
      status: { containerStatuses: [{ state: { waiting: { message: "Proxy Authentication Required" } } }] },
    };
    const known = (reason: string) => ({
      "web-1": seen("web-1", [reason]),
      "web-2": seen("web-2", [reason]),
    });
    const first = await due({ nodes, seen: known("proxy"), pods: [refused] });
    expect(Object.keys(first.waiting as object)).toEqual(["web-2", "web-1"]);
    const without = await due({ nodes, seen: known("servicing"), pods: [refused] });
    expect(Object.keys(without.waiting as object)).toEqual(["web-1", "web-2"]);
  });

  test("one of a pool that switches the watch off is not known to wait", async () => {
    const known = { "web-1": seen("web-1", ["servicing"]) };
    const { refused } = await due({
      nodes: [{ name: "web-1" }],
      seen: known,
      pools: { web: { ...pool, rebootDue: false } },
    });
    expect(refused).toContain("Not known of `web-1`");
  });

  test("one whose machine Casement does not act for is left out", async () => {
    const known = { "web-1": seen("web-1", ["servicing"]) };
    const { refused } = await due({ nodes: [{ name: "web-1", launched: "false" }], seen: known });
    expect(refused).toMatch(/Windows has nothing pending there/);
  });
});

describe("Nodes of several pools share an approval", () => {
  const rules = { policy: { reboot: ["operator"], approve: ["operator"] }, approvals: {}, pools: {} };
  const shared = (changed: object, maintained: object = {}) =>
    checkShared(
      verbs({
        runtime: {
          rules: async () => ({ ...rules, ...changed }),
          read: async () => ({
            configuration: {
              freezes: [],
              pools: { web: { freezes: [], maintenance: [], ...maintained }, db: { freezes: [], maintenance: [] } },
            },
          }),
        },
      }),
      "reboot",
      ["web", "db"],
    );

  test.each<[string, object, object, boolean]>([
    ["the same rules and times", {}, {}, true],
    ["another policy in one", { pools: { web: { policy: { reboot: ["oncall"] } } } }, {}, false],
    ["other approvals in one", { pools: { web: { approvals: { reboot: { needs: 2 } } } } }, {}, false],
    ["other windows in one", {}, { maintenance: [{ days: ["Sat"], from: "22:00", until: "04:00" }] }, false],
  ])("where they have %s: %#", async (_where, changed, maintained, areShared) => {
    const answer = shared(changed, maintained);
    if (areShared) await expect(answer).resolves.toBeUndefined();
    else await expect(answer).rejects.toThrow("Nodes of several pools wait for a reboot, and these pools differ");
  });
});
