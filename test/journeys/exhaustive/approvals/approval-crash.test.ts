import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { lambdaName } from "../../../../lib/sandbox/simulator.ts";
import { expectSound, heldBack, newest, settled } from "../../evidence.ts";
import type { Journey } from "../../journey.ts";
import { type DurableOperation, durableOperations, killAtEach, kills } from "../../killing.ts";
import { paged } from "../../mirroring.ts";
import { forcedDrain, isCordoned } from "../../on-web.ts";
import { openly } from "../../reading.ts";
import { withSeedNodes } from "../../removal.ts";

const WORKFLOW = lambdaName("drain-node");

let here: Journey;
beforeEach(() => {
  // The SDK writes every refused checkpoint to the log.
  vi.spyOn(console, "error").mockReturnValue(undefined);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await here.close();
});

/** Drains the node after an approval. */
async function drain(): Promise<void> {
  await here.type("operator", forcedDrain);
  const request = async () => (await newest(here)).operation;
  await here.until(async () => (await request()).messageTs !== null, 10, "the card");
  await here.type("approver", `/win approve ${(await request()).id}`);
  await settled(here);
}

describe("a drain that needs an approval and whose process dies", () => {
  let whole: readonly DurableOperation[];
  beforeAll(async () => {
    here = await withSeedNodes();
    await drain();
    whole = durableOperations(here, (await newest(here)).operation.executionArn);
    await here.close();
  });

  test.for(kills)("at each of its operations asks once, and drains the node (%s, %s)", async (kill) => {
    here = await withSeedNodes();
    expect(whole.map(({ name }) => name)).toContain("ask for approval 1");
    const { expectDied } = killAtEach(here, WORKFLOW, whole, kill);
    await drain();
    expectDied();
    const { operation } = await newest(here);
    expect(operation).toMatchObject({ status: "succeeded", approval: { state: "approved", asking: 1 } });
    expect(operation.approval?.votes).toHaveLength(1);
    expect(isCordoned(here)).toBe(true);
    expect(openly(here)).toHaveLength(1);
    expect(paged(here).filter((one) => one.includes("waiting for an approval"))).toHaveLength(1);
    expect(await heldBack(here)).toEqual([]);
    await expectSound(here);
  });
});
