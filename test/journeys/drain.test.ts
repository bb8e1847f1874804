import { afterEach, describe, expect, test } from "vitest";
import { CORDONED_BY } from "../../lambdas/desired/node-keys.ts";
import { APPROVE_OPERATION } from "../../lambdas/messages/slack/buttons.ts";
import { heldBack, newest, nodeNamed, settled } from "./evidence.ts";
import type { Journey } from "./journey.ts";
import { podOn, podsOn, running, web } from "./others.ts";
import { openly, privately } from "./reading.ts";
import { withSeedNodes } from "./removal.ts";

let here: Journey;
afterEach(() => here.close());

const SHORT = "ip-10-0-3-7";
const isCordoned = (): boolean => nodeNamed(here, web.name)?.spec?.unschedulable === true;
const ownerShown = (): string | undefined => nodeNamed(here, web.name)?.metadata?.annotations?.[CORDONED_BY];

/** A cluster whose drains need no approval. */
const unasked = (deadlines: object = {}) =>
  withSeedNodes({ configuration: { approvals: { drain: { needs: 0 } }, deadlines } });

async function run(command: string): Promise<string> {
  await here.type("operator", `/win ${command}`);
  await settled(here, 60);
  expect(await heldBack(here)).toEqual([]);
  return (await newest(here)).operation.summary;
}

describe("A drain", () => {
  test("asks for an approval, empties the node, leaves it cordoned for the requester, and the pods run elsewhere", async () => {
    here = await withSeedNodes();
    const document = "AWS-RunPatchBaseline";
    here.simulator.ssm.associations.create({ document, instanceIds: [web.instanceId], name: "patch-nightly" });
    await here.type("operator", `/win drain ${SHORT} --force ${web.name} --reason "disk errors"`);
    await here.until(() => /Needs 1 approval/.test(openly(here).at(-1) ?? ""), 5, "the card");
    expect(openly(here).at(-1)).toMatch(/is drained and stays cordoned[\s\S]*will be evicted/);
    expect(openly(here).at(-1)).toMatch(/SSM association `patch-nightly` runs `AWS-RunPatchBaseline` on it/i);
    expect(isCordoned()).toBe(false);
    await here.press("approver", APPROVE_OPERATION);
    await settled(here, 60);
    expect(await heldBack(here)).toEqual([]);
    const { operation } = await newest(here);
    expect(operation.summary).toMatch(/is drained: \d+ pods? evicted\. It stays cordoned until \/win uncordon\./);
    expect(operation.status).toBe("succeeded");
    expect(ownerShown()).toBe(operation.id);
    await here.until(() => running(here, "storefront") === 2, 10);
    expect(openly(here).at(-1)).toMatch(/✅ Drain ip-10-0-3-7[\s\S]*Reason: disk errors[\s\S]*: drained after/);
    await here.pass(31);
    expect(isCordoned()).toBe(true);
    await run(`uncordon ${SHORT}`);
    expect(isCordoned()).toBe(false);
    expect(ownerShown()).toBeUndefined();
  });

  test("shows its plan to the requester alone with --dry-run, and changes nothing", async () => {
    here = await unasked();
    const pods = podsOn(here, web);
    await run(`drain ${SHORT} --dry-run`);
    expect(privately(here, "operator").at(-1)).toMatch(
      /Plan to drain[\s\S]*will be evicted[\s\S]*To apply: `\/win drain/,
    );
    expect(podsOn(here, web)).toEqual(pods);
    expect(isCordoned()).toBe(false);
  });

  test("evicts nothing while a pod would be lost, and names the option that allows it", async () => {
    here = await unasked();
    here.simulator.kubernetes.create(podOn(web, "by-hand"));
    await here.pass(1);
    const pods = podsOn(here, web);
    await run(`drain ${SHORT}`);
    expect((await newest(here)).operation.status).toBe("refused");
    expect(openly(here).at(-1)).toMatch(/nothing was evicted: nothing recreates default\/by-hand: --force evicts/);
    expect(podsOn(here, web)).toEqual(pods);
    expect(isCordoned()).toBe(false);
  });

  test("takes --force only with the node's whole name behind it", async () => {
    here = await unasked();
    await run(`drain ${SHORT} --force ${SHORT}`);
    expect((await newest(here)).operation.status).toBe("not-started");
    expect(privately(here, "operator").at(-1)).toContain("--force takes the whole name of the node");
    expect(isCordoned()).toBe(false);
  });
});
