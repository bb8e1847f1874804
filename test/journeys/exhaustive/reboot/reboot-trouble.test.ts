import { afterEach, describe, expect, test } from "vitest";
import { startingTaint } from "../../../../lambdas/cluster/node-keys.ts";
import { denied, heldBack, newest, nodeNamed, settled } from "../../evidence.ts";
import type { Journey } from "../../journey.ts";
import { isCordoned, ownerShown, SHORT, unasked } from "../../on-web.ts";
import { cordonByHand, guardedPod, kubectl, podOn, running, web } from "../../others.ts";
import { injectFault } from "../../outside.ts";
import { inThreads, openly, privately } from "../../reading.ts";

let here: Journey;
afterEach(() => here.close());

const ofWeb = { instanceId: web.instanceId };
const bootIdOf = (): string | undefined => nodeNamed(here, web.name)?.status?.nodeInfo?.bootID;
const told = (): string => [...openly(here), ...inThreads(here), ...privately(here, "operator")].join("\n");
const nodeNow = async () => (await newest(here)).nodes[0];

interface Sent {
  readonly commandId: string;
  readonly documentName: string;
  readonly comment: string;
}

const collected = <T>(name: string) => here.simulator.simulation.store.collection<T>(name);

/** Commands of one script that reboots sent. */
const commands = (script: string): Sent[] =>
  collected<Sent>("ssm-commands")
    .values()
    .filter(({ documentName, comment }) => documentName.includes(`-${script}-`) && comment.includes("reboot-"));

/** Has the machine answered a command? */
const hasAnswered = (words: string): boolean => {
  const ids = commands("observe").flatMap(({ commandId, comment }) => (comment.endsWith(words) ? [commandId] : []));
  return collected<{ commandId: string; status: string }>("ssm-invocations")
    .values()
    .some(({ commandId, status }) => ids.includes(commandId) && status === "Success");
};

/** Starts a reboot and waits until it is in a stage; in that of the eviction a pod keeps it there. @returns the boot before */
async function rebootUntil(stage: string, deadlines: object = {}): Promise<string | undefined> {
  here = await unasked("reboot", deadlines);
  const before = bootIdOf();
  if (stage === "evict") await guardedPod(here, web);
  await here.type("operator", `/win reboot ${SHORT} --force ${web.name}`);
  await here.until(async () => (await nodeNow())?.stage === stage, 60, `the stage ${stage}`);
  return before;
}

/** Waits until the machine was told to reboot. @returns the boot before */
async function rebootOrdered(): Promise<string | undefined> {
  const before = await rebootUntil("reboot");
  await here.until(() => commands("reboot").length > 0, 10, "the order");
  return before;
}

/** Others reboot the machine. */
const rebootByOthers = (): void =>
  here.simulator.simulation.bus.announce({ kind: "instance-reboot", instanceId: web.instanceId });

const removeGuarded = (): Promise<void> =>
  kubectl(here, "DELETE", "/api/v1/namespaces/default/pods/guarded", { gracePeriodSeconds: 0 });

/** Waits for the end, after which nothing is held. @returns the operation, and the failure of its node */
async function ended(minutes = 240) {
  await settled(here, minutes);
  expect(await heldBack(here)).toEqual([]);
  expect(denied(here)).toEqual([]);
  const { operation, nodes } = await newest(here);
  return { status: operation.status, summary: operation.summary, failure: nodes[0]?.failure ?? null };
}

const proven = { status: "succeeded", summary: expect.stringContaining("was rebooted and works"), failure: null };

describe("A reboot whose Node is deleted by others", () => {
  const remove = () => kubectl(here, "DELETE", `/api/v1/nodes/${web.name}`);

  test.each(["guard", "evict"])("in stage %s reboots nothing, and enters no further stage", async (stage) => {
    await rebootUntil(stage);
    await remove();
    expect(await ended()).toMatchObject({ status: "succeeded", summary: expect.stringContaining("no longer exists") });
    expect(commands("reboot")).toEqual([]);
    expect(told()).not.toContain("rebooting the machine");
  });

  test("in stage reboot is not proven, and names the taint that the new Node keeps, and how it goes", async () => {
    await rebootUntil("reboot");
    await here.until(() => commands("reboot").length > 0, 10, "the order");
    await remove();
    const { status, failure } = await ended(30);
    expect([status, failure?.stage, failure?.left]).toEqual([
      "failed",
      "prove",
      expect.stringContaining("has taken its place and was not changed"),
    ]);
    expect(failure?.why).toContain("registered as a new Node");
    expect(told()).toContain(`kubectl taint node <node> ${startingTaint.key}-`);
    await here.type("operator", `/win why ${SHORT}`);
    await settled(here, 10);
    expect(told()).toContain(`kubectl taint node ${web.name} ${startingTaint.key}-`);
    await kubectl(here, "PATCH", `/api/v1/nodes/${web.name}`, { spec: { taints: null } });
    await here.type("operator", `/win prove ${SHORT}`);
    expect((await ended()).status).toBe("succeeded");
  });

  test("in stage prove is not proven, and says what registers it anew", async () => {
    await rebootUntil("prove", { reboot: { prove: 12 } });
    await remove();
    const { status, failure } = await ended();
    expect([status, failure?.left]).toEqual(["failed", "its Node no longer exists"]);
    expect(told()).toContain("restart the kubelet or the machine");
  });
});

describe("A machine that others reboot", () => {
  test.each(["guard", "evict"])("in stage %s is rebooted once more by the operation, and proven", async (stage) => {
    const before = await rebootUntil(stage);
    rebootByOthers();
    await here.until(() => bootIdOf() !== before, 20, "the boot of the others");
    const between = bootIdOf();
    if (stage === "evict") await removeGuarded();
    expect(await ended()).toMatchObject(proven);
    expect(bootIdOf()).not.toBe(between);
    expect([commands("reboot").length, isCordoned(here)]).toEqual([1, false]);
  });

  test("between the look before the order and the order itself is not rebooted a second time", async () => {
    const before = await rebootUntil("reboot");
    await here.until(() => hasAnswered("look before the reboot"), 5, "the look");
    expect(commands("reboot")).toEqual([]);
    rebootByOthers();
    expect(await ended()).toMatchObject(proven);
    expect(Number(bootIdOf())).toBe(Number(before) + 1);
    expect(isCordoned(here)).toBe(false);
  });

  test("right after the order is proven, and was told to reboot once", async () => {
    await rebootOrdered();
    await here.pass(1);
    rebootByOthers();
    expect(await ended()).toMatchObject(proven);
    expect([commands("reboot").length, isCordoned(here)]).toEqual([1, false]);
  });

  test("while its proof runs stays cordoned over that boot, and is proven in it", async () => {
    await rebootUntil("prove");
    await here.until(async () => /stay well/.test((await nodeNow())?.waitsFor ?? ""), 30, "the first good look");
    const boot = bootIdOf();
    rebootByOthers();
    await here.until(() => bootIdOf() !== boot, 20, "the other boot");
    expect([isCordoned(here), (await nodeNow())?.stage]).toEqual([true, "prove"]);
    expect(await ended()).toMatchObject(proven);
    expect(isCordoned(here)).toBe(false);
  });
});

describe("A machine whose clock is a day", () => {
  test.each(["ahead", "behind"])("%s after its boot is proven: boots are told apart by their ids", async (how) => {
    const before = await rebootOrdered();
    await here.pass(1);
    injectFault(here, "clock-wrong", { ...ofWeb, how });
    expect(await ended()).toMatchObject(proven);
    expect(bootIdOf()).not.toBe(before);
    expect(isCordoned(here)).toBe(false);
  });

  test("ahead after the eviction is not rebooted, and its node is given back", async () => {
    const before = await rebootUntil("reboot");
    injectFault(here, "clock-wrong", { ...ofWeb, how: "ahead" });
    const { status, summary, failure } = await ended();
    expect([status, failure?.stage]).toEqual(["failed", "reboot"]);
    expect(failure?.why).toContain("not rebooted: the clock of the machine is wrong");
    expect(summary).toContain("The node was not rebooted: the node is schedulable again");
    expect(told()).toContain("Amazon Time Sync), then try again");
    expect([bootIdOf(), isCordoned(here), ownerShown(here)]).toEqual([before, false, undefined]);
  });
});

test("A machine that counts no boots is rebooted once, although the time of its boot moves with its clock", async () => {
  here = await unasked("reboot");
  injectFault(here, "boots-uncounted", ofWeb);
  const boot = (): number => Number(here.simulator.machines.describe(web.instanceId)?.bootId);
  const before = boot();
  await here.pass(60);
  await here.type("operator", `/win reboot ${SHORT} --force ${web.name}`);
  await here.until(
    () => commands("observe").some(({ comment }) => comment.endsWith("look before the reboot")),
    60,
    "the look",
  );
  injectFault(here, "clock-wrong", { ...ofWeb, how: "slightly ahead" });
  expect(await ended()).toMatchObject(proven);
  expect([boot(), commands("reboot").length, isCordoned(here)]).toEqual([before + 1, 1, false]);
});

test("A reboot whose invocation was lost is proven by the boot id, and is not sent again", async () => {
  const before = await rebootOrdered();
  await here.until(() => bootIdOf() !== before, 20, "the boot");
  const [{ commandId } = { commandId: "" }] = commands("reboot");
  const key = `${commandId}/${web.instanceId}`;
  const lost = collected<object>("ssm-invocations").get(key);
  collected<object>("ssm-invocations").set(key, { ...lost, status: "Failed", details: "Undeliverable", steps: [] });
  expect(await ended()).toMatchObject(proven);
  expect([commands("reboot").length, isCordoned(here)]).toEqual([1, false]);
});

describe("A reboot whose node others make schedulable", () => {
  test("right before the order is not sent, and says so", async () => {
    const before = await rebootUntil("reboot");
    await cordonByHand(here, web, false);
    const { status, summary, failure } = await ended();
    expect([status, failure?.stage, bootIdOf()]).toEqual(["failed", "reboot", before]);
    expect(failure?.why).toContain("is no longer cordoned");
    expect(summary).toContain("someone else uncordoned it");
  });

  test("during its proof leaves it schedulable", async () => {
    await rebootUntil("prove");
    await cordonByHand(here, web, false);
    expect(await ended()).toMatchObject(proven);
    expect([isCordoned(here), ownerShown(here)]).toEqual([false, undefined]);
  });
});

test("A reboot on whose node a pod was started again right before the order is not sent", async () => {
  const before = await rebootUntil("reboot");
  here.simulator.kubernetes.create(podOn(web, "late"));
  const { status, failure } = await ended();
  expect([status, failure?.stage, bootIdOf()]).toEqual(["failed", "reboot", before]);
  expect(failure?.why).toContain("default/late");
  expect(isCordoned(here)).toBe(false);
});

test("A reboot whose budget never lets its pod go asks, reboots nothing, and gives the node back", async () => {
  const before = await rebootUntil("evict", { reboot: { evict: 3, continue: 5 } });
  const { summary, failure } = await ended();
  expect(summary).toContain("The node was not rebooted: the node is schedulable again");
  expect(failure).toMatchObject({ stage: "evict", why: expect.stringContaining("budget default/guard") });
  expect(told()).toMatch(/not drained yet after 3m\d+s · needs a decision/);
  expect([bootIdOf(), isCordoned(here), running(here, "guarded")]).toEqual([before, false, 1]);
  expect(commands("reboot")).toEqual([]);
});
