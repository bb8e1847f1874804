import { afterAll, beforeAll, expect, test } from "vitest";
import { callForFleet } from "../../../lambdas/capabilities/sweep/fleet-calls.ts";
import { Retryable } from "../../../lambdas/errors.ts";
import type { FleetCall } from "../../../lambdas/records/fleet-call.ts";
import type { Message } from "../../../lambdas/records/records.ts";
import { run, setUp, tearDown } from "../../engine/durable-engine.ts";
import { answers, recorded } from "../../engine/recorded.ts";
import { configurationWith } from "../../profiles/okd/facts.ts";

beforeAll(setUp);
afterAll(tearDown);

const base = configurationWith();
const configuration = { ...base, people: { operator: ["S0OPERATORS"] }, policy: { reboot: ["operator"] } };
const SINCE = "2026-11-21T13:50:00.000Z";
const AT = "2026-11-21T14:00:00.000Z";
const idOf = (at: number): string => `i-${String(at).padStart(17, "0")}`;
const named = (count: number): string[] => Array.from({ length: count }, (_, at) => `win-${at + 1}`);

/** A fleet of four nodes, of which the first are NotReady or held. */
interface Scene {
  readonly failing?: number;
  readonly silent?: number;
  readonly held?: number;
  readonly open?: readonly FleetCall[];
  readonly holder?: object;
  readonly isSlackBusy?: boolean;
  readonly isClusterBusy?: boolean;
  readonly all?: number;
  /** Minutes since the first failure. */
  readonly minutes?: number;
}

function world({ failing = 0, silent = 0, held = 0, all = 4, minutes = 10, ...scene }: Scene) {
  const now = Date.parse(SINCE) + minutes * 60_000;
  const nodes = named(all).map((name, at) => ({
    metadata: { name, uid: `uid-${name}`, labels: { "kubernetes.io/os": "windows" } },
    spec: { providerID: `aws:///us-west-2a/${idOf(at + 1)}` },
    status: { conditions: [{ type: "Ready", status: at < failing ? "Unknown" : "True", lastTransitionTime: SINCE }] },
  }));
  const machines = nodes.map(({ metadata: { name } }, at) => ({
    ...{ instanceId: idOf(at + 1), state: "running", privateDnsName: name, launchedAt: "2026-11-20T08:00:00.000Z" },
    tags: { "casement:launched": "true", "casement:cluster": base.cluster.name, "casement:pool": "web" },
  }));
  const agents = machines.map(({ instanceId }, at) => {
    const lastPingAt = at < silent ? SINCE : new Date(now).toISOString();
    return [instanceId, { online: at >= silent, lastPingAt }] as const;
  });
  let open = [...(scene.open ?? [])];
  const change = (kind: string, changes: Partial<FleetCall>) => {
    open = open.map((one) => (one.kind === kind ? { ...one, ...changes } : one));
  };
  const post = (ts: string) => async () => {
    if (scene.isSlackBusy) throw new Retryable("Slack is busy");
    return ts;
  };
  const reminders = scene.holder ? [[`fleet not-ready ${SINCE}`, { holder: scene.holder }] as const] : [];
  const { steps, calls } = recorded(
    {
      runtime: { read: answers({ configuration }), rules: answers({ slack: { channel: "C0MAIN" } }) },
      nodes: {
        all: async () => {
          if (scene.isClusterBusy) throw new Retryable("the API server is unreachable");
          return nodes;
        },
      },
      instances: { ofCluster: answers(machines) },
      claims: { all: answers([]) },
      machine: { agents: answers(new Map(agents)) },
      machines: { assistance: { all: answers([]) }, seen: { ownReboots: answers(new Map()) } },
      leases: {
        holder: async (id: string) => (named(held).some((_, at) => idOf(at + 1) === id) ? "drain-1:0" : undefined),
      },
      reminders: { all: answers(new Map(reminders)) },
      announcements: { fleet: { open: async () => open } },
    },
    {
      announcements: {
        fleet: {
          begin: async (call: FleetCall) => {
            open.push(call);
            return call;
          },
          change,
          end: async (kind: string) => {
            open = open.filter((one) => one.kind !== kind);
          },
        },
      },
      notices: { send: answers() },
      thread: { post: post("1.0"), update: post("1.0") },
    },
    now,
  );
  return { steps, calls, calling: () => open };
}

/** Lets the sweep look at the fleet once, or more often. */
async function swept(scene: Scene, times = 1) {
  const { steps, calls, calling } = world(scene);
  for (let at = 0; at < times; at += 1) {
    calls.length = 0;
    await run((ctx) => callForFleet(ctx, steps));
  }
  return { calls, verbs: calls.map(([verb]) => verb.replace("announcements.", "")), open: calling() };
}

const call = (changes: Partial<FleetCall> = {}): FleetCall => ({
  ...{ kind: "not-ready", since: SINCE, nodes: named(2), pagedAt: SINCE, paged: named(2), ts: "9.0", shown: "before" },
  ...changes,
});

test("two of four nodes that are NotReady are one call past Slack and one message, which the next look leaves alone", async () => {
  const { calls, open } = await swept({ failing: 2 });
  expect(calls).toEqual([
    [
      "announcements.fleet.begin",
      { kind: "not-ready", since: SINCE, nodes: named(2), pagedAt: null, ts: null, shown: "" },
    ],
    [
      "notices.send",
      expect.objectContaining({
        kind: "fleet",
        message: expect.stringMatching(/^2 of 4 Windows nodes are NotReady since .*: win-1, win-2\./),
      }),
    ],
    ["announcements.fleet.change", "not-ready", { since: SINCE, ts: null, shown: "", paged: named(2), pagedAt: AT }],
    [
      "thread.post",
      "C0MAIN",
      expect.objectContaining({ text: "🚨 2 of 4 Windows nodes are NotReady" }),
      `fleet not-ready ${SINCE}`,
    ],
    [
      "announcements.fleet.change",
      "not-ready",
      { since: SINCE, ts: "1.0", nodes: named(2), shown: expect.stringMatching(/^[0-9a-f]{64}$/) },
    ],
  ]);
  expect(open).toEqual([expect.objectContaining({ pagedAt: AT, paged: named(2), ts: "1.0" })]);
  const { shown = "" } = open[0] ?? {};
  expect((await swept({ failing: 2, open: [call({ shown, ts: "1.0" })] })).calls).toEqual([]);
});

test("the message follows the number of nodes, and nobody is called again", async () => {
  const { calls } = await swept({ failing: 3, open: [call()] });
  expect(calls).toEqual([
    ["thread.update", "C0MAIN", "9.0", expect.objectContaining({ text: "🚨 3 of 4 Windows nodes are NotReady" })],
    [
      "announcements.fleet.change",
      "not-ready",
      { since: SINCE, ts: "1.0", nodes: named(3), shown: expect.any(String) },
    ],
  ]);
});

test("people are called once who were not called when the call began", async () => {
  expect((await swept({ failing: 2, open: [call({ pagedAt: null })] })).verbs).toEqual([
    "notices.send",
    "fleet.change",
    "thread.update",
    "fleet.change",
  ]);
});

test.for<[number, number, boolean]>([
  [29, 10, false],
  [30, 10, true],
  [89, 30, false],
  [90, 30, true],
  [90 + 24 * 60 - 1, 90, false],
  [90 + 24 * 60, 90, true],
])(
  "people are called again after 30 and 90 minutes, then daily: after %i minutes, last after %i: %s",
  async ([minutes, last, isDue]) => {
    const pagedAt = new Date(Date.parse(SINCE) + last * 60_000).toISOString();
    const scene = { failing: 2, open: [call({ pagedAt })], minutes };
    const { calls } = await swept(scene);
    expect(calls.filter(([verb]) => verb === "notices.send")).toHaveLength(isDue ? 1 : 0);
    expect(calls.filter(([verb]) => verb === "thread.post")).toEqual(
      isDue
        ? [
            [
              "thread.post",
              "C0MAIN",
              expect.objectContaining({
                text: expect.stringMatching(/^<!subteam\^S0OPERATORS> ⏰ 2 of 4 Windows nodes are NotReady, for /),
              }),
              `fleet not-ready ${SINCE} after ${pagedAt}`,
              "1.0",
            ],
          ]
        : [],
    );
    const until = new Date(Date.parse(SINCE) + (minutes + 1) * 60_000).toISOString();
    expect((await swept({ ...scene, holder: { userId: "U0OLIVIA", since: SINCE, until } })).verbs).not.toContain(
      "notices.send",
    );
  },
);

test("the message names those who are called, and the person who has the trouble", async () => {
  const textOf = async (holder?: object) => {
    const { calls } = await swept({ failing: 3, open: [call()], ...(holder ? { holder } : {}) });
    return JSON.stringify(calls.find(([verb]) => verb === "thread.update")?.[3] as Message);
  };
  expect(await textOf()).toContain("<!subteam^S0OPERATORS>");
  expect(await textOf()).not.toContain("<@U0OLIVIA>");
  const until = "2026-11-21T14:30:00.000Z";
  expect(await textOf({ userId: "U0OLIVIA", since: SINCE, until })).toContain("<@U0OLIVIA> has had it since");
  expect(await textOf({ userId: "U0OLIVIA", since: SINCE, until: AT })).not.toContain("<@U0OLIVIA>");
});

test("the message says that the nodes are back, and the call ends", async () => {
  const { calls, open } = await swept({ open: [call()] });
  expect(calls).toEqual([
    [
      "thread.update",
      "C0MAIN",
      "9.0",
      expect.objectContaining({ text: expect.stringMatching(/All 4 Windows nodes are Ready again\* after 10m/) }),
    ],
    ["announcements.fleet.end", "not-ready"],
  ]);
  expect(open).toEqual([]);
});

test("a call that Slack never showed ends without a word", async () => {
  expect((await swept({ open: [call({ ts: null })] })).calls).toEqual([["announcements.fleet.end", "not-ready"]]);
});

test("while Slack takes no message people are called past it once, and the next look posts it", async () => {
  const { verbs, open } = await swept({ failing: 2, isSlackBusy: true }, 2);
  expect(verbs).toEqual(["thread.post"]);
  expect(open).toEqual([expect.objectContaining({ ts: null, pagedAt: AT })]);
});

test.for<[string, Scene]>([
  ["one of four nodes is NotReady", { failing: 1 }],
  ["operations work on the nodes that are NotReady", { failing: 2, held: 2 }],
  ["there are no nodes", { all: 0 }],
  ["the cluster does not answer", { failing: 2, isClusterBusy: true }],
])("nobody is called where %s", async ([, scene]) => {
  expect((await swept(scene)).calls).toEqual([]);
});

test("silent agents of Ready nodes are a call of their own", async () => {
  const { calls } = await swept({ silent: 2 });
  expect(calls[0]).toEqual([
    "announcements.fleet.begin",
    expect.objectContaining({ kind: "agents-silent", since: SINCE, nodes: named(2) }),
  ]);
  expect((await swept({ silent: 2, failing: 2 })).calls[0]?.[1]).toMatchObject({ kind: "not-ready" });
});
