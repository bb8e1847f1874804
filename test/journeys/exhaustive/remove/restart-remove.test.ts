import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { calls, settled } from "../../evidence.ts";
import type { Journey } from "../../journey.ts";
import { web } from "../../others.ts";
import { dialogOf, inThreads, openly } from "../../reading.ts";
import { confirmRemoval, expectGone } from "../../removal.ts";
import { type Moment, type Restarts, recordRestarts, remover } from "../../restarts.ts";

const moments: readonly Moment[] = [
  { after: "the dialog showed its facts", service: "slack", action: "views.update", count: 1 },
  {
    after: "the answer was passed on",
    service: "lambda",
    action: "SendDurableExecutionCallbackSuccess",
    principal: "front-door",
    count: 1,
  },
  { after: "the message was posted", service: "slack", action: "chat.postMessage", count: 1 },
  { after: "the node was cordoned", service: "kubernetes", action: "patch nodes", principal: remover, count: 1 },
  {
    after: "the first pod was evicted",
    service: "kubernetes",
    action: "create pods/eviction",
    principal: remover,
    count: 1,
    since: "the node was cordoned",
  },
  { after: "the instance was terminated", service: "ec2", action: "TerminateInstances", count: 1 },
];

describe("a process that dies during a removal and is started again on its files", () => {
  let restarts: Restarts;
  let here: Journey | undefined;

  beforeAll(async () => {
    restarts = await recordRestarts({ seedNodes: true }, moments, async (first) => {
      await confirmRemoval(first, "ip-10-0-3-7");
      await settled(first);
    });
  });
  afterEach(async () => {
    await here?.close();
    here = undefined;
  });
  afterAll(() => restarts.end());

  test.each(moments)("right after $after, finishes it once", async ({ after }) => {
    here = await restarts.from(after);
    if (after === "the dialog showed its facts") await answer(here);
    await expectGone(here, web);
    const [message, ...more] = openly(here);
    expect(more).toEqual([]);
    expect(message).toContain("✅ Remove ip-10-0-3-7");
    const told = inThreads(here);
    expect(new Set(told).size).toBe(told.length);
    expect(calls(here, "ec2").filter(({ action }) => action === "TerminateInstances").length).toBeLessThanOrEqual(1);
  });
});

/** The dialog is still open at the requester's, whatever became of the process. */
async function answer(here: Journey): Promise<void> {
  await here.until(() => dialogOf(here, "operator").includes("[Remove]"), 6, "the dialog's facts");
  await here.submit("operator");
}
