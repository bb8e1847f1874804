import { afterEach, expect, test } from "vitest";
import { APPROVE_OPERATION } from "../../../../lambdas/messages/slack/buttons.ts";
import { expectSound, newest, settled } from "../../evidence.ts";
import type { Journey } from "../../journey.ts";
import { poolsWith } from "../../maintenance.ts";
import { SHORT } from "../../on-web.ts";
import { web } from "../../others.ts";
import { openly, privately } from "../../reading.ts";
import { release } from "../../releases.ts";
import { withSeedNodes } from "../../removal.ts";

let here: Journey;
afterEach(() => here.close());

const drain = `/win drain ${SHORT} --force ${web.name}`;
const strict = { policy: { cordon: ["approver"] }, approvals: { cordon: { needs: 2 } } };
const poolsOf = (rules: object) => ({ pools: { ...poolsWith({}), web: { ...poolsWith({}).web, ...rules } } });

/** Rules as a later release may write them. */
const unknownShape = poolsOf({ ...strict, approvals: { cordon: { needs: 3 } } });

test("A pool whose rules cannot be read allows nobody a change, and another pool's go on", async () => {
  here = await withSeedNodes({ configuration: poolsOf(strict) });
  release(here, unknownShape);
  await here.type("operator", `/win cordon ${SHORT}`);
  await settled(here);
  expect((await newest(here)).operation.status).toBe("refused");
  expect(privately(here, "operator").at(-1)).toContain("Casement cannot read the rules of pool `web`");
  await here.type("approver", `/win cordon ${SHORT}`);
  await settled(here);
  expect((await newest(here)).operation.status).toBe("refused");
  await here.type("operator", "/win add batch 1 --dry-run");
  await settled(here);
  expect((await newest(here)).operation.status).toBe("succeeded");
  expect(openly(here)).toEqual([]);
  await expectSound(here);
});

test("The help, the doctor and an answer to who asks name the pool", async () => {
  here = await withSeedNodes({ configuration: poolsOf(strict) });
  release(here, unknownShape);
  await here.pass(6);
  for (const typed of ["/win help", "/win add web 1"]) {
    await here.type("operator", typed);
    expect(privately(here, "operator").at(-1)).toContain("Casement cannot read the rules of pool `web`");
  }
  await here.type("operator", "/win doctor");
  await settled(here);
  expect(privately(here, "operator").at(-1)).toContain("rules of pool `web` cannot be read");
  await here.pass(20);
  expect(openly(here).join()).not.toContain("changed who may do what");
});

test("What waits in such a pool is approved by nobody, and can be cancelled", async () => {
  here = await withSeedNodes({ configuration: poolsOf({ approvals: { drain: { needs: 1 } } }) });
  await here.type("operator", drain);
  await here.until(async () => (await newest(here)).operation.approval?.state === "open", 10, "the question");
  release(here, unknownShape);
  await here.press("approver", APPROVE_OPERATION);
  await here.pass(5);
  const { operation } = await newest(here);
  expect(operation).toMatchObject({ status: "waiting", approval: { state: "open", votes: [] } });
  await here.type("operator", `/win cancel ${operation.id}`);
  await settled(here);
  expect((await newest(here)).operation.status).toBe("cancelled");
  await expectSound(here);
});
