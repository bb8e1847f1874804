import { afterEach, expect, test } from "vitest";
import { APPROVE_OPERATION } from "../../../../lambdas/messages/slack/buttons.ts";
import { expectSound, settled } from "../../evidence.ts";
import type { Journey } from "../../journey.ts";
import { operationOf, passTo, poolsWith, saturday } from "../../maintenance.ts";
import { isCordoned, SHORT } from "../../on-web.ts";
import { web } from "../../others.ts";
import { inThreads, openly } from "../../reading.ts";
import { release } from "../../releases.ts";
import { withSeedNodes } from "../../removal.ts";

let here: Journey;
afterEach(() => here.close());

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
