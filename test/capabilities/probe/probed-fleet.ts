import { probeNodes } from "../../../lambdas/capabilities/probe/probe-nodes.ts";
import type { ProbeState } from "../../../lambdas/health/probe.ts";
import type { ProbePod } from "../../../lambdas/health/probe-pods.ts";
import type { DeadCard, ProbedNode } from "../../../lambdas/health/probed-node.ts";
import type { SeenTrouble } from "../../../lambdas/machine/seen-troubles.ts";
import type { Message } from "../../../lambdas/records/records.ts";
import { run, verbs } from "../../engine/durable-engine.ts";
import { configurationWith } from "../../profiles/okd/facts.ts";

const images = { "2022": "mcr.microsoft.com/windows/servercore:ltsc2022", linux: "docker.io/library/busybox:1.37" };
const base = configurationWith();
const configuration = { ...base, probe: { images } };
const [pool = ""] = Object.keys(base.pools).filter((name) => base.pools[name]?.windows === "2022");

const names = (count: number): string[] =>
  Array.from({ length: count }, (_, at) => `win-${String(at).padStart(2, "0")}`);

const idOf = (name: string): string => `i-${name.slice("win-".length).padStart(17, "0")}`;

const nodeNamed = (name: string) => ({
  metadata: { name, uid: `uid-${name}`, labels: { "kubernetes.io/os": "windows" } },
  spec: { providerID: `aws:///us-west-2a/${idOf(name)}` },
  status: { conditions: [{ type: "Ready", status: "True" }], nodeInfo: { bootID: "7" } },
});

const machineOf = (name: string) => ({
  instanceId: idOf(name),
  privateDnsName: name,
  tags: { "casement:launched": "true", "casement:cluster": base.cluster.name, "casement:pool": pool },
});

type Pod = ProbeState;

/** The Windows pod of a probe that resolves no name. */
const resolvesNothing: Pod = { exitCode: 11, address: "10.1.2.3", waiting: "", ended: "" };

/** The Windows pod of a probe that works. */
const works: Pod = { ...resolvesNothing, exitCode: 0 };

/** The Windows pod of a probe that never starts, since its kubelet cannot make its network. */
export const neverStarts: Pod = { exitCode: null, address: null, waiting: "ContainerCreating", ended: "" };

/** A fleet whose nodes are probed tick by tick, with what is kept between them. */
export interface ProbedFleet {
  /** Runs the tick of this moment. */
  tick(now: number): Promise<{ readonly status: string | undefined; readonly operations: number }>;
  /** Messages of the channel as they are now. */
  posted(): string[];
  /** Replies in the thread of a message that others posted: its timestamp and the text. */
  readonly replies: string[];
  /** Calls past Slack. */
  readonly called: string[];
  /** Pods that were made. */
  readonly made: string[];
}

/**
 * Builds a fleet.
 * @param podOf the Windows pod of a node's probe
 * @param troubles what observations have found on the machines of nodes
 */
export function probedFleet(
  count: number,
  podOf: (node: string) => Pod,
  clock?: () => number,
  troubles: Readonly<Record<string, readonly SeenTrouble[]>> = {},
): ProbedFleet {
  const replies: string[] = [];
  const messages = new Map<string, Message>();
  const marks = new Map<string, string>();
  const kept = new Map<string, ProbedNode>();
  const on = new Map<string, string>();
  const called: string[] = [];
  const made: string[] = [];
  let time = 0;
  const now = clock ?? (() => time);
  const steps = verbs({
    now,
    timestamp: () => new Date(now()).toISOString(),
    runtime: { read: async () => ({ configuration }), rules: async () => configuration },
    nodes: { all: async () => names(count).map(nodeNamed) },
    instances: { ofCluster: async () => names(count).map(machineOf) },
    claims: { all: async () => [] },
    leases: { holder: async (id: string) => (id === idOf("win-00") ? "drain-1:0" : undefined) },
    machines: {
      assistance: { all: async () => [] },
      seen: {
        ownReboots: async () => new Map(),
        all: async () => new Map(Object.entries(troubles).map(([name, found]) => [idOf(name), { troubles: found }])),
      },
      probed: {
        all: async () => [...kept.values()],
        note: async (one: ProbedNode) => {
          const card = one.result.state === "fails" ? kept.get(one.instanceId)?.card : undefined;
          kept.set(one.instanceId, { ...one, ...(card ? { card } : {}) });
          return kept.get(one.instanceId);
        },
        noteCard: async (id: string, card: DeadCard) => {
          const one = kept.get(id);
          if (one) kept.set(id, { ...one, card });
        },
      },
    },
    probes: {
      origin: () => "linux-1",
      start: async ({ metadata, spec }: ProbePod) => {
        made.push(metadata.name);
        on.set(metadata.name, String(spec.nodeName));
      },
      user: async () => null,
      state: async (name: string) => (name.endsWith("windows") ? podOf(on.get(name) ?? "") : null),
      events: async () => [{ reason: "FailedCreatePodSandBox", message: "no network", at: "2026-11-21T03:00:00Z" }],
      remove: async () => undefined,
    },
    notices: { send: async ({ message }: { message: string }) => void called.push(message) },
    thread: {
      post: async (_channel: string, message: Message, mark: string, threadTs?: string) => {
        if (threadTs !== undefined) replies.push(`${threadTs}: ${message.text}`);
        const ts = marks.get(mark) ?? String(marks.size + 1);
        if (!marks.has(mark)) messages.set(ts, message);
        marks.set(mark, ts);
        return ts;
      },
      update: async (_channel: string, ts: string, message: Message) => {
        messages.set(ts, message);
        return ts;
      },
    },
  });
  const tick = async (at: number) => {
    time = at;
    const { status, events } = await run((ctx) => probeNodes(steps)({ tick: `0000-tick-${at}` }, ctx));
    return { status, operations: events.filter((event) => /^\w+Started /.test(event)).length };
  };
  return { tick, posted: () => [...messages.values()].map(({ text }) => text), called, made, replies };
}

/** Nodes whose pods resolve nothing, of a fleet in which all others work. */
export const dnsFailsOn =
  (fails: (node: string) => boolean) =>
  (node: string): Pod =>
    fails(node) ? resolvesNothing : works;
