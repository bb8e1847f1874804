import { afterAll, beforeAll, expect, test } from "vitest";
import { reconcileRequested } from "../../../lambdas/capabilities/reconcile/requested.ts";
import type { Start } from "../../../lambdas/commands/request.ts";
import type { Input } from "../../../lambdas/inputs/input.ts";
import { kubeletClientsInput } from "../../../lambdas/inputs/kubelet-clients.ts";
import { mirrorsInput } from "../../../lambdas/inputs/mirrors/input.ts";
import { originated } from "../../../lambdas/records/origin.ts";
import type { Message } from "../../../lambdas/records/records.ts";
import type { Steps } from "../../../lambdas/steps/steps.ts";
import { idOf, nameOf, type Troubles } from "../../change/fleet/fleet.ts";
import { MirrorFleet } from "../../change/inputs/mirror-fleet.ts";
import { runStarted, setUp, tearDown } from "../../engine/durable-engine.ts";

beforeAll(setUp);
afterAll(tearDown);

const requester = { userId: "U0OPERATOR", userName: "olivia", channel: "C0" };
const origin = originated({ by: "person", requester });
const another: Input = { ...mirrorsInput, words: { ...mirrorsInput.words, title: "Another input" } };
const both: readonly Input[] = [mirrorsInput, kubeletClientsInput];

/** Steps of a fleet whose inputs another operation gives to nodes already. */
function claimed(steps: Steps, operation: string): Steps {
  const watchOf = (input: Parameters<Steps["inputWatches"]["of"]>[0]) => {
    const watch = steps.inputWatches.of(input);
    return { ...watch, claim: async () => false, read: async () => ({ ...(await watch.read()), operation }) };
  };
  return { ...steps, inputWatches: { ...steps.inputWatches, of: watchOf } };
}

type Targets = Extract<Start["request"], { command: "reconcile" }>["targets"];

/** Gives a fleet several inputs as a person does. */
async function reconcile(
  here: MirrorFleet,
  {
    inputs = both,
    id = "reconcile-0a1b2c3d",
    dryRun = false,
    claimedBy = null,
    targets = { kind: "all" },
    steps = claimedBy === null ? here.steps() : claimed(here.steps(), claimedBy),
  }: {
    inputs?: readonly Input[];
    id?: string;
    dryRun?: boolean;
    claimedBy?: string | null;
    steps?: Steps;
    targets?: Targets;
  } = {},
) {
  const request = { command: "reconcile", targets, dryRun } as const;
  const start: Start = { operation: id, request, ...origin, notAfter: Number.MAX_SAFE_INTEGER };
  const blank = { status: "requested", requestedAt: steps.timestamp(), endedAt: null, cancelledBy: null } as const;
  here.fleet.operation = { id, request, ...origin, ...blank, channel: "C0", messageTs: null, callbacks: {} };
  const ended = await runStarted(start, (ctx) => reconcileRequested({ ctx, steps, start }, inputs));
  expect(ended.status).toBe("SUCCEEDED");
  return here.fleet.operation;
}

const fleetOf = (machines: number, troubles: Troubles = {}) => new MirrorFleet(machines, 2, troubles);
const ids = (here: MirrorFleet) => here.fleet.numbers().map(idOf);

test("one operation gives nodes every input in turn, one node first each time, and its summary has both", {
  tags: ["long"],
}, async () => {
  const here = fleetOf(60);
  const operation = await reconcile(here);
  expect(operation).toMatchObject({
    status: "succeeded",
    summary: "Registry mirrors: 60 nodes updated. Kubelets' client authority: 60 nodes updated.",
  });
  expect(here.fleet.changed.map(({ length }) => length)).toEqual([1, 50, 9, 1, 50, 9]);
  for (const id of ids(here)) expect(Object.keys(here.given.get(id) ?? {})).toEqual(["mirrors", "kubeletClients"]);
  expect(here.fleet.held.size).toBe(0);
});

test("each node has a record for each input, which names its stage", async () => {
  const here = fleetOf(3);
  await reconcile(here);
  const records = [...here.fleet.records.values()].map(({ nodeName, stage, status }) => [nodeName, stage, status]);
  expect(records.toSorted()).toEqual(
    here.fleet.numbers().flatMap((at) => [
      [nameOf(at), "file", "succeeded"],
      [nameOf(at), "files", "succeeded"],
    ]),
  );
});

test("an operation records the only pool of its nodes, by which a cancellation is judged", async () => {
  expect(await reconcile(fleetOf(2))).toMatchObject({ inPool: "web" });
});

test("an input that fails on its first node does not keep the next one from nodes, and the end names both", async () => {
  const here = fleetOf(3, { logRefusal: "401" });
  const operation = await reconcile(here, { inputs: [kubeletClientsInput, mirrorsInput] });
  expect(operation).toMatchObject({
    status: "failed",
    summary:
      "Kubelets' client authority: 0 nodes updated, 1 node failed, 2 nodes not touched, because the first one failed. Registry mirrors: 3 nodes updated.",
  });
  expect(here.fleet.held.size).toBe(0);
});

test("an input that is refused does not keep the next one from nodes", async () => {
  const here = fleetOf(2);
  const refused: Input = { ...mirrorsInput, reads: () => [] };
  const operation = await reconcile(here, { inputs: [refused, kubeletClientsInput] });
  expect(operation?.status).toBe("failed");
  expect(operation?.summary).toMatch(
    /^Registry mirrors: no node was changed: .+\. Kubelets' client authority: 2 nodes updated\.$/,
  );
});

test("a cancellation during the first input keeps the next one from nodes", async () => {
  const here = fleetOf(3, { cancelledAfter: 2 });
  const operation = await reconcile(here);
  expect(here.fleet.changed.flat()).toEqual(ids(here));
  expect(operation).toMatchObject({
    status: "cancelled",
    summary: "Registry mirrors: 3 nodes updated. Kubelets' client authority: not begun. Cancelled by <@U0OPERATOR>.",
  });
});

test("an input that every node has is named once, and when all have both nothing is changed", async () => {
  const here = fleetOf(2);
  await reconcile(here, { inputs: [mirrorsInput] });
  const operation = await reconcile(here, { id: "reconcile-1a1b2c3d" });
  expect(operation?.summary).toBe("Kubelets' client authority: 2 nodes updated. Up to date: Registry mirrors.");
  await reconcile(here, { id: "reconcile-2a1b2c3d", inputs: [mirrorsInput, another] });
  expect(here.fleet.said.at(-1)).toContain("Registry mirrors, Another input: nothing to change.");
});

test("a dry run shows each input, and which of them every node has", async () => {
  const here = fleetOf(2);
  await reconcile(here, { dryRun: true });
  expect(here.fleet.said.at(-1)).toContain("*Dry run of Registry mirrors*: 2 nodes would be changed, one first.");
  expect(here.fleet.said.at(-1)).toContain("*Dry run of Kubelets' client authority*: 2 nodes would be changed");
  await reconcile(here, { inputs: [mirrorsInput], id: "reconcile-1a1b2c3d" });
  await reconcile(here, { dryRun: true, id: "reconcile-2a1b2c3d" });
  expect(here.fleet.said.at(-1)).toContain("✅ Registry mirrors: nothing to change.");
  expect(here.fleet.said.at(-1)).toContain("*Dry run of Kubelets' client authority*: 2 nodes would be changed");
});

test("a person who may not reconcile every pool hears which inputs another may accept, and of none that is put to the vote", {
  tags: ["long"],
}, async () => {
  const here = fleetOf(2);
  const steps = here.steps();
  const rules = { ...(await steps.runtime.rules()), pools: { batch: { policy: { reconcile: ["approver"] } } } };
  const watch = steps.inputWatches.of("any");
  const asking = { ...watch, read: async () => ({ ...(await watch.read()), asked: ["a part"] }) };
  const told: string[] = [];
  Object.assign(steps, {
    runtime: { ...steps.runtime, rules: async () => rules },
    inputWatches: { of: () => asking },
    thread: {
      ...steps.thread,
      sendEphemeral: async (_channel: string, _to: string, { text }: Message) => told.push(text),
    },
  });
  const byVote: Input = { ...kubeletClientsInput, approval: "trust" };
  await reconcile(here, { steps, inputs: [mirrorsInput, byVote] });
  expect(told).toEqual([expect.stringMatching(/^What the mirrors would cut off is left out/)]);
  await reconcile(here, { steps, inputs: [byVote], id: "reconcile-1a1b2c3d" });
  expect(told).toHaveLength(1);
});

test("an operation is refused while another one gives nodes the same input", async () => {
  const here = fleetOf(2);
  const operation = await reconcile(here, { inputs: [mirrorsInput], claimedBy: "reconcile-9f9e9d9c" });
  expect(here.fleet.changed).toEqual([]);
  expect(operation?.status).toBe("refused");
  expect(operation?.summary).toContain("Registry mirrors: `reconcile-9f9e9d9c` is already changing nodes.");
});

test.each<[Targets, readonly number[]]>([
  [{ kind: "nodes", nodes: [nameOf(1)] }, [1]],
  [{ kind: "pool", pool: "web" }, [0, 1, 2]],
])("only the nodes that were asked for get the inputs: %j", async (targets, machines) => {
  const here = fleetOf(3);
  await reconcile(here, { inputs: [mirrorsInput], targets });
  expect(here.fleet.changed.flat().toSorted()).toEqual(machines.map(idOf));
});

test.each<[string, Targets, readonly Input[], string, RegExp]>([
  ["a pool without nodes", { kind: "pool", pool: "batch" }, both, "not-started", /^Pool `batch` has/],
  ["a node that does not exist", { kind: "nodes", nodes: ["ip-10-9-9-9"] }, both, "not-started", /ip-10-9-9-9/],
  [
    "inputs that the configuration does not apply",
    { kind: "all" },
    [{ ...mirrorsInput, reads: () => null }],
    "not-started",
    /cluster\.inputs/,
  ],
  [
    "inputs of which none can be read",
    { kind: "all" },
    [{ ...mirrorsInput, reads: () => [] }],
    "refused",
    /Image\/cluster/,
  ],
])("an operation for %s changes nothing", async (_what, targets, inputs, status, words) => {
  const here = fleetOf(2);
  const operation = await reconcile(here, { targets, inputs });
  expect(here.fleet.changed).toEqual([]);
  expect(operation?.status).toBe(status);
  expect(operation?.summary).toMatch(words);
});

test("an operation whose nodes others hold changes nothing, and says of those that were named why", async () => {
  const here = fleetOf(2, { held: [0, 1] });
  const operation = await reconcile(here, {
    inputs: [mirrorsInput],
    targets: { kind: "nodes", nodes: [nameOf(0), nameOf(1)] },
  });
  expect(here.fleet.changed).toEqual([]);
  expect(operation).toMatchObject({ status: "cancelled", endedAt: expect.any(String) });
  expect(here.fleet.said.at(-1)).toContain("Other operations work on every node that differs");
  expect(here.fleet.said.at(-1)).toContain(nameOf(1));
});

test("a person accepts what an input asks, but one that people approve by vote is put to the vote again", async () => {
  const here = fleetOf(1);
  const steps = here.steps();
  const watch = steps.inputWatches.of("any");
  const done: string[] = [];
  const watchOf = (rule: string) => ({
    ...watch,
    accept: async () => void done.push(`accept ${rule}`),
    askAgain: async () => void done.push(`ask again ${rule}`),
  });
  Object.assign(steps, { inputWatches: { of: watchOf } });
  await reconcile(here, { steps, inputs: [mirrorsInput, { ...kubeletClientsInput, approval: "trust" }] });
  expect(done).toEqual(["accept mirrors", "ask again authority"]);
  await reconcile(here, { steps, inputs: [mirrorsInput], id: "reconcile-1a1b2c3d", dryRun: true });
  expect(done).toHaveLength(2);
});
