import { afterEach, expect, test } from "vitest";
import { APPROVE_OPERATION } from "../../../../lambdas/messages/slack/buttons.ts";
import { newest } from "../../evidence.ts";
import type { Journey } from "../../journey.ts";
import { forcedDrain, isCordoned } from "../../on-web.ts";
import { answerTo, openly, privately } from "../../reading.ts";
import { withSeedNodes } from "../../removal.ts";
import { callsSince, expectEnd, readAtNight } from "./night.ts";

// Who may decide at three in the morning, from the channel alone. Two people who press at once for two approvals are in
// ../approvals/approval.test.ts, a freeze that comes in the middle of work in ../stops/stops.test.ts.

let here: Journey;
afterEach(() => here.close());

/** Types a drain that needs an approval, and waits for its plan. */
async function planned(): Promise<void> {
  await here.type("operator", forcedDrain);
  await here.until(() => openly(here).at(-1)?.includes("[Approve]") === true, 5, "the plan");
}

test("who may not approve is answered in private, the plan stays as it was, and the approver's press leads to the end", async () => {
  const approver = ["U0APPROVER", "U0APPROVER2", "U0OPERATOR"];
  here = await withSeedNodes({
    configuration: { people: { operator: ["U0OPERATOR"], "on-call": ["U0OPERATOR"], approver } },
  });
  const since = Date.now();
  await planned();
  const plan = readAtNight(here, /^❓ Drain/, true);
  expect(plan.buttons).toEqual(["Approve", "Deny", "Run without approval…", "Cancel operation"]);
  expect(callsSince(here, since).map(({ words }) => words)).toEqual([
    expect.stringMatching(/^<@U0APPROVER> <@U0APPROVER2> this plan needs 1 approval/),
  ]);
  await plan.press("Approve");
  expect(privately(here, "operator").at(-1)).toMatch(
    /another person must decide\. To withdraw it: `\/win cancel drain-/,
  );
  await here.press("visitor", APPROVE_OPERATION);
  expect(privately(here, "visitor").at(-1)).toContain("You do not have permission to use `approve`");
  expect(readAtNight(here, /^❓ Drain/, true)).toMatchObject({ words: plan.words, buttons: plan.buttons });
  await here.press("approver", APPROVE_OPERATION);
  await expectEnd(here);
  expect(readAtNight(here, /^✅ Drain/).words).toContain("is drained");
});

test("two people who press at the same moment are one drain, and both are answered", async () => {
  here = await withSeedNodes({
    configuration: { people: { operator: ["U0OPERATOR"], approver: ["U0APPROVER", "U0VISITOR0"] } },
  });
  await planned();
  await Promise.all([here.press("approver", APPROVE_OPERATION), here.press("visitor", APPROVE_OPERATION)]);
  await expectEnd(here);
  expect(privately(here, "approver").at(-1)).toMatch(/Your approval of `drain-\w+` is recorded/);
  expect(privately(here, "visitor").at(-1)).toMatch(/drain-\w+/);
  expect((await here.operations()).map(({ request, status }) => [request.command, status])).toEqual([
    ["drain", "succeeded"],
  ]);
  expect(isCordoned(here)).toBe(true);
});

test("a freeze in force refuses in one line with its owner, its reason and what ends it", async () => {
  here = await withSeedNodes({ configuration: { approvals: { drain: { needs: 0 } } } });
  await here.type("operator", '/win freeze web --reason "release night" --for 4h');
  await expectEnd(here, 5);
  expect(readAtNight(here, /^✅ Freeze web/).words).toContain("Pool web is frozen until");
  await here.type("operator", forcedDrain);
  await expectEnd(here, 5);
  const refused = readAtNight(here, /^🚫/);
  expect(refused.words).toMatch(/pool web is frozen until [\s\S]* by olivia \(release night\)/);
  expect(refused.words).toContain("/win thaw web");
  expect((await newest(here)).operation.status).toBe("refused");
  expect(await answerTo(here, "/win nodes")).toMatch(/🧊 Pool `web` is frozen until[\s\S]*release night/);
});
