import { afterEach, expect, test } from "vitest";
import { APPROVE_OPERATION } from "../../../../lambdas/messages/slack/buttons.ts";
import { heldBack, newest, settled } from "../../evidence.ts";
import type { Journey } from "../../journey.ts";
import { isCordoned, ownerShown, run, SHORT } from "../../on-web.ts";
import { running, web } from "../../others.ts";
import { openly } from "../../reading.ts";
import { withSeedNodes } from "../../removal.ts";

let here: Journey;
afterEach(() => here.close());

test("a drain asks for an approval, empties the node, leaves it cordoned for the requester, and the pods run elsewhere", async () => {
  here = await withSeedNodes();
  const document = "AWS-RunPatchBaseline";
  here.simulator.ssm.associations.create({ document, instanceIds: [web.instanceId], name: "patch-nightly" });
  await here.type("operator", `/win drain ${SHORT} --force ${web.name} --reason "disk errors"`);
  await here.until(() => /Needs 1 approval/.test(openly(here).at(-1) ?? ""), 5, "the card");
  expect(openly(here).at(-1)).toMatch(/is drained and stays cordoned[\s\S]*will be evicted/);
  expect(openly(here).at(-1)).toMatch(/SSM association `patch-nightly` runs `AWS-RunPatchBaseline` on it/i);
  expect(isCordoned(here)).toBe(false);
  await here.press("approver", APPROVE_OPERATION);
  await settled(here, 60);
  expect(await heldBack(here)).toEqual([]);
  const { operation } = await newest(here);
  expect(operation.summary).toMatch(
    /is drained: \d+ pods? evicted\. It stays cordoned until \{win\} uncordon ip-10-0-3-7\.$/,
  );
  expect(operation.status).toBe("succeeded");
  expect(ownerShown(here)).toBe(operation.id);
  await here.until(() => running(here, "storefront") === 2, 10);
  expect(openly(here).at(-1)).toMatch(/✅ Drain ip-10-0-3-7[\s\S]*Reason: disk errors[\s\S]*: drained after/);
  await here.pass(31);
  expect(isCordoned(here)).toBe(true);
  await run(here, `uncordon ${SHORT}`, 60);
  expect(isCordoned(here)).toBe(false);
  expect(ownerShown(here)).toBeUndefined();
});
