import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import {
  CANCEL_OPERATION,
  CONTINUE_DRAIN,
  CONTINUE_REMOVAL,
  KEEP_CORDONED,
  UNCORDON_NODE,
} from "../../../../lambdas/messages/slack/buttons.ts";
import { lambdaName } from "../../../../lib/sandbox/simulator.ts";
import { notified } from "../../connecting.ts";
import { heldBack, newest, nodeNamed, settled } from "../../evidence.ts";
import type { Journey } from "../../journey.ts";
import { allowDisruptions, guardedPod, kubectl, otherWeb, podsOn, shortName, stateOf, web } from "../../others.ts";
import { endFault, injectFault, terminateFromOutside } from "../../outside.ts";
import { inThreads, openly, privately, rowsInLines } from "../../reading.ts";
import { confirmRemoval, expectGone, expectKept, withSeedNodes } from "../../removal.ts";
import { type Moment, type Restarts, recordRestarts } from "../../restarts.ts";
import { firstRemoval, secondRemoval, withThirdNode } from "./two-removals.ts";

let here: Journey | undefined;
afterEach(async () => {
  await here?.close();
  here = undefined;
});

const SHORT = shortName(web);
const configuration = (deadlines: object, more: object = {}) => ({
  configuration: {
    approvals: { drain: { needs: 0 }, remove: { needs: 0 } },
    deadlines: { drain: { evict: 2, continue: 10, ...deadlines }, remove: { evict: 2, continue: 10, ...deadlines } },
    ...more,
  },
});

const asks = (one: Journey): boolean => openly(one).at(-1)?.includes("is not drained yet") ?? false;
const isCordoned = (one: Journey): boolean => nodeNamed(one, web.name)?.spec?.unschedulable === true;

/** The answer to `/win audit` about the newest operation. */
async function auditOf(one: Journey): Promise<string> {
  await one.type("approver", `/win audit ${(await newest(one)).operation.id}`);
  await settled(one, 2);
  return rowsInLines(privately(one, "approver").at(-1) ?? "");
}

/** A drain of a node whose budget lets no pod go, at its first deadline. */
async function lateDrain(deadlines: object = {}, more: object = {}): Promise<Journey> {
  here = await withSeedNodes(configuration(deadlines, more));
  await guardedPod(here, web);
  await here.type("operator", `/win drain ${SHORT} --force ${web.name}`);
  await here.until(() => here !== undefined && asks(here), 6, "the question");
  return here;
}

describe("A drain that has passed its deadline", () => {
  test("gives the node back when Continue is not pressed in time", async () => {
    const one = await lateDrain();
    expect(isCordoned(one)).toBe(true);
    await settled(one, 13);
    const { operation, nodes } = await newest(one);
    expect(operation).toMatchObject({ status: "failed", summary: expect.stringContaining("schedulable again") });
    expect(nodes[0]).toMatchObject({ status: "failed", decideBy: null, callbacks: {} });
    expect(openly(one).at(-1)).toContain("--disable-eviction");
    expect(isCordoned(one)).toBe(false);
    expect(await heldBack(one)).toEqual([]);
    expect(await auditOf(one)).toMatch(/lapsed {2,}.*continue the drain[\s\S]*give back the cordon/);
    await one.press("operator", CONTINUE_DRAIN).catch(() => undefined);
    await one.pass(5);
    expect(isCordoned(one)).toBe(false);
  });

  test.each([
    [4, "asks within a minute once Slack takes the question", 1],
    [10, "calls people past Slack while Slack takes no question for long, and asks once it does", 6],
  ])("whose question Slack does not take for %i minutes %s", async (minutes, _what, within) => {
    here = await withSeedNodes(configuration({ continue: 20 }));
    const one = here;
    await guardedPod(one, web);
    await one.type("operator", `/win drain ${SHORT} --force ${web.name}`);
    await one.until(async () => (await newest(one)).nodes[0]?.stage === "evict", 5);
    const { faults } = one.simulator.simulation;
    const away = faults.inject("slack-5xx", { method: "chat.update" });
    await one.pass(minutes);
    expect(asks(one)).toBe(false);
    const pages = notified(one).filter((text) => text.includes("was not drained by its deadline"));
    expect(pages).toHaveLength(minutes === 4 ? 0 : 1);
    faults.end(away?.id ?? "");
    await one.until(() => asks(one), within, "the question");
    await allowDisruptions(one);
    await one.press("operator", CONTINUE_DRAIN);
    await settled(one, 10);
    expect((await newest(one)).operation.status).toBe("succeeded");
  });

  test("asks anew while Slack does not say who has pressed", async () => {
    const one = await lateDrain({ continue: 20 });
    const fault = injectFault(one, "slack-refuses", { method: "users.info", code: "missing_scope" });
    await one.press("operator", CONTINUE_DRAIN);
    await one.pass(10);
    expect(asks(one)).toBe(true);
    endFault(one, fault);
    await allowDisruptions(one);
    await one.press("operator", CONTINUE_DRAIN);
    await settled(one, 10);
    expect((await newest(one)).operation.status).toBe("succeeded");
  });

  test("is continued by nobody who may not drain: the press does not count", async () => {
    const one = await lateDrain();
    await one.press("visitor", CONTINUE_DRAIN);
    await one.pass(1);
    expect(asks(one)).toBe(true);
    expect(privately(one, "visitor").at(-1)).toContain("permission");
    await one.press("operator", CONTINUE_DRAIN);
    await one.until(() => !asks(one), 2, "the drain to go on");
    expect(openly(one).at(-1)).toContain("<@U0OPERATOR> pressed Continue: pods are evicted until");
    await allowDisruptions(one);
    await settled(one, 10);
    expect((await newest(one)).operation.status).toBe("succeeded");
    expect(inThreads(one).some((line) => line.includes("Continue was pressed"))).toBe(true);
  });

  test("asks a second time with a question of its own, and goes on from that too", async () => {
    const one = await lateDrain();
    await one.press("operator", CONTINUE_DRAIN);
    await one.until(() => !asks(one), 2, "the drain to go on");
    await one.until(() => asks(one), 6, "the second question");
    await allowDisruptions(one);
    await one.press("operator", CONTINUE_DRAIN);
    await settled(one, 10);
    expect((await newest(one)).operation.status).toBe("succeeded");
    expect(inThreads(one).filter((line) => line.includes("not drained yet after"))).toHaveLength(2);
    const audit = await auditOf(one);
    expect(audit.match(/asked {2,}.*continue the drain/g)).toHaveLength(2);
    expect(audit.match(/decided {2,}U0OPERATOR {2,}.*continue the drain: continue/g)).toHaveLength(2);
  });

  test.each([
    ["the Node is deleted", (one: Journey) => kubectl(one, "DELETE", `/api/v1/nodes/${web.name}`)],
    ["the instance is terminated", (one: Journey) => terminateFromOutside(one, web.instanceId)],
  ])("ends well at the press when meanwhile %s", async (_what, happens) => {
    const one = await lateDrain();
    await happens(one);
    await one.pass(1);
    await one.press("operator", CONTINUE_DRAIN);
    await settled(one, 5);
    const { operation } = await newest(one);
    expect(operation).toMatchObject({ status: "succeeded", summary: expect.stringContaining("no longer exists") });
    expect(await heldBack(one)).toEqual([]);
  });

  test("is cancelled while it asks, and the node is given back", async () => {
    const one = await lateDrain();
    await one.press("operator", CANCEL_OPERATION);
    await settled(one, 5);
    expect((await newest(one)).operation.status).toBe("cancelled");
    expect(isCordoned(one)).toBe(false);
    expect(await heldBack(one)).toEqual([]);
  });

  test("leaves the node cordoned where its pool says hold, until a person uncordons it", async () => {
    const { configuration: before, close } = await withSeedNodes();
    await close();
    const held = { ...before.pools, web: { ...before.pools.web, afterFailedDrain: "hold" } };
    const one = await lateDrain({ continue: 1 }, { pools: held });
    await settled(one, 13);
    expect((await newest(one)).operation.summary).toContain(
      "the node stays cordoned, as its pool's afterFailedDrain says",
    );
    await one.pass(31);
    expect(isCordoned(one)).toBe(true);
    expect(await heldBack(one)).toEqual([]);
    await one.type("operator", `/win uncordon ${SHORT}`);
    await settled(one, 5);
    expect(isCordoned(one)).toBe(false);
  });
});

describe("A drain that fails in a pool that asks", () => {
  async function asked(): Promise<Journey> {
    const { configuration: before, close } = await withSeedNodes();
    await close();
    const web = { ...before.pools.web, afterFailedDrain: "ask" };
    const one = await lateDrain({ continue: 1 }, { pools: { ...before.pools, web } });
    await settled(one, 13);
    expect((await newest(one)).nodes[0]?.failure).toMatchObject({ stage: "evict", asksPerson: true });
    expect(openly(one).at(-1)).toContain("[Uncordon]\n[Keep cordoned]");
    expect([isCordoned(one), await heldBack(one)]).toEqual([true, []]);
    await one.pass(31);
    expect(inThreads(one).join("\n")).toContain("stays cordoned after a drain that failed");
    return one;
  }

  test("leaves the node cordoned, reminds people, and gives it back at Uncordon", async () => {
    const one = await asked();
    await one.press("operator", UNCORDON_NODE);
    await settled(one, 5);
    expect(isCordoned(one)).toBe(false);
    expect(openly(one)[0]).not.toMatch(/\[(Uncordon|Keep cordoned)\]/);
  });

  test("leaves the cordon to the person who presses Keep cordoned, and waits for nobody", async () => {
    const one = await asked();
    await one.press("operator", KEEP_CORDONED);
    await settled(one, 5);
    expect(isCordoned(one)).toBe(true);
    expect(openly(one)[0]).not.toMatch(/\[(Uncordon|Keep cordoned)\]/);
    await one.type("operator", "/win nodes");
    await settled(one, 5);
    expect(privately(one, "operator").at(-1)).not.toContain("Waiting for a person");
  });

  test("answers a press of a person without the right, and leaves the node as it is", async () => {
    const one = await asked();
    await one.press("visitor", UNCORDON_NODE);
    await settled(one, 5);
    expect(isCordoned(one)).toBe(true);
    expect(privately(one, "visitor").at(-1)).toContain("You do not have permission");
  });
});

describe("A drain that has passed its deadline and whose handler dies", () => {
  /** Every durable operation from the question to the drain that follows. */
  const OPERATIONS = [
    "how long to ask 1",
    "time left: whether the drain goes on 1 1",
    "ask: whether the drain goes on 1 1",
    "judge the answer 1 1",
    "judge again after the question 1",
    "another deadline 1",
    "continue 1",
    "the pods have left 2",
  ] as const;

  test.each(["before", "after"])("%s each outcome is stored, asks once and goes on once", async (when) => {
    vi.spyOn(process.stderr, "write").mockReturnValue(true);
    here = await withSeedNodes(configuration({}));
    const one = here;
    const { faults } = one.simulator.simulation;
    for (const operation of OPERATIONS)
      faults.inject("handler-crash", { function: lambdaName("drain-node"), operation, when }, 1);
    await guardedPod(one, web);
    await one.type("operator", `/win drain ${SHORT} --force ${web.name}`);
    await one.until(() => asks(one), 9, "the question");
    await one.press("operator", CONTINUE_DRAIN);
    await one.until(() => !asks(one), 9, "the drain to go on");
    await allowDisruptions(one);
    await settled(one, 30);
    vi.restoreAllMocks();
    expect((await newest(one)).operation.status).toBe("succeeded");
    expect(faults.inForce()).toEqual([]);
    const told = inThreads(one);
    expect(new Set(told).size).toBe(told.length);
    expect(told.filter((line) => line.includes("Continue was pressed"))).toHaveLength(1);
    expect(await heldBack(one)).toEqual([]);
  });
});

test("A removal that asks keeps its slot: another one of the pool waits for it by name, and goes on once the node is given back", async () => {
  here = await withThirdNode({ deadlines: { remove: { evict: 2, continue: 5 } } });
  const one = here;
  const first = await firstRemoval(one);
  await one.until(() => asks(one), 6, "the question");
  await secondRemoval(one);
  expect(openly(one)[1]).toMatch(new RegExp(`${first} has ip-10-0-3-7.* since .*, and asks until .* whether to go on`));
  await one.until(() => stateOf(one, otherWeb) === "terminated", 15, "the second removal");
  expect(isCordoned(one)).toBe(false);
});

describe("A removal whose eviction has passed its deadline", () => {
  const lateRemoval = async (): Promise<Journey> => {
    here = await withSeedNodes(configuration({}));
    await guardedPod(here, web);
    await confirmRemoval(here, SHORT);
    await here.until(() => here !== undefined && asks(here), 6, "the question");
    return here;
  };

  test("goes on when Continue is pressed, and the instance goes", async () => {
    const one = await lateRemoval();
    await one.press("operator", CONTINUE_REMOVAL);
    await one.until(() => !asks(one), 2, "the removal to go on");
    await allowDisruptions(one);
    await expectGone(one, web);
    expect(podsOn(one, web)).toEqual([]);
  });

  test("keeps the node when Continue is not pressed", async () => {
    await expectKept(await lateRemoval(), web);
  });
});

describe("A process that dies between the press and the drain that follows, and is started again on its files", () => {
  const moments: readonly Moment[] = [
    {
      after: "the press was passed on",
      service: "lambda",
      action: "SendDurableExecutionCallbackSuccess",
      principal: "front-door",
      count: 1,
    },
  ];
  let restarts: Restarts;
  beforeAll(async () => {
    restarts = await recordRestarts({ seedNodes: true, ...configuration({}) }, moments, async (first) => {
      await guardedPod(first, web);
      await first.type("operator", `/win drain ${SHORT} --force ${web.name}`);
      await first.until(() => asks(first), 6, "the question");
      await allowDisruptions(first);
      await first.press("operator", CONTINUE_DRAIN);
      await settled(first, 20);
    });
  });
  afterAll(() => restarts.end());

  test("goes on once, and the node is drained", async () => {
    here = await restarts.from("the press was passed on");
    await settled(here, 20);
    expect((await newest(here)).operation.status).toBe("succeeded");
    expect(podsOn(here, web)).not.toContain("guarded");
    const told = inThreads(here);
    expect(new Set(told).size).toBe(told.length);
    expect(told.filter((line) => line.includes("Continue was pressed"))).toHaveLength(1);
    expect(await heldBack(here)).toEqual([]);
  });
});
