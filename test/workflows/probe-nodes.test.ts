import { afterAll, beforeAll, expect, it } from "vitest";
import type { Message } from "../../lambdas/records.ts";
import { probeNodes } from "../../lambdas/workflows/probe-nodes.ts";
import { configurationWith } from "../profiles/okd/facts.ts";
import { run, setUp, tearDown, verbs } from "./durable-engine.ts";

beforeAll(setUp);
afterAll(tearDown);

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

/** Probes a fleet of which no pod resolves a name. @returns what the channel and people past Slack were told */
async function probed(count: number) {
  const posted: Message[] = [];
  const called: string[] = [];
  const made: string[] = [];
  const steps = verbs({
    now: () => 0,
    timestamp: () => "2026-11-21T03:00:00.000Z",
    runtime: { read: async () => ({ configuration }), rules: async () => configuration },
    nodes: { all: async () => names(count).map(nodeNamed) },
    instances: { ofCluster: async () => names(count).map(machineOf) },
    leases: { holder: async (id: string) => (id === idOf("win-00") ? "drain-1:0" : undefined) },
    probes: {
      origin: () => "linux-1",
      start: async ({ metadata }: { metadata: { name: string } }) => void made.push(metadata.name),
      state: async (name: string) =>
        name.endsWith("windows") ? { exitCode: 11, address: "10.1.2.3", waiting: "" } : null,
      remove: async () => undefined,
    },
    notices: { send: async ({ message }: { message: string }) => void called.push(message) },
    thread: { post: async (_channel: string, message: Message) => void posted.push(message) },
  });
  const { status } = await run((ctx) => probeNodes(steps)({ tick: "0000-tick" }, ctx));
  return { status, posted: posted.map(({ text }) => text), called, made };
}

it("tells each of a few dead nodes on a card of its own, after two probes of each", async () => {
  const { status, posted, called, made } = await probed(18);
  expect(status).toBe("SUCCEEDED");
  // Of 18 nodes three have their turn; one of them is held by an operation.
  expect(posted).toEqual([
    expect.stringContaining("`win-06` says Ready"),
    expect.stringContaining("`win-12` says Ready"),
  ]);
  expect(made.filter((name) => name.endsWith("windows"))).toHaveLength(4);
  expect(called).toEqual([expect.stringMatching(/^win-06, win-12: Ready, and pods do not work there/)]);
});

it("tells more than three dead nodes at once on one card about what they share", async () => {
  const { posted } = await probed(30);
  expect(posted).toEqual([expect.stringMatching(/4 nodes of 4 that were probed\* say Ready.*One cause is likely/)]);
});
