import { afterAll, beforeAll, expect, it } from "vitest";
import { sha256 } from "../../../lambdas/desired/authorities.ts";
import type { Verdict } from "../../../lambdas/steps/machine/fleet.ts";
import { updateAuthority } from "../../../lambdas/workflows/update-authority.ts";
import { configurationWith } from "../../profiles/okd/facts.ts";
import { run, setUp, tearDown, verbs } from "../durable-engine.ts";

beforeAll(setUp);
afterAll(tearDown);

const configuration = configurationWith();
const PEM = "the bundle that the cluster publishes";

const ids = (count: number): string[] => Array.from({ length: count }, (_, at) => `i-${String(at).padStart(17, "0")}`);

const nodeOn = (instanceId: string) => ({
  metadata: {
    name: `node-of-${instanceId}`,
    uid: instanceId,
    labels: { "kubernetes.io/os": "windows", "casement.dev/pool": "web" },
  },
  spec: { providerID: `aws:///us-west-2a/${instanceId}` },
});

const machineOn = (instanceId: string) => ({
  instanceId,
  state: "running",
  tags: { "casement:launched": "true", "casement:cluster": configuration.cluster.name },
});

/** Compares the file of so many machines, all of which have what the cluster publishes. */
async function compare(count: number) {
  const looks: (readonly string[])[] = [];
  const recorded: string[] = [];
  const noted: string[] = [];
  const verdict = (instanceId: string): Verdict => ({
    instanceId,
    state: "done",
    result: { ok: true, files: [{ sha256: sha256(PEM) }] },
  });
  const steps = verbs({
    runtime: { read: async () => ({ configuration }) },
    kubeletAuthority: { readPublished: async () => ({ pem: PEM, authorities: [] }) },
    given: { all: async () => [], record: async (id: string) => void recorded.push(id) },
    nodes: { all: async () => ids(count).map(nodeOn) },
    authorityWatch: {
      read: async () => ({ blocked: null, comparedAt: 0 }),
      note: async () => null,
      noteComparison: async () => void noted.push("compared"),
    },
    instances: { ofCluster: async () => ids(count).map(machineOn), endsOf: async () => new Map() },
    claims: { all: async () => [] },
    machine: { agents: async () => new Map(ids(count).map((id) => [id, { online: true }])), sent: async () => null },
    fleet: {
      look: async (asked: readonly string[]) => {
        looks.push(asked);
        return { state: "sent", commandId: `command-${looks.length}` };
      },
      verdicts: async (_script: string, _command: string, asked: readonly string[]) => asked.map(verdict),
    },
    ledger: { awaitFleet: async () => undefined },
  });
  const ended = await run((ctx) => updateAuthority(steps)({ tick: "tick-1" }, ctx));
  return { looks, recorded, noted, ended };
}

it("looks at 61 machines in two commands, each machine once, and changes nothing where all have the file", async () => {
  const { looks, recorded, noted, ended } = await compare(61);
  expect(ended.status).toBe("SUCCEEDED");
  expect(looks.map(({ length }) => length).toSorted()).toEqual([11, 50]);
  expect(looks.flat().toSorted()).toEqual(ids(61));
  expect(recorded.toSorted()).toEqual(ids(61));
  expect(noted).toEqual(["compared"]);
});
