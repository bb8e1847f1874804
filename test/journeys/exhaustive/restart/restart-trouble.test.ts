import { afterEach, describe, expect, test } from "vitest";
import { PROVE_AGAIN } from "../../../../lambdas/messages/slack/buttons.ts";
import { expectSound, heldBack, newest, settled } from "../../evidence.ts";
import type { Journey } from "../../journey.ts";
import { isCordoned, SHORT } from "../../on-web.ts";
import { web } from "../../others.ts";
import { endFault, injectFault } from "../../outside.ts";
import { inThreads, openly, privately } from "../../reading.ts";
import { withSeedNodes } from "../../removal.ts";
import { bootIdOf, images, probesLeft, processesOn, restartable, restartedOn } from "../../restarting.ts";

let here: Journey;
afterEach(() => here.close());

const ofWeb = { instanceId: web.instanceId };
const soon = { restart: { restart: 15, prove: 12 } };

/** Restarts the services of the node, and waits for the end. @returns what people were told */
async function restart(): Promise<string> {
  await here.type("operator", `/win restart ${SHORT}`);
  await settled(here, 120);
  await here.pass(1);
  expect(probesLeft(here)).toEqual([]);
  return [...openly(here), ...inThreads(here)].join("\n");
}

describe("A restart that fails", () => {
  test.each([
    ["does not stop", "service-hangs", { how: "stop" }, /service-state kubelet: kubelet is StopPending/],
    ["does not start", "service-hangs", { how: "start" }, /service-state kubelet: kubelet is StartPending/],
    [
      "ends right after its start",
      "service-exits",
      {},
      /service-state kubelet[\s\S]*its exit code is 255; its log ends/,
    ],
  ])("because a service %s leaves the node cordoned, with its reason and what to press", async (_, kind, how, says) => {
    here = await restartable(soon);
    const boot = bootIdOf(here);
    injectFault(here, kind, { ...ofWeb, service: "kubelet", ...how });
    const told = await restart();
    expect((await newest(here)).nodes[0]?.failure).toMatchObject({ stage: "restart" });
    expect(told).toMatch(says);
    expect(told).toContain("the node stays cordoned until it is proven");
    expect(told).toMatch(/\[Check again\][\s\S]*\[Reboot through EC2…\]/);
    expect([isCordoned(here), bootIdOf(here), await heldBack(here)]).toEqual([true, boot, []]);
  });

  test("is proven anew by Check again once its service runs", async () => {
    here = await restartable(soon);
    const fault = injectFault(here, "service-exits", { ...ofWeb, service: "kube-proxy" });
    await restart();
    expect(isCordoned(here)).toBe(true);
    await here.type("operator", "/win doctor");
    await here.until(
      () => privately(here, "operator").join().includes("Waiting for a person"),
      5,
      "the doctor's answer",
    );
    expect(privately(here, "operator").at(-1)).toContain("stays cordoned, because its restart was not proven");
    endFault(here, fault);
    await here.pass(15);
    await here.press("operator", PROVE_AGAIN);
    await settled(here, 60);
    expect((await newest(here)).operation).toMatchObject({ status: "succeeded", request: { command: "prove" } });
    expect(isCordoned(here)).toBe(false);
  });

  test.each([
    ["no Service", "no services", "(a pod that was started before the restart)"],
    ["nothing outside of the cluster", "no outside", "registry.example.com:443"],
  ])("because pods from before reach %s leaves the node cordoned", async (_, how, says) => {
    here = await restartable(soon, "registry.example.com:443");
    await here.type("operator", `/win restart ${SHORT}`);
    await here.until(async () => (await newest(here)).nodes[0]?.stage === "prove", 10, "the proof");
    injectFault(here, "data-plane-dead", { ...ofWeb, how });
    await settled(here, 120);
    const { code, stage, why } = (await newest(here)).nodes[0]?.failure ?? {};
    expect([stage, code]).toEqual(["prove", "check-fails"]);
    expect(why).toContain(says);
    expect(isCordoned(here)).toBe(true);
  });

  test("because the pods' network was made anew names the pods that lost it", async () => {
    here = await restartable(soon);
    // A pod of the last minutes may have no endpoint yet.
    await here.pass(5);
    injectFault(here, "overlay-made-anew", { ...ofWeb, how: "network" });
    await restart();
    const { code, stage, why } = (await newest(here)).nodes[0]?.failure ?? {};
    expect([stage, code]).toEqual(["prove", "endpoints-lost"]);
    expect(why).toContain("no endpoint in HNS and so no network");
    expect(isCordoned(here)).toBe(true);
  });
});

describe("A restart that is proven all the same", () => {
  test("has a note if the pod from before could not start", async () => {
    const unknown = { "2022": "999999999999.dkr.ecr.us-west-2.amazonaws.com/servercore:ltsc2022", linux: images.linux };
    here = await withSeedNodes({ configuration: { approvals: { restart: { needs: 0 } }, probe: { images: unknown } } });
    const told = await restart();
    expect((await newest(here)).operation.status).toBe("succeeded");
    expect(told).toContain("No pod from before the restart was tried after it");
  });

  test("makes no pod without images", async () => {
    here = await withSeedNodes({ configuration: { approvals: { restart: { needs: 0 } } } });
    const told = await restart();
    expect((await newest(here)).operation.status).toBe("succeeded");
    expect(told).not.toContain("No pod from before");
    await expectSound(here);
  });

  test("goes by the processes if the result of the command is lost", async () => {
    here = await restartable(soon);
    const before = processesOn(here);
    await here.type("operator", `/win restart ${SHORT}`);
    await here.until(() => restartedOn(here, before).length > 0, 5, "the first service");
    injectFault(here, "agent-silent", ofWeb, 1);
    await settled(here, 120);
    expect((await newest(here)).operation.status).toBe("succeeded");
  });
});
