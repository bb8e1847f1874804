import type { Message } from "../../lambdas/records.ts";
import { probeNodes } from "../../lambdas/workflows/probe-nodes.ts";
import { configurationWith } from "../profiles/okd/facts.ts";
import { run, verbs } from "./durable-engine.ts";

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
  status: { conditions: [{ type: "Ready", status: "True" }] },
});

const machineOf = (name: string) => ({
  instanceId: idOf(name),
  tags: { "casement:launched": "true", "casement:cluster": base.cluster.name, "casement:pool": pool },
});

/** The Windows pod of a probe that resolves no name. */
const resolvesNothing = { exitCode: 11, address: "10.1.2.3", waiting: "" };

/** The Windows pod of a probe that never starts. */
export const neverStarts = { exitCode: null, address: null, waiting: "ContainerCreating" };

/**
 * Probes a fleet of which each Windows pod ends alike.
 * @returns messages to the channel, calls past Slack, the pods that were made, and how many durable operations it took
 */
export async function probed(count: number, windows: object = resolvesNothing, now: () => number = () => 0) {
  const posted: Message[] = [];
  const called: string[] = [];
  const made: string[] = [];
  const steps = verbs({
    now,
    timestamp: () => "2026-11-21T03:00:00.000Z",
    runtime: { read: async () => ({ configuration }), rules: async () => configuration },
    nodes: { all: async () => names(count).map(nodeNamed) },
    instances: { ofCluster: async () => names(count).map(machineOf) },
    claims: { all: async () => [] },
    assistances: { all: async () => [] },
    leases: { holder: async (id: string) => (id === idOf("win-00") ? "drain-1:0" : undefined) },
    probes: {
      origin: () => "linux-1",
      start: async ({ metadata }: { metadata: { name: string } }) => void made.push(metadata.name),
      state: async (name: string) => (name.endsWith("windows") ? windows : null),
      remove: async () => undefined,
    },
    notices: { send: async ({ message }: { message: string }) => void called.push(message) },
    thread: { post: async (_channel: string, message: Message) => void posted.push(message) },
  });
  const { status, events } = await run((ctx) => probeNodes(steps)({ tick: "0000-tick" }, ctx));
  const operations = events.filter((event) => /^\w+Started /.test(event)).length;
  return { status, posted: posted.map(({ text }) => text), called, made, operations };
}
