import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { APPROVE_OPERATION } from "../../../../lambdas/messages/slack/buttons.ts";
import { calls, newest } from "../../evidence.ts";
import type { Journey } from "../../journey.ts";
import { web } from "../../others.ts";
import { inThreads, openly } from "../../reading.ts";
import { askApproval, expectGone } from "../../removal.ts";
import { type Moment, type Restarts, recordRestarts } from "../../restarts.ts";

const moments: readonly Moment[] = [
  { after: "the card was posted", service: "slack", action: "chat.postMessage", count: 1 },
  { after: "the approvers were called", service: "slack", action: "chat.postMessage", count: 2 },
  {
    after: "the vote was passed on",
    service: "lambda",
    action: "SendDurableExecutionCallbackSuccess",
    principal: "front-door",
    count: 2,
  },
];

let restarts: Restarts;
let here: Journey | undefined;

beforeAll(async () => {
  restarts = await recordRestarts({ seedNodes: true }, moments, async (first) => {
    await askApproval(first, web);
    await first.pass(1);
    await first.press("approver", APPROVE_OPERATION);
    await expectGone(first, web);
  });
});
afterEach(async () => {
  await here?.close();
  here = undefined;
});
afterAll(() => restarts.end());

test.each(moments)("a process that dies right after $after waits on, and removes the node once", async ({ after }) => {
  here = await restarts.from(after);
  if (after !== "the vote was passed on") await here.press("approver", APPROVE_OPERATION);
  await expectGone(here, web);
  expect((await newest(here)).operation.approval).toMatchObject({ asking: 1, votes: [{ userId: "U0APPROVER" }] });
  expect(openly(here)).toHaveLength(1);
  expect(inThreads(here).filter((line) => line.includes("this plan needs 1 approval"))).toHaveLength(1);
  expect(calls(here, "ec2").filter(({ action }) => action === "TerminateInstances").length).toBeLessThanOrEqual(1);
});
