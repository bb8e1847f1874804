import { afterEach, describe, expect, test } from "vitest";
import { assist, EDGE } from "../../assisting.ts";
import { calls, expectSound, heldBack, newest, settled } from "../../evidence.ts";
import type { Journey } from "../../journey.ts";
import { isCordoned, SHORT } from "../../on-web.ts";
import { cordonByHand, guardedPod, otherWeb, web } from "../../others.ts";
import { injectFault } from "../../outside.ts";
import { openly, privately } from "../../reading.ts";
import { bootIdOf, podsAlive, processesOn, RESTARTED, restartable, restartedOn } from "../../restarting.ts";

let here: Journey;
afterEach(() => here.close());

const typeRestart = (rest = "") => here.type("operator", `/win restart ${SHORT}${rest}`);

/** Restarts the services of the node, and waits for the end. @returns what people were told */
async function restart(rest = ""): Promise<string> {
  await typeRestart(rest);
  await settled(here, 120);
  return [...openly(here), ...privately(here, "operator")].join("\n");
}

describe("A restart of services", () => {
  test("ends four processes once, evicts no pod, and gives the node back", async () => {
    here = await restartable();
    await here.pass(1);
    const [before, pods, boot] = [processesOn(here), podsAlive(here), bootIdOf(here)];
    expect(pods.length).toBeGreaterThan(1);
    const told = await restart();
    expect((await newest(here)).operation).toMatchObject({ status: "succeeded" });
    expect((await newest(here)).nodes[0]?.notes).toEqual([]);
    expect(told).toContain("were restarted and work");
    expect(told).toContain("the node is schedulable again");
    expect(told).not.toContain("evicted pods");
    expect(restartedOn(here, before).toSorted()).toEqual(RESTARTED.toSorted());
    expect([podsAlive(here), bootIdOf(here), isCordoned(here)]).toEqual([pods, boot, false]);
    expect(calls(here, "kubernetes", "create pods/eviction")).toEqual([]);
    await expectSound(here);
  });

  test("goes on although a budget lets no pod go", async () => {
    here = await restartable();
    await guardedPod(here, web);
    await restart();
    expect((await newest(here)).operation.status).toBe("succeeded");
  });

  test("shows its plan to the requester alone with --dry-run, and changes nothing", async () => {
    here = await restartable();
    const before = processesOn(here);
    const told = await restart(" --dry-run");
    expect(told).toContain("Dry run: nothing was changed");
    expect(told).toContain("`containerd`, `kubelet`, `hybrid-overlay-node`, `kube-proxy` of");
    expect(told).toContain("No pod is evicted");
    expect([processesOn(here), isCordoned(here), openly(here)]).toEqual([before, false, []]);
  });

  test("leaves a node cordoned that another person had cordoned before", async () => {
    here = await restartable();
    await cordonByHand(here, web);
    const told = await restart();
    expect((await newest(here)).operation.status).toBe("succeeded");
    expect(told).toContain("the node is cordoned, as it was before");
    expect(isCordoned(here)).toBe(true);
  });

  test("needs no working guard of the metadata route", async () => {
    here = await restartable();
    injectFault(here, "guard-hangs", { instanceId: web.instanceId });
    await here.pass(2);
    const before = processesOn(here);
    await restart();
    expect(restartedOn(here, before)).toHaveLength(RESTARTED.length);
  });
});

describe("A restart of services is refused", () => {
  test("on an assisted node, whose services belong to another tool", async () => {
    here = await restartable();
    await assist(here);
    await here.type("operator", `/win restart ${EDGE}`);
    await settled(here, 10);
    expect((await newest(here)).operation.status).toBe("refused");
    expect(openly(here).join("\n")).toMatch(/Casement only assists its machine[\s\S]*`\/win reboot/);
  });

  test("on a node of another owner", async () => {
    here = await restartable();
    await here.type("operator", `/win restart ${EDGE}`);
    await settled(here, 10);
    expect((await newest(here)).operation.status).toBe("refused");
    expect(openly(here).join("\n")).toContain("cannot be given a restart of its services");
  });

  test("before the node is touched while its agent is silent", async () => {
    here = await restartable();
    injectFault(here, "agent-silent", { instanceId: web.instanceId });
    await here.pass(12);
    const before = processesOn(here);
    await restart();
    expect((await newest(here)).nodes[0]?.failure).toMatchObject({ stage: "restart", code: "agent-silent" });
    expect([processesOn(here), isCordoned(here), await heldBack(here)]).toEqual([before, false, []]);
    expect(openly(here).join("\n")).toContain("No service was restarted");
  });

  test("during a freeze", async () => {
    here = await restartable();
    await here.type("operator", '/win freeze web --reason "incident"');
    await settled(here, 5);
    const before = processesOn(here);
    await restart();
    expect((await newest(here)).operation.status).toBe("refused");
    expect(processesOn(here)).toEqual(before);
  });

  test("while a reboot holds the machine", async () => {
    here = await restartable();
    await guardedPod(here, web);
    await here.type("operator", `/win reboot ${SHORT} --force ${web.name}`);
    await here.until(() => isCordoned(here), 10, "the cordon");
    const [{ id } = { id: "" }] = await here.operations();
    await typeRestart();
    await here.until(async () => (await newest(here)).operation.endedAt !== null, 5, "the refusal");
    expect((await newest(here)).operation.status).toBe("refused");
    expect(openly(here).join("\n")).toContain(`\`${id}\` is working on it`);
  });

  test("while another restart works on the node", async () => {
    here = await restartable();
    await typeRestart();
    await here.until(async () => (await newest(here)).nodes[0]?.stage === "restart", 5, "the stage restart");
    const before = processesOn(here);
    await typeRestart();
    await settled(here, 60);
    const statuses = (await here.operations()).map(({ status }) => status);
    expect(statuses.toSorted()).toEqual(["refused", "succeeded"]);
    expect(restartedOn(here, before)).toHaveLength(RESTARTED.length);
  });
});

/** Begins a restart, and cancels it in a stage. */
async function cancelledIn(stage: string): Promise<void> {
  await typeRestart();
  await here.until(async () => (await newest(here)).nodes[0]?.stage === stage, 10, `the stage ${stage}`);
  await here.type("operator", `/win cancel ${(await newest(here)).operation.id}`);
  await settled(here, 120);
}

describe("A restart of services that is cancelled", () => {
  test("while it waits for a slot changes nothing", async () => {
    here = await restartable();
    await cordonByHand(here, otherWeb);
    const before = processesOn(here);
    await cancelledIn("slot");
    expect((await newest(here)).operation.status).toBe("cancelled");
    expect([processesOn(here), isCordoned(here), await heldBack(here)]).toEqual([before, false, []]);
  });

  test("once the services are being restarted is finished", async () => {
    here = await restartable();
    await cancelledIn("restart");
    expect((await newest(here)).operation.status).toBe("succeeded");
    expect([isCordoned(here), await heldBack(here)]).toEqual([false, []]);
  });

  test("by a freeze right before it gives the node back", async () => {
    here = await restartable();
    const before = processesOn(here);
    await typeRestart();
    const { id } = (await newest(here)).operation;
    await here.until(async () => (await here.nodes(id))[0]?.stage === "restart", 10, "the stage restart");
    await here.type("operator", '/win freeze web --reason "incident"');
    await settled(here, 30);
    expect((await here.nodes(id))[0]?.failure).toMatchObject({ stage: "restart", code: "frozen-or-held" });
    expect([processesOn(here), isCordoned(here), await heldBack(here)]).toEqual([before, false, []]);
  });
});
