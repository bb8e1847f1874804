import { mkdirSync, writeFileSync } from "node:fs";
import type { DurableContext } from "@aws/durable-execution-sdk-js";
import { SendDurableExecutionCallbackSuccessCommand } from "@aws-sdk/client-lambda";
import { afterAll, expect, test } from "vitest";
import { reconcileByRule } from "../../lambdas/capabilities/reconcile/tick.ts";
import { durableClient } from "../../lambdas/clients/durable.ts";
import { valueFor } from "../../lambdas/inputs/input.ts";
import { mirrorsInput } from "../../lambdas/inputs/mirrors/input.ts";
import type { Lease } from "../../lambdas/steps/ledger/leases.ts";
import type { Steps } from "../../lambdas/steps/steps.ts";
import type { KubeObject } from "../../lib/sandbox/kubernetes/model/object.ts";
import { MirrorFleet, mirrorSetOf } from "../change/inputs/mirror-fleet.ts";
import { setUp, tearDown } from "../engine/durable-engine.ts";
import { ending, invokeLater, mountDurable } from "../sandbox/durable/backends.ts";
import { pass, type Raised, raise } from "../sandbox/durable/harness.ts";
import { type TestSimulator, testSimulator } from "../steps/test-simulator.ts";
import { type MirrorFigures, mostCalls, mostCommands } from "./mirror-figures.ts";

/** Sizes of the clusters. */
const SIZES = [10, 100, 1_000];

/** Registries of the mirror set. */
const REGISTRIES = 200;

/** Time limit of one size on a slow host. */
const WITHIN = 5 * 60_000;

const figures: MirrorFigures[] = [];

afterAll(() => {
  mkdirSync(".bench", { recursive: true });
  writeFileSync(".bench/mirrors.json", JSON.stringify(figures));
});

/** Runs one tick of the schedule, for mirrors alone. @returns the seconds that it took, its operations and its checkpoints */
async function tick(stepsOn: (raised: Raised) => Steps, name: string, passing: typeof pass) {
  let checkpoints = 0;
  const raised = raise({
    gate: (when, { url }) => {
      if (when === "before" && url.includes("checkpoint")) checkpoints += 1;
    },
  });
  const steps = stepsOn(raised);
  const work = (_event: unknown, ctx: DurableContext) => reconcileByRule({ ctx, steps }, name, [mirrorsInput]);
  mountDurable(raised, "workflow", work, durableClient(raised.lambda));
  const began = Date.now();
  const run = async () => ending(raised, await invokeLater(raised.lambda, "workflow:live", { tick: name }));
  expect(await passing(run())).toBe("SUCCEEDED");
  const operations = raised.service.executions()[0]?.operationCount ?? Number.NaN;
  return { seconds: (Date.now() - began) / 1_000, operations, checkpoints };
}

/** Seconds that a command takes on a machine, its agent included (assumed: 3 to 9). */
const secondsOf = (instanceId: string): number => 3 + (Number(instanceId.slice(-4)) % 7);

/** Commands that take their time: each ends with its slowest machine, and its event wakes the wait. */
function paced(steps: Steps, { lambda }: Raised): Steps {
  const ends = new Map<string, number>();
  const { change, verdicts } = steps.fleet;
  const fleet = {
    ...steps.fleet,
    change: async (leases: readonly Lease[], order: Parameters<typeof change>[1]) => {
      const sent = await change(leases, order);
      const slowest = Math.max(...leases.map(({ instanceId }) => secondsOf(instanceId)));
      if (sent.state === "sent") ends.set(sent.commandId, Date.now() + slowest * 1_000);
      return sent;
    },
    verdicts: async (...[script, commandId, ids]: Parameters<typeof verdicts>) =>
      Date.now() >= (ends.get(commandId) ?? 0)
        ? verdicts(script, commandId, ids)
        : ids.map((instanceId) => ({ instanceId, state: "running", status: "InProgress" }) as const),
  };
  const awaitFleet = async (commandId: string, callbackId: string): Promise<void> => {
    const left = (ends.get(commandId) ?? 0) - Date.now();
    const wake = () => lambda.send(new SendDurableExecutionCallbackSuccessCommand({ CallbackId: callbackId }));
    if (left > 0) setTimeout(() => void wake(), left);
  };
  return { ...steps, fleet, ledger: { ...steps.ledger, awaitFleet } };
}

/** A mirror set is edited: every file of every node changes. */
async function change(nodes: number) {
  await setUp();
  try {
    const here = new MirrorFleet(nodes, REGISTRIES);
    await here.tick("tick-1");
    here.edit();
    const before = here.fleet.changed.length;
    const ended = await tick((raised) => paced(here.steps(), raised), "tick-2", pass);
    expect(here.fleet.operation?.summary).toBe(`${nodes} nodes updated.`);
    return { ...ended, sendCommands: here.fleet.changed.length - before };
  } finally {
    await tearDown();
  }
}

/** Nodes that have what a mirror set wants, as the ledger records it. */
async function seedNodes(simulator: TestSimulator, nodes: number): Promise<void> {
  const { kubernetes, configuration } = simulator;
  const set = mirrorSetOf(REGISTRIES, "first");
  kubernetes.create(set as KubeObject);
  const facts = { configuration, given: [], now: 0, isRequested: false, images: [], payload: null, accepted: [] };
  const content = mirrorsInput.content([[], [set], [], [{ spec: {} }]], facts);
  if (typeof content === "string") throw new Error(`it needs the ${content}`);
  const { given } = simulator.as("reconcile").machines;
  for (let at = 0; at < nodes; at += 1) {
    const instanceId = `i-${String(at).padStart(17, "0")}`;
    const metadata = {
      name: `ip-10-0-${at >> 8}-${at & 255}.us-west-2.compute.internal`,
      labels: { "kubernetes.io/os": "windows", "casement.dev/pool": "web" },
    };
    const spec = { providerID: `aws:///us-west-2a/${instanceId}` };
    kubernetes.create({ apiVersion: "v1", kind: "Node", metadata, spec } as unknown as KubeObject);
    await given.record(instanceId, "seed:0", "mirrors", (had) => valueFor(mirrorsInput, content, had));
  }
}

/** Calls so far, by service and action. */
function callsOf({ simulation }: TestSimulator): readonly string[] {
  const all: string[] = [];
  for (let page = simulation.calls.after(0); page.length > 0; page = simulation.calls.after(page.at(-1)?.seq ?? 0))
    all.push(...page.map(({ service, action }) => `${service} ${action}`));
  return all;
}

/** A tick at which every node has what is wanted. @returns the calls of the function, its checkpoints included */
async function quiet(nodes: number): Promise<readonly string[]> {
  const simulator = await testSimulator();
  try {
    await seedNodes(simulator, nodes);
    const here = async <T>(work: Promise<T>): Promise<T> => work;
    await tick(() => simulator.as("reconcile"), "tick-1", here);
    const before = callsOf(simulator).length;
    const { checkpoints } = await tick(() => simulator.as("reconcile"), "tick-2", here);
    return [...callsOf(simulator).slice(before), ...Array<string>(checkpoints).fill("lambda checkpoint")];
  } finally {
    await simulator.close();
  }
}

test.for(SIZES)(
  "%i nodes get an edited mirror set in few calls and little more time than ten",
  {
    timeout: WITHIN,
  },
  async (nodes) => {
    const calls = await quiet(nodes);
    expect(calls).not.toContain("ssm SendCommand");
    expect(calls.length).toBeLessThanOrEqual(mostCalls(nodes));
    const { sendCommands, seconds, operations } = await change(nodes);
    figures.push({ nodes, quietCalls: calls.length, sendCommands, seconds, operations });
    expect(sendCommands).toBeLessThanOrEqual(mostCommands(nodes));
    expect(operations).toBeLessThanOrEqual(600);
    expect(seconds).toBeLessThanOrEqual(1.5 * (figures[0]?.seconds ?? 0));
  },
);
