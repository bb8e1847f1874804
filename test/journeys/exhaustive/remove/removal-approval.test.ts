import { afterEach, expect, test } from "vitest";
import { APPROVE_OPERATION } from "../../../../lambdas/messages/slack/buttons.ts";
import { newest } from "../../evidence.ts";
import type { Journey } from "../../journey.ts";
import { stateOf, web } from "../../others.ts";
import { inThreads, openly, privately } from "../../reading.ts";
import { askApproval, expectGone, withSeedNodes } from "../../removal.ts";

let here: Journey;
afterEach(() => here.close());

test("a removal of many pods waits for somebody else's approval, shows the plan, and goes on with it", async () => {
  here = await withSeedNodes();
  const { id } = await askApproval(here, web);
  const [card] = openly(here);
  for (const words of [
    web.name,
    web.instanceId,
    "pods will be evicted",
    "Needs 1 approval",
    "`approver`",
    "[Approve]",
    "[Deny]",
  ])
    expect(card).toContain(words);
  expect(inThreads(here).join("\n")).toContain("<@U0APPROVER> <@U0APPROVER2> this plan needs 1 approval");
  await here.press("visitor", APPROVE_OPERATION);
  expect(privately(here, "visitor").at(-1)).toContain("do not have permission to use `approve`");
  await here.pass(3);
  expect(stateOf(here, web)).toBe("running");
  await here.press("approver", APPROVE_OPERATION);
  expect(privately(here, "approver").at(-1)).toContain(`Your approval of \`${id}\` is recorded`);
  await expectGone(here, web);
  const { operation } = await newest(here);
  expect(operation.approval).toMatchObject({
    state: "approved",
    votes: [{ userId: "U0APPROVER", decision: "approve" }],
  });
  expect(openly(here)[0]).toContain("approved by <@U0APPROVER>");
  expect(openly(here)[0]).not.toContain("[Approve]");
});
