import { afterEach, describe, expect, test } from "vitest";
import { CANCEL_OPERATION } from "../../../../lambdas/messages/slack/buttons.ts";
import { expectSound, heldBack, newest, nodeNamed, settled } from "../../evidence.ts";
import type { Journey } from "../../journey.ts";
import { isCordoned, SHORT, unasked } from "../../on-web.ts";
import { cordonByHand, guardedPod, otherWeb, web } from "../../others.ts";
import { endFault, injectFault } from "../../outside.ts";
import { openly, privately } from "../../reading.ts";
import { withSeedNodes } from "../../removal.ts";

let here: Journey;
afterEach(() => here.close());

const bootIdOf = (): string | undefined => nodeNamed(here, web.name)?.status?.nodeInfo?.bootID;

async function reboot(rest = ""): Promise<string> {
  await here.type("operator", `/win reboot ${SHORT} --force ${web.name}${rest}`);
  await settled(here, 240);
  return [...openly(here), ...privately(here, "operator")].join("\n");
}

describe("A reboot", () => {
  test("leaves a node cordoned that another person had cordoned before", async () => {
    here = await unasked("reboot");
    await cordonByHand(here, web);
    const told = await reboot();
    expect((await newest(here)).operation).toMatchObject({ status: "succeeded", summary: expect.any(String) });
    expect(told).toContain("the node is cordoned, as it was before");
    expect(isCordoned(here)).toBe(true);
  });

  test("says on its card that the guard is missing, with the command that installs it", async () => {
    here = await withSeedNodes();
    injectFault(here, "guard-lost", { instanceId: web.instanceId });
    await here.pass(3);
    expect(await reboot(" --dry-run")).toMatch(
      /⛔ The guard of the metadata route is not installed[\s\S]*`\/win guard ip-10-0-3-7/,
    );
    injectFault(here, "agent-silent", { instanceId: web.instanceId });
    expect(await reboot(" --dry-run")).toContain("⚪ The guard of the metadata route could not be checked");
  });

  test("shows its plan to the requester alone with --dry-run, and changes nothing", async () => {
    here = await unasked("reboot");
    const before = bootIdOf();
    expect(await reboot(" --dry-run")).toContain("Dry run: nothing was changed");
    expect([bootIdOf(), isCordoned(here)]).toEqual([before, false]);
    expect(openly(here)).toEqual([]);
  });
});

describe("A reboot that is not proven", () => {
  const soon = { reboot: { reboot: 20, prove: 12 } };
  const ofWeb = { instanceId: web.instanceId };

  test("leaves the node cordoned when the machine does not come back, and says what to do", async () => {
    here = await unasked("reboot", soon);
    injectFault(here, "boot-hangs", ofWeb);
    const told = await reboot();
    const { operation, nodes } = await newest(here);
    expect(operation.status).toBe("failed");
    expect(nodes[0]?.failure?.stage).toBe("reboot");
    expect(told).toContain("the node stays cordoned until it is proven");
    expect(told).toContain("[Reboot through EC2…]\n[Check again]\n[Keep cordoned]");
    expect(told).not.toContain("[Try again]");
    expect(isCordoned(here)).toBe(true);
    await here.pass(60);
    expect(isCordoned(here)).toBe(true);
  });

  test("names the service that does not start again", async () => {
    here = await unasked("reboot", soon);
    injectFault(here, "service-exits", { ...ofWeb, service: "kubelet" });
    const told = await reboot();
    expect((await newest(here)).nodes[0]?.failure).toMatchObject({ stage: "prove" });
    // Between two ends the service control manager starts it again, so that a look may find either.
    expect(told).toMatch(/Windows services: The Windows service `kubelet` is (Stopped|StartPending), exit code 255/);
    expect(isCordoned(here)).toBe(true);
  });

  test("is refused before the node is cordoned when the machine cannot be looked at", async () => {
    here = await unasked("reboot", soon);
    injectFault(here, "look-fails", ofWeb);
    const before = bootIdOf();
    await reboot();
    expect((await newest(here)).nodes[0]?.failure).toMatchObject({ stage: "guard" });
    expect([bootIdOf(), isCordoned(here)]).toEqual([before, false]);
  });

  test.each([
    ["ConstrainedLanguage", "PowerShell runs in ConstrainedLanguage mode on this machine"],
    ["AllSigned", "is not digitally signed"],
  ])("is refused before the first eviction where a policy restricts PowerShell: %s", async (how, words) => {
    here = await unasked("reboot", soon);
    injectFault(here, "powershell-restricted", { ...ofWeb, how });
    const before = bootIdOf();
    const told = await reboot();
    expect((await newest(here)).nodes[0]?.failure).toMatchObject({ stage: "guard", code: "powershell-restricted" });
    expect(told).toContain(words);
    expect([bootIdOf(), isCordoned(here)]).toEqual([before, false]);
  });

  test("is proven all the same after a slow boot", async () => {
    here = await unasked("reboot");
    injectFault(here, "slow-boot", ofWeb);
    const before = bootIdOf();
    await reboot();
    expect((await newest(here)).operation.status).toBe("succeeded");
    expect(bootIdOf()).not.toBe(before);
    expect(isCordoned(here)).toBe(false);
  });

  test("ends without a trace when it is cancelled while pods leave", async () => {
    here = await unasked("reboot");
    await guardedPod(here, web);
    await here.type("operator", `/win reboot ${SHORT} --force ${web.name}`);
    await here.until(() => isCordoned(here), 10, "the cordon");
    await here.press("operator", CANCEL_OPERATION);
    await settled(here, 240);
    expect((await newest(here)).operation.status).toBe("cancelled");
    expect(isCordoned(here)).toBe(false);
    expect(await heldBack(here)).toEqual([]);
  });

  test("ends without a trace when it is cancelled while it waits for a slot", async () => {
    here = await unasked("reboot");
    await cordonByHand(here, otherWeb);
    await cancelledIn("slot");
  });

  test("ends without a trace when it is cancelled while its guard is checked", async () => {
    here = await unasked("reboot");
    await cancelledIn("guard");
  });

  test("ends without a trace when it is cancelled while its cordon is refused", async () => {
    here = await unasked("reboot");
    // A plan patches as a dry run: the fault begins once that is over.
    await reachStage("guard");
    const refused = injectFault(here, "kubernetes-5xx", { resource: "nodes", verb: "patch" });
    await cancelledIn("cordon");
    endFault(here, refused);
    await here.pass(20);
    expect(isCordoned(here)).toBe(false);
  });

  test("gives the node back when a freeze comes right before the machine is told to reboot", async () => {
    here = await unasked("reboot");
    const before = bootIdOf();
    await here.type("operator", `/win reboot ${SHORT} --force ${web.name}`);
    const rebooting = async () => (await here.operations()).find(({ request }) => request.command === "reboot");
    const id = (await rebooting())?.id ?? "";
    await here.until(async () => (await here.nodes(id))[0]?.stage === "reboot", 30, "the stage reboot");
    await here.type("operator", '/win freeze web --reason "incident"');
    await settled(here, 60);
    expect((await here.nodes(id))[0]?.failure).toMatchObject({ stage: "reboot" });
    expect((await rebooting())?.summary).toMatch(/^The node was not rebooted: the node is schedulable again/);
    expect([bootIdOf(), isCordoned(here)]).toEqual([before, false]);
    expect(await heldBack(here)).toEqual([]);
  });
});

/** Begins a reboot unless one is under way, and waits until it enters the stage. */
async function reachStage(stage: string): Promise<void> {
  if ((await here.operations()).length === 0) await here.type("operator", `/win reboot ${SHORT} --force ${web.name}`);
  await here.until(async () => (await newest(here)).nodes[0]?.stage === stage, 30, `the stage ${stage}`);
}

/** Cancels the reboot in a stage before the machine is told to reboot. */
async function cancelledIn(stage: string): Promise<void> {
  const before = bootIdOf();
  await reachStage(stage);
  await here.press("operator", CANCEL_OPERATION);
  await settled(here, 60);
  expect((await newest(here)).operation.status).toBe("cancelled");
  expect([bootIdOf(), isCordoned(here), await heldBack(here)]).toEqual([before, false, []]);
}

describe("A cancellation that comes too late", () => {
  const shown = () => privately(here, "operator").at(-1) ?? "";

  test.each([
    ["reboot", "reboot", "the machine reboots or has rebooted; the node is given back once it is proven"],
    ["reboot", "prove", "the machine reboots or has rebooted; the node is given back once it is proven"],
    ["prove", "prove", "a proof cannot be cancelled; it moves no pod and ends within its deadline"],
  ] as const)("of a %s in stage %s says what is finished, and changes nothing", async (command, stage, words) => {
    here = await unasked("reboot");
    const force = command === "reboot" ? ` --force ${web.name}` : "";
    await here.type("operator", `/win ${command} ${SHORT}${force}`);
    await here.until(async () => (await newest(here)).nodes[0]?.stage === stage, 60, `the stage ${stage}`);
    const { id } = (await newest(here)).operation;
    await here.pass(0.2);
    expect(openly(here)[0]).not.toContain("[Cancel operation]");
    await here.type("operator", `/win cancel ${id}`);
    expect(shown()).toContain(`Too late to cancel \`${id}\``);
    expect(shown()).toContain(`is past the point of no return: ${words}.`);
    await settled(here, 240);
    expect((await newest(here)).operation.status).toBe("succeeded");
    expect(isCordoned(here)).toBe(false);
    expect(await heldBack(here)).toEqual([]);
    await expectSound(here);
  });
});
