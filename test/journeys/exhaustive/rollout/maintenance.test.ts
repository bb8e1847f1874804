import { afterEach, describe, expect, test } from "vitest";
import { APPROVE_OPERATION, CANCEL_OPERATION } from "../../../../lambdas/messages/slack/buttons.ts";
import { expectSound, heldBack, newest, settled } from "../../evidence.ts";
import type { Journey } from "../../journey.ts";
import { operationOf, passTo, poolsWith, saturday } from "../../maintenance.ts";
import { isCordoned, SHORT } from "../../on-web.ts";
import { allowDisruptions, guardedPod, kubectl, otherWeb, podOn, running, stateOf, web } from "../../others.ts";
import { endFault, injectFault } from "../../outside.ts";
import { dialogOf, inThreads, openly, privately } from "../../reading.ts";
import { ask, withSeedNodes } from "../../removal.ts";

let here: Journey;
afterEach(() => here.close());

const drain = `/win drain ${SHORT} --force ${web.name}`;
const within = (maintenance = [saturday()], more: object = {}, freezes: object[] = []): Promise<Journey> =>
  withSeedNodes({ configuration: { pools: poolsWith({ maintenance, freezes }), ...more } });
const unasked = { approvals: { drain: { needs: 0 }, reboot: { needs: 0 } } };

const isAsked = async (): Promise<boolean> => (await operationOf(here, "drain")).approval?.state === "open";
const asked = (): Promise<void> => here.until(isAsked, 10, "the question");

/** The operation once it lies in the ledger, or has ended. */
async function atRest(command = "drain", minutes = 75) {
  await settled(here, minutes);
  return operationOf(here, command);
}

/** Goes into the window, and waits for the end of what begins there. */
async function inWindow(command = "drain") {
  await passTo(here, "2026-11-21T05:06");
  return atRest(command);
}

describe("A drain outside of the maintenance of its pool", { timeout: 240_000 }, () => {
  test("waits in the ledger without an execution, and is started in it", async () => {
    here = await within([saturday()], unasked);
    await here.type("operator", drain);
    expect(await atRest()).toMatchObject({
      status: "scheduled",
      summary: expect.stringMatching(/^Waits for the maintenance of pool `web`: Sat 21 Nov 2026, 05:00 to .*07:00 UTC/),
      scheduled: { from: "2026-11-21T05:00:00.000Z", until: "2026-11-21T07:00:00.000Z", part: 1 },
    });
    expect(openly(here)[0]).toMatch(/🗓️ Drain[\s\S]*scheduled[\s\S]*\[Cancel operation\]/);
    await passTo(here, "2026-11-21T04:58");
    expect(isCordoned(here)).toBe(false);
    expect(await inWindow()).toMatchObject({
      status: "succeeded",
      continuedAt: expect.stringContaining("T05:0"),
      endedAt: expect.stringContaining("T05:"),
    });
    expect(isCordoned(here)).toBe(true);
    expect(openly(here)).toHaveLength(1);
    expect(await heldBack(here)).toEqual([]);
    await expectSound(here);
  });

  test("that was approved in advance is started without another question", async () => {
    here = await within();
    await here.type("operator", drain);
    await asked();
    expect(openly(here).join()).toContain("*Waits for the next maintenance of pool `web`*: Sat 21 Nov 2026, 05:00");
    await here.press("approver", APPROVE_OPERATION);
    expect(await atRest()).toMatchObject({ status: "scheduled", approval: { state: "approved" } });
    expect(await inWindow()).toMatchObject({ status: "succeeded", approval: { asking: 1, state: "approved" } });
    await expectSound(here);
  });

  test("is approved though its execution has ended: the vote starts the next one", async () => {
    here = await within();
    await here.type("operator", drain);
    expect(await atRest()).toMatchObject({
      status: "scheduled",
      approval: { state: "open", until: "2026-11-21T07:00:00.000Z" },
      summary: expect.stringContaining("Waits for its approval, and for the maintenance"),
    });
    await here.press("approver", APPROVE_OPERATION);
    expect(await atRest()).toMatchObject({ status: "scheduled", approval: { state: "approved", asking: 1 } });
    expect(await inWindow()).toMatchObject({ status: "succeeded" });
  });

  test("whose plan got worse is asked for anew in the window", async () => {
    here = await within();
    await here.type("operator", drain);
    await asked();
    await here.press("approver", APPROVE_OPERATION);
    await atRest();
    await guardedPod(here, web);
    await passTo(here, "2026-11-21T05:02");
    await here.until(isAsked, 10, "the new question");
    expect((await operationOf(here, "drain")).approval).toMatchObject({
      asking: 2,
      worse: expect.arrayContaining(["a disruption budget blocks"]),
      until: "2026-11-21T07:00:00.000Z",
    });
    expect(isCordoned(here)).toBe(false);
    await here.press("approver", APPROVE_OPERATION);
    await allowDisruptions(here);
    expect(await atRest()).toMatchObject({ status: "succeeded" });
  });

  test("that no one approves waits for the next slot, and says so", async () => {
    here = await within([saturday({ until: "05:45" }), saturday({ from: "06:30" })]);
    await here.type("operator", drain);
    await passTo(here, "2026-11-21T05:52");
    expect(await atRest()).toMatchObject({
      status: "scheduled",
      summary: expect.stringMatching(/^No approval came before its time was over\. Waits for .*06:30/),
      approval: { state: "open", asking: 1, until: "2026-11-21T07:00:00.000Z" },
    });
    expect(inThreads(here).filter((text) => text.includes("this plan needs 1 approval"))).toHaveLength(2);
    await here.press("approver", APPROVE_OPERATION);
    await passTo(here, "2026-11-21T06:36");
    expect(await atRest()).toMatchObject({ status: "succeeded" });
  });

  test("is cancelled by its button while it waits, and never begins", async () => {
    here = await within();
    await here.type("operator", drain);
    await asked();
    await here.press("approver", APPROVE_OPERATION);
    await atRest();
    await here.press("operator", CANCEL_OPERATION);
    expect(await atRest()).toMatchObject({
      status: "cancelled",
      summary: "Cancelled by <@U0OPERATOR> while it waited. Nothing was changed.",
    });
    expect(openly(here)[0]).toContain("⏹️ Drain");
    await passTo(here, "2026-11-21T05:20");
    expect(isCordoned(here)).toBe(false);
    await expectSound(here);
  });

  test("begins at once with --now, for a person who may use break-glass", async () => {
    here = await within([saturday()], unasked);
    await here.type("operator", `${drain} --now "memory is exhausted"`);
    expect(await atRest()).toMatchObject({ status: "succeeded" });
    await here.type("operator", "/win uncordon ip-10-0-3-7");
    await atRest("uncordon");
    await here.type("approver", `${drain} --now "I would like to"`);
    expect(await atRest()).toMatchObject({ status: "refused" });
    expect(privately(here, "approver").at(-1)).toContain("break-glass");
  });

  test("recovers a node that is not Ready at once", async () => {
    here = await within([saturday()], unasked);
    const kubelet = { instanceId: web.instanceId, service: "kubelet" };
    injectFault(here, "service-hangs", { ...kubelet, how: "start" }, 1);
    injectFault(here, "service-crashes", kubelet, 1);
    await here.until(() => !nodeIsReady(), 20, "the node to be NotReady");
    await here.type("operator", drain);
    await here.until(() => isCordoned(here), 10, "the cordon");
    expect(Date.now()).toBeLessThan(Date.parse("2026-11-21T05:00:00Z"));
  });

  test("waits for it although the node was not Ready when it was asked for, once the node is Ready again", async () => {
    here = await within();
    const kubelet = { instanceId: web.instanceId, service: "kubelet" };
    const exits = injectFault(here, "service-exits", kubelet);
    injectFault(here, "service-crashes", kubelet, 1);
    await here.until(() => !nodeIsReady(), 20, "the node to be NotReady");
    await here.type("operator", drain);
    await asked();
    endFault(here, exits);
    await here.until(nodeIsReady, 20, "the node to be Ready again");
    await here.press("approver", APPROVE_OPERATION);
    expect(await atRest()).toMatchObject({ status: "scheduled", approval: { state: "approved" } });
    expect(isCordoned(here)).toBe(false);
    expect(await inWindow()).toMatchObject({ status: "succeeded" });
  });
});

function nodeIsReady(): boolean {
  const node = here.simulator.kubernetes.objects("nodes").find(({ metadata }) => metadata.name === web.name);
  const { status } = node as unknown as { status: { conditions: { type: string; status: string }[] } };
  return status.conditions.some((condition) => condition.type === "Ready" && condition.status === "True");
}

describe("A window that ends during a drain", { timeout: 240_000 }, () => {
  test("puts the node back, and the drain goes on in the next one", async () => {
    here = await within([saturday({ until: "05:30" }), saturday({ from: "06:00" })], {
      ...unasked,
      deadlines: { drain: { evict: 120 } },
    });
    await guardedPod(here, web);
    await here.type("operator", drain);
    await passTo(here, "2026-11-21T05:20");
    expect((await newest(here)).nodes[0]).toMatchObject({ status: "running", stage: "evict" });
    await passTo(here, "2026-11-21T05:40");
    expect(await atRest()).toMatchObject({
      status: "scheduled",
      summary: expect.stringMatching(/^The maintenance was over before the work was done: .*Waits for .*06:00/),
    });
    expect(isCordoned(here)).toBe(false);
    expect(running(here, "guarded")).toBe(1);
    expect(await heldBack(here)).toEqual([]);
    await allowDisruptions(here);
    await passTo(here, "2026-11-21T06:06");
    expect(await atRest()).toMatchObject({ status: "succeeded" });
    expect((await newest(here)).nodes.map(({ index, status }) => [index, status])).toEqual([
      [0, "cancelled"],
      [1, "succeeded"],
    ]);
    expect(isCordoned(here)).toBe(true);
    await expectSound(here);
  });
});

describe("Freeze dates", { timeout: 240_000 }, () => {
  test("of the configuration leave a slot out, and stand above the list of nodes", async () => {
    const freezes = [{ from: "2026-11-20", until: "2026-11-21T06:00", reason: "year end" }];
    here = await within([saturday()], { ...unasked, freezes });
    await here.type("operator", drain);
    expect(await atRest()).toMatchObject({ scheduled: { from: "2026-11-21T06:00:00.000Z" } });
    await here.type("operator", "/win nodes");
    await here.pass(1);
    expect(privately(here, "operator").at(-1)).toMatch(
      /🧊 The cluster is frozen until .* by the configuration: year end/,
    );
  });
});

describe("A date", { timeout: 240_000 }, () => {
  test("that was asked for with --at is waited for in a pool without windows", async () => {
    here = await within([], unasked);
    await here.type("operator", `${drain} --at "Sat 04:30"`);
    expect(await atRest()).toMatchObject({
      status: "scheduled",
      summary: expect.stringContaining("Waits for Sat 21 Nov 2026, 04:30 UTC"),
    });
    await passTo(here, "2026-11-21T04:28");
    expect(isCordoned(here)).toBe(false);
    await passTo(here, "2026-11-21T04:36");
    expect(await atRest()).toMatchObject({ status: "succeeded" });
  });

  test("is told in private how it is typed, and is refused outside of the maintenance", async () => {
    here = await within([saturday({ timeZone: "Europe/Berlin", from: "06:00", until: "08:00" })], unasked);
    for (const [typed, words] of [
      ["soon", "`soon` is no time"],
      ["2026-11-20 12:00", "Fri 20 Nov 2026, 12:00 Europe/Berlin has passed"],
      ["2027-01-01 12:00", "at most 14 days"],
    ] as const) {
      await here.type("operator", `${drain} --at "${typed}"`);
      expect((await atRest()).status).toBe("not-started");
      expect(privately(here, "operator").at(-1)).toContain(words);
    }
    await here.type("operator", `${drain} --at "Sat 09:00"`);
    expect(await atRest()).toMatchObject({
      status: "refused",
      summary: expect.stringMatching(
        /^Sat 21 Nov 2026, 09:00 Europe\/Berlin is outside of the maintenance of pool `web`\. The next one is Sat 28 Nov 2026, 06:00 to .*08:00 Europe\/Berlin/,
      ),
    });
    await here.type("operator", `${drain} --at "06:30"`);
    expect(await atRest()).toMatchObject({ scheduled: { from: "2026-11-21T05:30:00.000Z" } });
  });
});

describe("The schedule", { timeout: 240_000 }, () => {
  test("that cannot start it before the end of its slot moves the drain to the next one, and says so", async () => {
    here = await within([saturday({ until: "05:30" }), saturday({ from: "06:30" })], unasked);
    await here.type("operator", drain);
    await passTo(here, "2026-11-21T04:52");
    const fault = injectFault(here, "aws-5xx", { service: "lambda", action: "Invoke" });
    await passTo(here, "2026-11-21T05:35");
    expect(isCordoned(here)).toBe(false);
    endFault(here, fault);
    await passTo(here, "2026-11-21T05:58");
    expect(await atRest()).toMatchObject({
      status: "scheduled",
      summary: expect.stringMatching(/^It could not begin before its time was over\. Waits for .*06:30/),
    });
    await passTo(here, "2026-11-21T06:40");
    expect(await atRest()).toMatchObject({ status: "succeeded" });
  });

  test("starts a drain that was approved though Slack is down, and the message follows", async () => {
    here = await within();
    await here.type("operator", drain);
    await asked();
    await here.press("approver", APPROVE_OPERATION);
    await atRest();
    await passTo(here, "2026-11-21T04:55");
    const fault = injectFault(here, "slack-5xx");
    await here.until(() => isCordoned(here), 30, "the cordon");
    await here.pass(5);
    endFault(here, fault);
    expect(await atRest()).toMatchObject({ status: "succeeded" });
    expect(openly(here)[0]).toContain("✅ Drain");
  });
});

describe("A removal outside of the maintenance", { timeout: 240_000 }, () => {
  test("is confirmed at once and carried out in the window", async () => {
    here = await within([saturday()], { approvals: { remove: { needs: 0 } } });
    expect(await ask(here, SHORT)).toContain("[Remove]");
    await here.submit("operator");
    expect(await atRest("remove")).toMatchObject({ status: "scheduled" });
    expect(dialogOf(here, "operator")).toBe("");
    expect(stateOf(here, web)).toBe("running");
    expect(await inWindow("remove")).toMatchObject({ status: "succeeded" });
    expect(stateOf(here, web)).toBe("terminated");
    expect(stateOf(here, otherWeb)).toBe("running");
    await expectSound(here);
  });
});

test("A removal refuses in the window a loss that its dialog did not show", { timeout: 240_000 }, async () => {
  here = await within([saturday()], { approvals: { remove: { needs: 0 } } });
  expect(await ask(here, SHORT)).toContain("[Remove]");
  await here.submit("operator");
  expect(await atRest("remove")).toMatchObject({ status: "scheduled" });
  here.simulator.kubernetes.create(podOn(web, "alone"));
  expect(await inWindow("remove")).toMatchObject({ status: "refused", summary: expect.stringContaining("lost too") });
  expect(stateOf(here, web)).toBe("running");
});

describe("A freeze that a person has set", { timeout: 240_000 }, () => {
  test("holds up a drain that waits, which begins once it is thawed", async () => {
    here = await within([saturday()], unasked);
    await here.type("operator", drain);
    await atRest();
    await kubectl(here, "PATCH", "/api/v1/namespaces/casement", {
      metadata: { annotations: { "casement.dev/freeze": "incident" } },
    });
    await passTo(here, "2026-11-21T05:08");
    expect(await atRest()).toMatchObject({
      status: "scheduled",
      summary: expect.stringMatching(/^Held up: .*incident/),
    });
    await kubectl(here, "PATCH", "/api/v1/namespaces/casement", {
      metadata: { annotations: { "casement.dev/freeze": null } },
    });
    await here.pass(22);
    expect(await atRest()).toMatchObject({ status: "succeeded" });
  });
});
