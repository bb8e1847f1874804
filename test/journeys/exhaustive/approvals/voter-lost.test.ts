import { afterEach, expect, test, vi } from "vitest";
import { APPROVE_OPERATION } from "../../../../lambdas/messages/slack/buttons.ts";
import { expectSound, settled } from "../../evidence.ts";
import type { Journey } from "../../journey.ts";
import { operationOf, passTo, poolsWith, saturday } from "../../maintenance.ts";
import { isCordoned, SHORT } from "../../on-web.ts";
import { web } from "../../others.ts";
import { endFault, injectFault } from "../../outside.ts";
import { inThreads, openly } from "../../reading.ts";
import { release } from "../../releases.ts";
import { withSeedNodes } from "../../removal.ts";

let here: Journey;
afterEach(() => {
  vi.restoreAllMocks();
  return here.close();
});

const drain = `/win drain ${SHORT} --force ${web.name}`;
const people = { operator: ["U0OPERATOR"], "on-call": ["U0OPERATOR"], approver: ["U0APPROVER", "U0VISITOR0"] };
const isOpen = async (): Promise<boolean> => (await operationOf(here, "drain")).approval?.state === "open";

test("A plan whose approver lost the role before its window is asked about again, and another person approves it", async () => {
  here = await withSeedNodes({ configuration: { people, pools: poolsWith({ maintenance: [saturday()] }) } });
  await here.type("operator", drain);
  await here.until(isOpen, 10, "the question");
  await here.press("approver", APPROVE_OPERATION);
  await settled(here, 75);
  expect(await operationOf(here, "drain")).toMatchObject({ status: "scheduled", approval: { state: "approved" } });
  const said = inThreads(here).length;
  release(here, { people: { ...people, approver: ["U0VISITOR0"] } });
  await passTo(here, "2026-11-21T05:06");
  expect(isCordoned(here)).toBe(false);
  expect(await operationOf(here, "drain")).toMatchObject({ status: "waiting", approval: { state: "open", votes: [] } });
  expect(openly(here)[0]).toContain("[Approve]");
  expect(inThreads(here).slice(said).join()).toContain("<@U0VISITOR0>");
  await here.press("visitor", APPROVE_OPERATION);
  await settled(here, 120);
  expect(await operationOf(here, "drain")).toMatchObject({ status: "succeeded" });
  expect(isCordoned(here)).toBe(true);
  await expectSound(here);
});

test("The first of two voters who loses the role before the second votes approves nothing, and the missing vote is asked for anew", async () => {
  here = await withSeedNodes({ configuration: { people, approvals: { drain: { needs: 2 } } } });
  await here.type("operator", drain);
  await here.until(isOpen, 10, "the question");
  await here.press("approver", APPROVE_OPERATION);
  await here.pass(3);
  expect(await operationOf(here, "drain")).toMatchObject({ approval: { votes: [{ userId: "U0APPROVER" }] } });
  const said = inThreads(here).length;
  release(here, { people: { ...people, approver: ["U0VISITOR0"] } });
  await here.press("visitor", APPROVE_OPERATION);
  await here.pass(5);
  expect(isCordoned(here)).toBe(false);
  expect(await operationOf(here, "drain")).toMatchObject({
    status: "waiting",
    approval: { state: "open", votes: [{ userId: "U0VISITOR0" }] },
  });
  expect(openly(here)[0]).toContain("Approved by <@U0VISITOR0>; 1 more to come");
  expect(inThreads(here).slice(said).join()).toContain("this plan needs 2 approvals");
});

test("While Slack has not said for half an hour who may approve, an approved plan waits in its window", async () => {
  here = await withSeedNodes({ configuration: { people, pools: poolsWith({ maintenance: [saturday()] }) } });
  await here.type("operator", drain);
  await here.until(isOpen, 10, "the question");
  await here.press("approver", APPROVE_OPERATION);
  await settled(here, 75);
  const down = injectFault(here, "slack-down");
  vi.spyOn(console, "error").mockReturnValue(undefined);
  await passTo(here, "2026-11-21T05:06");
  expect(isCordoned(here)).toBe(false);
  endFault(here, down);
  await settled(here, 120);
  expect(await operationOf(here, "drain")).toMatchObject({ status: "succeeded" });
  expect(isCordoned(here)).toBe(true);
});
