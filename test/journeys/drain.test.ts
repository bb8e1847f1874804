import { afterEach, describe, expect, test } from "vitest";
import { APPROVE_OPERATION } from "../../lambdas/messages/slack/buttons.ts";
import { heldBack, newest, settled } from "./evidence.ts";
import type { Journey } from "./journey.ts";
import { isCordoned, ownerShown, run, SHORT, unasked } from "./on-web.ts";
import { podOn, podsOn, running, web } from "./others.ts";
import { openly, privately } from "./reading.ts";
import { withSeedNodes } from "./removal.ts";

let here: Journey;
afterEach(() => here.close());

describe("A drain", () => {
  test("asks for an approval, empties the node, leaves it cordoned for the requester, and the pods run elsewhere", async () => {
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
    expect(operation.summary).toMatch(/is drained: \d+ pods? evicted\. It stays cordoned until \/win uncordon\./);
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

  test("shows its plan to the requester alone with --dry-run, and changes nothing", async () => {
    here = await unasked("drain");
    const pods = podsOn(here, web);
    await run(here, `drain ${SHORT} --dry-run`, 60);
    expect(privately(here, "operator").at(-1)).toMatch(
      /Plan to drain[\s\S]*will be evicted[\s\S]*To apply: `\/win drain/,
    );
    expect(podsOn(here, web)).toEqual(pods);
    expect(isCordoned(here)).toBe(false);
  });

  test("evicts nothing while a pod would be lost, and names the option that allows it", async () => {
    here = await unasked("drain");
    here.simulator.kubernetes.create(podOn(web, "by-hand"));
    await here.pass(1);
    const pods = podsOn(here, web);
    await run(here, `drain ${SHORT}`, 60);
    expect((await newest(here)).operation.status).toBe("refused");
    expect(openly(here).at(-1)).toMatch(/nothing was evicted: nothing recreates default\/by-hand: --force evicts/);
    expect(podsOn(here, web)).toEqual(pods);
    expect(isCordoned(here)).toBe(false);
  });

  test("takes --force only with the node's whole name behind it", async () => {
    here = await unasked("drain");
    await run(here, `drain ${SHORT} --force ${SHORT}`, 60);
    expect((await newest(here)).operation.status).toBe("not-started");
    expect(privately(here, "operator").at(-1)).toContain("--force takes the whole name of the node");
    expect(isCordoned(here)).toBe(false);
  });
});
