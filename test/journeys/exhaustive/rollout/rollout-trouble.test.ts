import { afterEach, describe, expect, test } from "vitest";
import {
  APPROVE_OPERATION,
  CANCEL_OPERATION,
  PAUSE_ROLLOUT,
  RESUME_ROLLOUT,
} from "../../../../lambdas/messages/slack/buttons.ts";
import { heldBack, newest, nodeNamed, settled } from "../../evidence.ts";
import type { Journey } from "../../journey.ts";
import { kubectl } from "../../others.ts";
import { endFault, injectFault } from "../../outside.ts";
import { poolOfFour } from "../../pool-of-four.ts";
import { inThreads, openly } from "../../reading.ts";

let here: Journey;
let names: readonly string[];
afterEach(() => here.close());

const SOON = { deadlines: { reboot: { reboot: 20, prove: 12 } } };
const begin = async (slots: number, configuration: object = {}): Promise<void> => {
  ({ here, names } = await poolOfFour(slots, configuration));
};

const bootOf = (name: string | undefined): string | undefined => nodeNamed(here, name)?.status?.nodeInfo?.bootID;
const boots = (): (string | undefined)[] => names.map(bootOf);
const cordoned = (): string[] => names.filter((name) => nodeNamed(here, name)?.spec?.unschedulable === true);
const instanceOf = (name: string | undefined): string =>
  nodeNamed(here, name)?.spec?.providerID?.split("/").at(-1) ?? "";
const rolloutOf = async () => (await newest(here)).operation;
const nodesOf = async () => (await newest(here)).nodes;
const paused = (): Promise<void> =>
  here.until(async () => (await rolloutOf()).rollout?.paused != null, 300, "the pause");
const reaches = (at: number, stage: string): Promise<void> =>
  here.until(async () => (await nodesOf())[at]?.stage === stage, 120, `node ${at} in stage ${stage}`);

/** Others reboot the machine of a node, and its kubelet says so. */
async function rebootByOthers(name: string | undefined): Promise<void> {
  const before = bootOf(name);
  here.simulator.simulation.bus.announce({ kind: "instance-reboot", instanceId: instanceOf(name) });
  await here.until(() => bootOf(name) !== before, 20, "the boot of the others");
}

describe("A rollout with --canary whose first node fails", () => {
  const failing = async (): Promise<(string | undefined)[]> => {
    await begin(2, SOON);
    injectFault(here, "boot-hangs", { instanceId: instanceOf(names[0]) });
    const before = boots();
    await here.type("operator", "/win reboot web --canary");
    await paused();
    expect((await rolloutOf()).summary).toContain(`${names[0]} failed at reboot`);
    return before;
  };

  test("touches no other node, and is cancelled", async () => {
    const before = await failing();
    await here.pass(30);
    await here.press("operator", CANCEL_OPERATION);
    await settled(here, 60);
    expect(await rolloutOf()).toMatchObject({
      status: "cancelled",
      summary: expect.stringContaining("0 of 4 nodes are rebooted and proven."),
    });
    expect(boots().slice(1)).toEqual(before.slice(1));
    expect([cordoned(), await heldBack(here)]).toEqual([[names[0]], []]);
  });

  test("tries the next node alone when it is resumed, and asks once that one is proven", async () => {
    const before = await failing();
    await here.press("operator", RESUME_ROLLOUT);
    await here.until(async () => (await nodesOf())[1]?.status === "succeeded", 60, "the second node");
    await paused();
    expect((await rolloutOf()).summary).toContain("the first node is proven");
    expect(boots().slice(2)).toEqual(before.slice(2));
  });
});

describe("A rollout in which others are at work", () => {
  test("reboots a node all the same that others have rebooted, where no approval is bound to its boot", async () => {
    await begin(1);
    // Agents report every five minutes: one that is about to would not have reported for eleven after its boot.
    await here.pass(6);
    await here.type("operator", "/win reboot web --max 1");
    await reaches(0, "prove");
    await rebootByOthers(names[1]);
    const between = bootOf(names[1]);
    await here.until(async () => (await nodesOf())[1]?.status === "succeeded", 60, "the second node");
    expect(bootOf(names[1])).not.toBe(between);
  });

  test("does not touch a node that others have rebooted since its approval, and says what helps", async () => {
    await begin(1, { approvals: {} });
    await here.type("operator", `/win reboot ${names[0]} ${names[1]} ${names[2]}`);
    await here.until(async () => (await rolloutOf()).approval?.state === "open", 10, "the question");
    await rebootByOthers(names[1]);
    const between = bootOf(names[1]);
    await here.press("approver", APPROVE_OPERATION);
    await paused();
    const told = [...openly(here), ...inThreads(here)].join("\n");
    expect(told).toContain("has booted again); a reboot of this node alone asks again");
    expect(told).toContain("*Remedy:* run the command on this node alone: it is planned anew");
    expect(told).not.toContain("maxUnavailable");
    expect(bootOf(names[1])).toBe(between);
    await here.press("operator", RESUME_ROLLOUT);
    await settled(here, 60);
    expect(await rolloutOf()).toMatchObject({ status: "failed", rollout: { paused: null } });
    expect([bootOf(names[1]), cordoned(), await heldBack(here)]).toEqual([between, [], []]);
  });

  test("pauses when the Node that it reboots is deleted, and goes on with the others", async () => {
    await begin(1, SOON);
    await here.type("operator", `/win reboot ${names[0]} ${names[1]}`);
    await reaches(0, "reboot");
    await here.pass(1);
    await kubectl(here, "DELETE", `/api/v1/nodes/${names[0]}`);
    await paused();
    expect((await nodesOf())[0]?.failure).toMatchObject({
      stage: "prove",
      why: expect.stringContaining("registered as a new Node"),
    });
    await here.press("operator", RESUME_ROLLOUT);
    await settled(here, 240);
    expect((await rolloutOf()).summary).toContain("1 of 2 nodes is rebooted and proven.");
    expect([cordoned(), await heldBack(here)]).toEqual([[], []]);
  });

  test("goes on while Slack does not say who people are, and hears a pause once it does", async () => {
    await begin(1);
    const before = boots();
    await here.type("operator", `/win reboot ${names[0]} ${names[1]} ${names[2]}`);
    await reaches(0, "reboot");
    const fault = injectFault(here, "slack-refuses", { method: "users.info", code: "token_revoked" });
    await reaches(1, "reboot");
    await here.press("operator", PAUSE_ROLLOUT);
    await here.pass(10);
    expect((await rolloutOf()).rollout?.paused ?? null).toBeNull();
    endFault(here, fault);
    await paused();
    expect((await nodesOf()).filter(({ status }) => status === "failed")).toEqual([]);
    expect(bootOf(names[1])).not.toBe(before[1]);
  });

  test.each(["reboot", "prove"])(
    "outlasts an API server that is away for ten minutes from stage %s on",
    async (stage) => {
      await begin(1);
      const before = boots();
      await here.type("operator", `/win reboot ${names[0]} ${names[1]}`);
      await reaches(1, stage);
      const fault = injectFault(here, "kubernetes-5xx");
      await here.pass(10);
      endFault(here, fault);
      await settled(here, 300);
      expect(await rolloutOf()).toMatchObject({
        status: "succeeded",
        summary: "2 of 2 nodes are rebooted and proven.",
      });
      expect(boots().map((boot, at) => boot === before[at])).toEqual([false, false, true, true]);
      expect([cordoned(), await heldBack(here)]).toEqual([[], []]);
    },
  );
});
