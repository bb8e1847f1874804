import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { lambdaName } from "../../../../lib/sandbox/simulator.ts";
import { expectSound, heldBack, settled } from "../../evidence.ts";
import type { Journey } from "../../journey.ts";
import { authorityOn, nodes, replaceSignerOf, startTalking } from "../../kubelet-signer.ts";
import { injectFault } from "../../outside.ts";

const WORKFLOW = lambdaName("update-authority");

interface DurableOperation {
  readonly name: string;
  readonly type: string;
}

let here: Journey;
beforeEach(() => {
  // The SDK writes every refused checkpoint to the log.
  vi.spyOn(console, "error").mockReturnValue(undefined);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await here.close();
});

const said = (words: string): number => here.said().filter((one) => one.includes(words)).length;
const operations = async () => (await here.operations()).filter(({ request }) => request.command === "authority");

/** Lets the schedule find the new signer, and the change end. */
async function change(): Promise<void> {
  await replaceSignerOf(here);
  await here.until(() => said("3 nodes updated") === 1, 60, "the change");
  await settled(here, 10);
}

/** The durable operations of the execution that changed the nodes. */
async function recorded(): Promise<DurableOperation[]> {
  const arn = (await operations())[0]?.executionArn;
  const execution = here.simulator.lambda.executions().find((one) => one.arn === arn);
  return here.simulator.simulation.store
    .collection<DurableOperation>(`durable-operations/${execution?.id}`)
    .values()
    .map(({ name, type }) => ({ name, type }));
}

/** Machines that were given a command of this operation, each as often as it was. */
const commanded = (operation: string): string[] =>
  here.simulator.simulation.store
    .collection<{ comment: string; instanceIds: readonly string[] }>("ssm-commands")
    .values()
    .filter(({ comment }) => comment.startsWith(operation))
    .flatMap(({ instanceIds }) => instanceIds);

describe("a change of the kubelets' client authority whose process dies", () => {
  let whole: readonly DurableOperation[];
  beforeAll(async () => {
    here = await startTalking(nodes);
    await change();
    whole = await recorded();
    await here.close();
  }, 60_000);

  test.for([
    ["handler-crash", "before"],
    ["handler-crash", "after"],
    ["handler-crash-at-start", "before"],
    ["handler-crash-at-start", "after"],
  ] as const)("at each of its operations gives every machine the file once (%s, %s)", async ([kind, when]) => {
    here = await startTalking(nodes);
    const before = nodes.map((node) => authorityOn(here, node));
    const atStart = kind === "handler-crash-at-start";
    const hit = whole.filter(({ type }) => !atStart || type === "STEP" || type === "CONTEXT").map(({ name }) => name);
    expect(hit).toContain("settle the rest");
    const names = [...new Set(hit)];
    for (const operation of names) injectFault(here, kind, { function: WORKFLOW, operation, when }, 1);
    await change();
    // One checkpoint may hold the ends of several operations: the process died at it once.
    const died = names.length - here.simulator.simulation.faults.inForce().length;
    expect(died).toBeGreaterThan(names.length * 0.7);
    const [operation, ...others] = await operations();
    expect(others).toEqual([]);
    expect(operation).toMatchObject({ status: "succeeded", summary: "3 nodes updated." });
    const after = nodes.map((node) => authorityOn(here, node));
    expect(after.every((hash, at) => hash !== before[at] && hash === after[0])).toBe(true);
    const ids = commanded(operation?.id ?? "none");
    expect(ids.toSorted()).toEqual(nodes.map(({ instanceId }) => instanceId).toSorted());
    expect((await here.nodes(operation?.id ?? "")).map(({ status }) => status)).toEqual(Array(3).fill("succeeded"));
    expect(here.simulator.topic.notifications()).toEqual([]);
    expect(await heldBack(here)).toEqual([]);
    await expectSound(here);
  });
});
