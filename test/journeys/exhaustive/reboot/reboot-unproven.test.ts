import { afterEach, describe, expect, test } from "vitest";
import { OUT_OF_BALANCERS, QUARANTINED } from "../../../../lambdas/cluster/node-keys.ts";
import {
  KEEP_CORDONED,
  PROVE_AGAIN,
  REBOOT_THROUGH_EC2,
  TRY_AGAIN,
} from "../../../../lambdas/messages/slack/buttons.ts";
import { calls, expectSound, heldBack, newest, nodeNamed, settled } from "../../evidence.ts";
import type { Journey } from "../../journey.ts";
import { isCordoned, SHORT, unasked } from "../../on-web.ts";
import { allowDisruptions, cordonByHand, guardedPod, web } from "../../others.ts";
import { endFault, injectFault } from "../../outside.ts";
import { inThreads, openly, privately } from "../../reading.ts";
import { withSeedNodes } from "../../removal.ts";

let here: Journey;
afterEach(() => here.close());

const ofWeb = { instanceId: web.instanceId };
const soon = { reboot: { reboot: 20, prove: 12 }, proving: { prove: 12 } };
const told = (): string => [...openly(here), ...inThreads(here), ...privately(here, "operator")].join("\n");
const bootIdOf = (): string | undefined => nodeNamed(here, web.name)?.status?.nodeInfo?.bootID;

/** A reboot whose kubelet does not start; the fault's id. */
async function unproven(before: () => Promise<void> = async () => undefined): Promise<string> {
  here = await unasked("reboot", soon);
  await before();
  const fault = injectFault(here, "service-exits", { ...ofWeb, service: "kubelet" });
  await here.type("operator", `/win reboot ${SHORT} --force ${web.name}`);
  await settled(here, 240);
  expect((await newest(here)).nodes[0]?.failure?.stage).toBe("prove");
  expect(isCordoned(here)).toBe(true);
  return fault;
}

/** The kubelet runs again, as after a person has mended it: EC2 reboots the machine, past the bot. */
async function mend(fault: string): Promise<void> {
  endFault(here, fault);
  here.simulator.simulation.bus.announce({ kind: "instance-reboot", instanceId: web.instanceId });
  await here.pass(15);
}

describe("A node that a reboot left cordoned because it was not proven", () => {
  test("is given back by Check again once it works, without another reboot of ours", async () => {
    const fault = await unproven();
    await mend(fault);
    const boot = bootIdOf();
    await here.press("operator", PROVE_AGAIN);
    await settled(here, 60);
    const { operation, nodes } = await newest(here);
    expect(operation).toMatchObject({ status: "succeeded", request: { command: "prove" } });
    expect(operation.summary).toContain("it passed every check of the proof; the node is schedulable again");
    expect(nodes[0]).toMatchObject({ workflow: "proving", stage: "restore", outcome: "proven" });
    expect([isCordoned(here), bootIdOf()]).toEqual([false, boot]);
    expect(await heldBack(here)).toEqual([]);
    await expectSound(here);
  });

  test("stays cordoned when Check again finds the same fault, and can be checked once more", async () => {
    const fault = await unproven();
    await here.press("operator", PROVE_AGAIN);
    await settled(here, 60);
    expect((await newest(here)).operation).toMatchObject({ status: "failed", request: { command: "prove" } });
    expect(told()).toContain("the node stays cordoned until it is proven");
    expect(openly(here).at(-1)).toMatch(/kubelet[^\n]*exit code 255[^\n]*\n[^\n]*\*Why\?\* shows all checks/);
    expect(isCordoned(here)).toBe(true);
    await mend(fault);
    await here.type("operator", `/win prove ${SHORT}`);
    await settled(here, 60);
    expect((await newest(here)).operation.status).toBe("succeeded");
    expect(isCordoned(here)).toBe(false);
  });

  test("is not checked while its machine takes no command: the proof ends at once, and its reboot through EC2 can be asked for", async () => {
    here = await unasked("reboot", soon);
    const fault = injectFault(here, "boot-hangs", ofWeb);
    await here.type("operator", `/win reboot ${SHORT} --force ${web.name}`);
    await settled(here, 240);
    endFault(here, fault);
    const before = Date.now();
    await here.press("operator", PROVE_AGAIN);
    await settled(here, 60);
    expect(Date.now() - before).toBeLessThan(60_000);
    expect((await newest(here)).nodes[0]?.failure).toMatchObject({ stage: "prove", code: "agent-silent" });
    const card = openly(here).at(-1) ?? "";
    expect(card).toMatch(/SSM agent has not reported for \d+m, so nothing on the machine can be checked/);
    expect(card).toContain("[Reboot through EC2…]\n[Check again]\n[Keep cordoned]\n[Screenshot]");
    await here.press("operator", REBOOT_THROUGH_EC2);
    await settled(here, 240);
    expect((await newest(here)).operation.status).toBe("succeeded");
    expect(isCordoned(here)).toBe(false);
    await expectSound(here);
  });

  test("shows in its message who started what, and takes the buttons away until that has done nothing", async () => {
    await unproven();
    const card = () => openly(here)[0] ?? "";
    expect(card()).toContain("[Check again]");
    await here.press("operator", PROVE_AGAIN);
    await settled(here, 60);
    const { id } = (await newest(here)).operation;
    expect(card()).toMatch(new RegExp(`<@U0OPERATOR> started <https://[^|]*\\|${id}> at `));
    expect(card()).not.toContain("[Check again]");
    await here.press("operator", KEEP_CORDONED);
    await settled(here, 30);
    expect(openly(here)[1]).toContain("> started <https://");
    expect(openly(here)[1]).not.toContain("[Keep cordoned]");
  });

  test("stays cordoned for good after Keep cordoned, also when it is proven", async () => {
    const fault = await unproven();
    await here.press("operator", KEEP_CORDONED);
    await settled(here, 30);
    expect((await newest(here)).operation.summary).toContain("Only {win} uncordon makes it schedulable again");
    await mend(fault);
    await here.type("operator", `/win prove ${SHORT}`);
    await settled(here, 60);
    expect((await newest(here)).operation.summary).toContain("nothing was changed");
    expect(isCordoned(here)).toBe(true);
  });

  test("is given back by another reboot that is proven", async () => {
    const fault = await unproven();
    endFault(here, fault);
    await here.press("operator", TRY_AGAIN);
    await settled(here, 240);
    expect((await newest(here)).operation.status).toBe("succeeded");
    expect(isCordoned(here)).toBe(false);
    expect(await heldBack(here)).toEqual([]);
  });

  test("stays cordoned when another reboot of it is refused before it begins", async () => {
    const fault = await unproven();
    injectFault(here, "look-fails", ofWeb);
    endFault(here, fault);
    await here.press("operator", TRY_AGAIN);
    await settled(here, 240);
    expect((await newest(here)).nodes[0]?.failure?.stage).toBe("guard");
    expect(isCordoned(here)).toBe(true);
  });

  test("stays cordoned once it is proven, where others had cordoned it before", async () => {
    const fault = await unproven(() => cordonByHand(here, web));
    await mend(fault);
    await here.press("operator", PROVE_AGAIN);
    await settled(here, 60);
    expect((await newest(here)).operation.summary).toContain("as it was before");
    expect(isCordoned(here)).toBe(true);
  });
});

test("a proof leaves the cordon of a failed drain to the person who decides about it", async () => {
  const { configuration, close } = await withSeedNodes();
  await close();
  const held = { ...configuration.pools.web, afterFailedDrain: "hold" };
  const deadlines = { ...soon, drain: { evict: 2, continue: 1 } };
  const approvals = { drain: { needs: 0 }, reboot: { needs: 0 } };
  here = await withSeedNodes({ configuration: { approvals, deadlines, pools: { ...configuration.pools, web: held } } });
  const keptOut = () => nodeNamed(here, web.name)?.metadata?.labels?.[OUT_OF_BALANCERS];
  await guardedPod(here, web);
  await here.type("operator", `/win drain ${SHORT} --force ${web.name}`);
  await settled(here, 20);
  const { id } = (await newest(here)).operation;
  const ofDrain = openly(here).at(-1) ?? "";
  expect(ofDrain).toContain("afterFailedDrain");
  expect([isCordoned(here), keptOut()]).toEqual([true, "true"]);
  await allowDisruptions(here);
  const fault = injectFault(here, "service-exits", { ...ofWeb, service: "kubelet" });
  await here.type("operator", `/win reboot ${SHORT} --force ${web.name}`);
  await settled(here, 240);
  await mend(fault);
  await here.type("operator", `/win prove ${SHORT}`);
  await settled(here, 60);
  expect((await newest(here)).operation.summary).toContain(`the node stays cordoned, as \`${id}\` left it; `);
  expect([isCordoned(here), keptOut()]).toEqual([true, "true"]);
  expect(openly(here)).toContain(ofDrain);
  await here.type("operator", `/win uncordon ${SHORT}`);
  await settled(here, 10);
  expect([isCordoned(here), keptOut()]).toEqual([false, undefined]);
  await expectSound(here);
});

test("a node that no reboot left cordoned is proven, and nothing is changed", async () => {
  here = await unasked("reboot", soon);
  await here.type("operator", `/win prove ${SHORT}`);
  await settled(here, 60);
  expect((await newest(here)).operation.summary).toContain("so nothing was changed");
  expect(calls(here, "kubernetes", "patch nodes").filter(({ principal }) => /act$/.test(principal))).toEqual([]);
});

describe("A node of which two reboots could not be verified within a day", () => {
  const labels = () => nodeNamed(here, web.name)?.metadata?.labels ?? {};

  async function quarantined(): Promise<void> {
    const fault = await unproven();
    expect(labels()[QUARANTINED]).toBeUndefined();
    await here.press("operator", TRY_AGAIN);
    await settled(here, 240);
    expect(told()).toContain("the node is quarantined");
    await mend(fault);
  }

  test("is quarantined: no proof gives it back, and the list and why say so", async () => {
    await quarantined();
    expect(labels()[QUARANTINED]).toBe("true");
    await here.type("operator", `/win prove ${SHORT}`);
    await settled(here, 60);
    expect((await newest(here)).operation.summary).toContain(
      "it passed every check of the proof; the node is quarantined",
    );
    expect(isCordoned(here)).toBe(true);
    await here.type("operator", "/win nodes");
    await here.type("operator", `/win why ${SHORT}`);
    await settled(here, 10);
    expect(told()).toContain("Ready,cordoned,Quarantined");
    expect(told()).toContain("The node is quarantined: two of its reboots could not be verified within a day");
  });

  test("is left out of a rollout, and stays so after a reboot of it that is proven", async () => {
    await quarantined();
    await here.type("operator", "/win reboot web --dry-run");
    await settled(here, 30);
    expect(privately(here, "operator").at(-1)).toContain("is quarantined: two of its reboots could not be verified");
    await here.type("operator", `/win reboot ${SHORT} --force ${web.name}`);
    await settled(here, 240);
    expect((await newest(here)).operation.summary).toContain("the node is quarantined");
    expect(isCordoned(here)).toBe(true);
  });

  test("is uncordoned only when its name is typed twice", async () => {
    await quarantined();
    await here.type("operator", `/win uncordon ${SHORT}`);
    await settled(here, 10);
    expect((await newest(here)).operation.status).toBe("refused");
    expect(isCordoned(here)).toBe(true);
    await here.type("operator", `/win uncordon ${SHORT} --quarantined ${SHORT}`);
    await settled(here, 10);
    expect((await newest(here)).operation.status).toBe("succeeded");
    expect([isCordoned(here), labels()[QUARANTINED]]).toEqual([false, undefined]);
    await expectSound(here);
  });
});
