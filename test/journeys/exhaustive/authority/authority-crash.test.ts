import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { lambdaName } from "../../../../lib/sandbox/simulator.ts";
import { expectSound, heldBack, settled } from "../../evidence.ts";
import type { Journey } from "../../journey.ts";
import { commandedBy, type DurableOperation, durableOperations, killAtEach, kills } from "../../killing.ts";
import { authorityOn, nodes, replaceSignerOf, startTalking } from "../../kubelet-signer.ts";

const WORKFLOW = lambdaName("update-authority");

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

describe("a change of the kubelets' client authority whose process dies", () => {
  let whole: readonly DurableOperation[];
  beforeAll(async () => {
    here = await startTalking(nodes);
    await change();
    whole = durableOperations(here, (await operations())[0]?.executionArn);
    await here.close();
  });

  test.for(kills)("at each of its operations gives every machine the file once (%s, %s)", async (kill) => {
    here = await startTalking(nodes);
    const before = nodes.map((node) => authorityOn(here, node));
    const { names, expectDied } = killAtEach(here, WORKFLOW, whole, kill);
    expect(names).toContain("settle the rest");
    await change();
    expectDied();
    const [operation, ...others] = await operations();
    expect(others).toEqual([]);
    expect(operation).toMatchObject({ status: "succeeded", summary: "3 nodes updated." });
    const after = nodes.map((node) => authorityOn(here, node));
    expect(after.every((hash, at) => hash !== before[at] && hash === after[0])).toBe(true);
    const ids = commandedBy(here, operation?.id ?? "none");
    expect(ids.toSorted()).toEqual(nodes.map(({ instanceId }) => instanceId).toSorted());
    expect((await here.nodes(operation?.id ?? "")).map(({ status }) => status)).toEqual(Array(3).fill("succeeded"));
    expect(here.simulator.topic.notifications()).toEqual([]);
    expect(await heldBack(here)).toEqual([]);
    await expectSound(here);
  });
});
