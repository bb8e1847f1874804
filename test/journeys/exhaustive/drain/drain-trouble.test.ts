import { afterEach, describe, expect, test } from "vitest";
import { APPROVE_OPERATION, CANCEL_OPERATION } from "../../../../lambdas/messages/slack/buttons.ts";
import { calls, heldBack, newest, settled } from "../../evidence.ts";
import type { Journey } from "../../journey.ts";
import { isCordoned, SHORT, unasked } from "../../on-web.ts";
import {
  allowDisruptions,
  cordonByHand,
  guardedPod,
  kubectl,
  otherWeb,
  podOn,
  podsOn,
  running,
  web,
} from "../../others.ts";
import { endFault, injectFault } from "../../outside.ts";
import { openly } from "../../reading.ts";
import { withSeedNodes } from "../../removal.ts";
import { remover } from "../../restarts.ts";

let here: Journey;
afterEach(() => here.close());

const drain = `/win drain ${SHORT} --force ${web.name}`;
const stageNow = async () => (await newest(here)).nodes[0]?.stage;

/** Starts a drain and waits until it is in a stage. */
async function drainUntil(stage: string): Promise<void> {
  await here.type("operator", drain);
  await here.until(async () => (await stageNow()) === stage, 10, `the stage ${stage}`);
}

/** Waits for the end of the drain, after which nothing is held. */
async function ended(minutes = 60): Promise<{ readonly status: string; readonly summary: string }> {
  await settled(here, minutes);
  expect(await heldBack(here)).toEqual([]);
  return (await newest(here)).operation;
}

const drained = { status: "succeeded", summary: expect.stringContaining("is drained") };

describe("A drain goes on", () => {
  test("while the API server throttles it, and evicts each pod once", async () => {
    here = await unasked("drain");
    const fault = injectFault(here, "kubernetes-throttle", { principal: remover, resource: "pods/eviction" }, 12);
    await here.type("operator", drain);
    expect(await ended()).toMatchObject(drained);
    expect(endFault(here, fault)).toBe(false);
    const taken = calls(here, "kubernetes", "create pods/eviction").filter(({ status }) => status === 201);
    expect(podsOn(here, web).filter((name) => name.startsWith("shop"))).toEqual([]);
    expect(taken.length).toBeGreaterThan(0);
  });

  test("after an API server that answered 503 for forty seconds", async () => {
    here = await unasked("drain");
    await guardedPod(here, web);
    await drainUntil("evict");
    const fault = injectFault(here, "kubernetes-5xx", { principal: remover });
    await here.pass(40 / 60);
    endFault(here, fault);
    await allowDisruptions(here);
    expect(await ended()).toMatchObject(drained);
    expect(isCordoned(here)).toBe(true);
  });

  test("while Slack is down, and its message is made right afterwards", async () => {
    here = await unasked("drain");
    await guardedPod(here, web);
    await drainUntil("evict");
    const away = ["chat.update", "chat.postMessage"].map((method) => injectFault(here, "slack-5xx", { method }));
    await allowDisruptions(here);
    await here.until(() => running(here, "guarded") === 0, 10, "the eviction");
    await here.pass(4);
    for (const fault of away) endFault(here, fault);
    expect(await ended()).toMatchObject(drained);
    expect(openly(here)[0]).toContain("✅ Drain ip-10-0-3-7");
  });

  test("with the approval that it has when the plan got better meanwhile", async () => {
    here = await withSeedNodes();
    await guardedPod(here, web);
    await here.type("operator", drain);
    await here.until(() => /⛔ Disruption budget/.test(openly(here).at(-1) ?? ""), 5, "the question");
    await allowDisruptions(here);
    await here.press("approver", APPROVE_OPERATION);
    expect(await ended()).toMatchObject(drained);
    expect((await newest(here)).operation.approval?.asking).toBe(1);
  });

  test("to a good end when the Node is deleted in the middle of it", async () => {
    here = await unasked("drain");
    await guardedPod(here, web);
    await drainUntil("evict");
    await kubectl(here, "DELETE", `/api/v1/nodes/${web.name}`);
    expect(await ended()).toMatchObject({ status: "succeeded", summary: expect.stringContaining("no longer exists") });
  });

  test("once a job that must not be interrupted has ended, and its card said how long it had run", async () => {
    here = await unasked("drain");
    const metadata = { annotations: { "casement.dev/do-not-disrupt": "true" } };
    here.simulator.kubernetes.create(podOn(web, "nightly", { metadata }));
    await here.until(() => running(here, "nightly") === 1, 2, "the job");
    await drainUntil("evict");
    await here.until(
      () => /nightly[\s\S]*must not be interrupted|nightly[\s\S]*do-not-disrupt/.test(openly(here)[0] ?? ""),
      5,
      "the job's name",
    );
    await kubectl(here, "DELETE", "/api/v1/namespaces/default/pods/nightly", { gracePeriodSeconds: 0 });
    expect(await ended()).toMatchObject(drained);
  });
});

test("A drain whose node others made schedulable evicts nothing more, and says so", async () => {
  here = await unasked("drain");
  await guardedPod(here, web);
  await drainUntil("evict");
  await cordonByHand(here, web, false);
  await allowDisruptions(here);
  const { status, summary } = await ended();
  expect([status, summary]).toEqual(["failed", expect.stringMatching(/schedulable|uncordoned|not cordoned/)]);
  expect(running(here, "guarded")).toBe(1);
});

test("A drain evicts nothing before the load balancers had their time, which starts with the cordon", async () => {
  here = await withSeedNodes();
  const { pools } = here.configuration;
  await here.close();
  const slow = { ...pools, web: { ...pools.web, connectionSeconds: 240 } };
  here = await withSeedNodes({ configuration: { approvals: { drain: { needs: 0 } }, pools: slow } });
  await drainUntil("evict");
  const cordonedAt = Date.now();
  await here.pass(3.8);
  const evictions = () =>
    calls(here, "kubernetes", "create pods/eviction").filter(({ at }) => Date.parse(at) > cordonedAt);
  expect(evictions()).toEqual([]);
  expect(await ended()).toMatchObject(drained);
  expect(evictions().length).toBeGreaterThan(0);
});

describe("A drain is cancelled", () => {
  test("while it waits for a slot, and nothing was changed", async () => {
    here = await unasked("drain");
    await cordonByHand(here, otherWeb);
    await drainUntil("slot");
    await here.press("operator", CANCEL_OPERATION);
    expect(await ended()).toMatchObject({ status: "cancelled" });
    expect(isCordoned(here)).toBe(false);
  });

  test("while connections have their time to end, and the node is given back to its load balancers", async () => {
    here = await unasked("drain");
    await drainUntil("evict");
    await here.press("operator", CANCEL_OPERATION);
    expect(await ended()).toMatchObject({ status: "cancelled" });
    expect(isCordoned(here)).toBe(false);
  });

  test("while it waits for the approval, and nothing was changed", async () => {
    here = await withSeedNodes();
    await here.type("operator", drain);
    await here.until(() => /\[Approve\]/.test(openly(here).at(-1) ?? ""), 5, "the question");
    await here.type("operator", `/win cancel ${(await newest(here)).operation.id}`);
    expect(await ended()).toMatchObject({ status: "cancelled" });
    expect(isCordoned(here)).toBe(false);
  });
});
