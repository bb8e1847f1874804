import { afterEach, describe, expect, test } from "vitest";
import {
  APPROVE_OPERATION,
  CANCEL_OPERATION,
  RESUME_ROLLOUT,
  RESUME_WITH_MORE,
} from "../../../../lambdas/messages/slack/buttons.ts";
import { calls, expectSound, heldBack, newest, nodeNamed, settled } from "../../evidence.ts";
import type { Journey } from "../../journey.ts";
import { kubectl } from "../../others.ts";
import { endFault, injectFault, terminateFromOutside } from "../../outside.ts";
import { poolOfFour } from "../../pool-of-four.ts";
import { inThreads, openly, privately } from "../../reading.ts";

let here: Journey;
let names: readonly string[];
afterEach(() => here.close());

const begin = async (slots: number, configuration: object = {}): Promise<void> => {
  ({ here, names } = await poolOfFour(slots, configuration));
  joined = new Set(sentReboots().map(({ commandId }) => commandId));
};

const bootOf = (name: string | undefined): string | undefined => nodeNamed(here, name)?.status?.nodeInfo?.bootID;
const boots = (): (string | undefined)[] => names.map(bootOf);
const isCordoned = (name: string | undefined): boolean => nodeNamed(here, name)?.spec?.unschedulable === true;
const cordoned = (): string[] => names.filter(isCordoned);
const instanceOf = (name: string | undefined): string =>
  nodeNamed(here, name)?.spec?.providerID?.split("/").at(-1) ?? "";
const rolloutOf = async () => (await newest(here)).operation;
const paused = (): Promise<void> =>
  here.until(async () => (await rolloutOf()).rollout?.paused != null, 300, "the pause");

/** Reboots that were sent while the machines joined. */
let joined: ReadonlySet<string>;

interface Sent {
  readonly commandId: string;
  readonly documentName: string;
  readonly instanceIds: readonly string[];
}

const sentReboots = (): Sent[] =>
  [...here.simulator.simulation.store.collection<Sent>("ssm-commands").values()].filter(({ documentName }) =>
    documentName.includes("-reboot-"),
  );

/** Counts by machine the reboots that SSM was told of since. */
const rebootsOf = (): Map<string, number> => {
  const counts = new Map<string, number>();
  for (const { commandId, instanceIds } of sentReboots())
    if (!joined.has(commandId)) for (const machine of instanceIds) counts.set(machine, (counts.get(machine) ?? 0) + 1);
  return counts;
};

/** Most nodes that were cordoned at once while a rollout ran. */
async function mostAway(minutes: number): Promise<number> {
  let most = 0;
  await here.until(
    async () => {
      most = Math.max(most, cordoned().length);
      return here.simulator.lambda.executions().every(({ status }) => status !== "RUNNING");
    },
    minutes,
    "the end of the rollout",
  );
  return most;
}

describe("A rollout over a pool of four", () => {
  test.each([1, 2])(
    "with %i slots reboots each node once, one first, never more away, in one message",
    async (slots) => {
      await begin(slots);
      const before = boots();
      await here.type("operator", '/win reboot web --reason "updates are pending"');
      expect(await mostAway(240)).toBe(slots);
      const { operation, nodes } = await newest(here);
      expect(operation).toMatchObject({ status: "succeeded", summary: "4 of 4 nodes are rebooted and proven." });
      expect(nodes.map(({ nodeName }) => nodeName)).toEqual(names);
      const [first, second] = nodes;
      expect(Date.parse(second?.startedAt ?? "")).toBeGreaterThanOrEqual(Date.parse(first?.endedAt ?? ""));
      expect(boots().every((boot, at) => boot !== undefined && boot !== before[at])).toBe(true);
      expect([...rebootsOf().values()]).toEqual([1, 1, 1, 1]);
      expect(cordoned()).toEqual([]);
      expect(openly(here).filter((text) => text.includes("Reboot pool web"))).toHaveLength(1);
      expect(await heldBack(here)).toEqual([]);
      await expectSound(here);
    },
  );

  test("asks once, with one card for all nodes", async () => {
    await begin(2, { approvals: {} });
    await here.type("operator", "/win reboot web --max 1");
    await here.until(async () => (await rolloutOf()).approval?.state === "open", 10, "the question");
    const card = openly(here).at(-1) ?? "";
    expect(card).toContain("4 nodes of `web` are drained and rebooted, one first.");
    expect(card).toContain("the others follow, one after another");
    expect(boots().every(Boolean)).toBe(true);
    expect(cordoned()).toEqual([]);
    await here.press("approver", APPROVE_OPERATION);
    expect(await mostAway(240)).toBe(1);
    expect(await rolloutOf()).toMatchObject({ status: "succeeded" });
    expect((await here.operations()).filter(({ request }) => request.command === "reboot")).toHaveLength(1);
  });

  test("is planned with three calls for a further node that has no pods to evict", async () => {
    await begin(1);
    const planned = async (nodes: readonly string[]): Promise<number> => {
      const before = calls(here).length;
      await here.type("operator", `/win reboot ${nodes.join(" ")} --dry-run`);
      await settled(here, 10);
      return calls(here).length - before;
    };
    const two = names.slice(0, 2);
    // The first plan reads secrets too.
    await planned(two);
    const ofTwo = await planned(two);
    expect((await planned(names)) - ofTwo).toBe(2 * 3);
  });

  test("shows its plan to the requester alone with --dry-run, and changes nothing", async () => {
    await begin(1);
    const before = boots();
    await here.type("operator", `/win reboot ${names[0]} ${names[1]} --dry-run`);
    await settled(here, 30);
    expect(privately(here, "operator").at(-1)).toContain("Dry run: nothing was changed.* 2 nodes of `web`");
    expect(boots()).toEqual(before);
  });
});

const soon = { deadlines: { reboot: { reboot: 20, prove: 12 } } };

describe("A rollout whose first node fails", () => {
  test("pauses and asks, and goes on with the others when a person resumes it", async () => {
    await begin(2, soon);
    injectFault(here, "boot-hangs", { instanceId: instanceOf(names[0]) });
    const before = boots();
    await here.type("operator", "/win reboot web");
    await paused();
    const waiting = await rolloutOf();
    expect(waiting.status).toBe("waiting");
    expect(waiting.summary).toContain(`${names[0]} failed at reboot`);
    expect(inThreads(here).join("\n")).toContain("<@U0OPERATOR>, the rollout is paused");
    expect(cordoned()).toEqual([names[0]]);
    await here.pass(60);
    expect(boots().slice(1)).toEqual(before.slice(1));
    const reminders = inThreads(here).filter((text) => text.includes("⏰"));
    expect(reminders).toEqual([
      expect.stringMatching(
        /^<.*S0OPERATORS.*a rollout that is paused, for (?:15|16|17|18|19|20)m: .*failed at reboot/,
      ),
      expect.stringMatching(/^<@U0OPERATOR> .*a rollout that is paused, for 3\dm/),
    ]);
    await here.press("operator", RESUME_ROLLOUT);
    await settled(here, 300);
    const { operation } = await newest(here);
    expect(operation.status).toBe("failed");
    expect(operation.summary).toContain("3 of 4 nodes are rebooted and proven.");
    expect(cordoned()).toEqual([names[0]]);
    expect([...rebootsOf().values()]).toEqual([1, 1, 1, 1]);
    expect(await heldBack(here)).toEqual([]);
  });

  test("ends its execution after four hours of waiting; the command starts the next one", async () => {
    await begin(2, soon);
    injectFault(here, "boot-hangs", { instanceId: instanceOf(names[0]) });
    await here.type("operator", "/win reboot web");
    await paused();
    await settled(here, 5 * 60);
    const { id, rollout, endedAt } = await rolloutOf();
    expect(endedAt).toBeNull();
    expect(rollout?.parkedAt).not.toBeNull();
    await here.pass(60);
    expect((await rolloutOf()).endedAt).toBeNull();
    await here.type("operator", `/win resume ${id}`);
    await settled(here, 300);
    expect(await rolloutOf()).toMatchObject({ status: "failed", rollout: { part: 2 } });
    expect((await rolloutOf()).summary).toContain("3 of 4 nodes are rebooted and proven.");
    expect(openly(here).filter((text) => text.includes("Reboot pool web"))).toHaveLength(1);
  });

  test("stays paused while that node takes the only slot, and goes on beside it when a person says so", async () => {
    await begin(1, soon);
    injectFault(here, "boot-hangs", { instanceId: instanceOf(names[0]) });
    await here.type("operator", "/win reboot web");
    await paused();
    const blocked = `${names[0]} is NotReady or cordoned and takes the only slot of pool web.`;
    expect((await rolloutOf()).summary).toContain(blocked);
    expect(inThreads(here).join("\n")).toMatch(
      new RegExp(`is paused: ${names[0]} failed at reboot \\(.*reboot.ps1.*\\)\\. ${blocked}`),
    );
    await here.press("operator", RESUME_ROLLOUT);
    await here.pass(90);
    const before = await newest(here);
    expect(before.operation).toMatchObject({ status: "waiting", rollout: { paused: { by: null } } });
    expect(before.nodes.slice(1).map(({ status }) => status)).toEqual(["queued", "queued", "queued"]);
    await here.press("operator", RESUME_WITH_MORE);
    expect(await mostAway(300)).toBe(2);
    expect((await rolloutOf()).summary).toContain("3 of 4 nodes are rebooted and proven.");
    expect(cordoned()).toEqual([names[0]]);
    expect(await heldBack(here)).toEqual([]);
  });

  test("goes on by Resume once that node is in service again", async () => {
    await begin(1, soon);
    const fault = injectFault(here, "boot-hangs", { instanceId: instanceOf(names[0]) });
    await here.type("operator", `/win reboot ${names[0]} ${names[1]}`);
    await paused();
    const { id } = await rolloutOf();
    endFault(here, fault);
    await here.type("operator", `/win reboot ${names[0]} --ec2`);
    await here.until(() => !isCordoned(names[0]), 120, "the repaired node");
    await here.type("operator", `/win resume ${id}`);
    await settled(here, 300);
    const ended = (await here.operations()).find((one) => one.id === id);
    expect(ended?.summary).toContain("1 of 2 nodes is rebooted and proven.");
    expect(cordoned()).toEqual([]);
  });

  test("is ended by a cancellation though no execution waits", async () => {
    await begin(1, soon);
    injectFault(here, "boot-hangs", { instanceId: instanceOf(names[0]) });
    await here.type("operator", "/win reboot web");
    await paused();
    await settled(here, 5 * 60);
    await here.press("operator", CANCEL_OPERATION);
    await settled(here, 60);
    const { operation } = await newest(here);
    expect(operation.status).toBe("cancelled");
    expect(operation.summary).toContain("0 of 4 nodes are rebooted and proven.");
    expect(await heldBack(here)).toEqual([]);
  });
});

describe("A rollout with --canary", () => {
  test("asks once the first node is proven, and goes on when a person says so", async () => {
    await begin(2);
    await here.type("operator", "/win reboot web --canary");
    await paused();
    const { summary, id } = await rolloutOf();
    expect(summary).toContain("the first node is proven");
    expect([...rebootsOf().values()]).toEqual([1]);
    await here.type("operator", `/win resume ${id}`);
    await settled(here, 240);
    expect(await rolloutOf()).toMatchObject({ status: "succeeded" });
  });
});

describe("A rollout under way", () => {
  const secondRuns = (): Promise<void> =>
    here.until(async () => (await newest(here)).nodes[1]?.stage === "guard", 120, "the second node");

  test("is paused by a person: the node that was not rebooted yet is put back, and begun again afterwards", async () => {
    await begin(1);
    await here.type("operator", "/win reboot web");
    await secondRuns();
    await here.type("operator", `/win pause ${(await rolloutOf()).id}`);
    await here.until(
      async () => (await newest(here)).nodes[1]?.status === "cancelled",
      30,
      "the node that was put back",
    );
    expect(cordoned()).toEqual([]);
    expect([...rebootsOf().values()]).toEqual([1]);
    await here.pass(30);
    await here.press("operator", RESUME_ROLLOUT);
    await settled(here, 240);
    expect(await rolloutOf()).toMatchObject({
      status: "succeeded",
      summary: "4 of 4 nodes are rebooted and proven.",
    });
    expect([...rebootsOf().values()]).toEqual([1, 1, 1, 1]);
    expect(await heldBack(here)).toEqual([]);
    await expectSound(here);
  });

  test("is cancelled: nothing further is rebooted, and what was begun is put back", async () => {
    await begin(1);
    await here.type("operator", "/win reboot web");
    await secondRuns();
    await here.press("operator", CANCEL_OPERATION);
    await settled(here, 60);
    const { operation } = await newest(here);
    expect(operation.status).toBe("cancelled");
    expect(operation.summary).toContain("1 of 4 nodes is rebooted and proven.");
    expect(cordoned()).toEqual([]);
    expect([...rebootsOf().values()]).toEqual([1]);
    expect(await heldBack(here)).toEqual([]);
    await expectSound(here);
  });

  test("finishes a node that is past its point of no return when it is cancelled", async () => {
    await begin(1);
    await here.type("operator", "/win reboot web");
    await here.until(async () => (await newest(here)).nodes[0]?.stage === "prove", 120, "the proof");
    await here.press("operator", CANCEL_OPERATION);
    await settled(here, 60);
    const { operation, nodes } = await newest(here);
    expect(operation.status).toBe("cancelled");
    expect(nodes[0]?.status).toBe("succeeded");
    expect(cordoned()).toEqual([]);
  });

  test("goes on past a node that was deleted meanwhile", async () => {
    await begin(1);
    await here.type("operator", "/win reboot web");
    await secondRuns();
    const instance = instanceOf(names[2]);
    await kubectl(here, "DELETE", `/api/v1/nodes/${names[2]}`);
    await terminateFromOutside(here, instance);
    await settled(here, 240);
    expect(await rolloutOf()).toMatchObject({ status: "succeeded" });
    expect((await rolloutOf()).summary).toContain("3 of 4 nodes are rebooted and proven. No longer there:");
  });

  test("queues a node again that gets no slot, and reboots it when it is resumed", async () => {
    await begin(1);
    const cordon = (unschedulable: boolean) =>
      kubectl(here, "PATCH", `/api/v1/nodes/${names[3]}`, { spec: { unschedulable } });
    await here.type("operator", `/win reboot ${names[0]} ${names[1]}`);
    await here.until(async () => (await newest(here)).nodes[0]?.stage === "prove", 120, "the proof");
    await cordon(true);
    await paused();
    expect((await rolloutOf()).summary).toContain(`Paused: no slot became free for ${names[1]}.`);
    await cordon(false);
    await here.press("operator", RESUME_ROLLOUT);
    await settled(here, 240);
    expect(await rolloutOf()).toMatchObject({ status: "succeeded", summary: "2 of 2 nodes are rebooted and proven." });
  });

  test("outlasts an API server that answers 503 for a while", async () => {
    await begin(1);
    await here.type("operator", "/win reboot web");
    await secondRuns();
    const fault = injectFault(here, "kubernetes-5xx");
    await here.pass(3);
    endFault(here, fault);
    await settled(here, 240);
    expect(await rolloutOf()).toMatchObject({ status: "succeeded", summary: "4 of 4 nodes are rebooted and proven." });
    expect(calls(here, "ssm", "SendCommand").length).toBeGreaterThan(0);
    expect([...rebootsOf().values()]).toEqual([1, 1, 1, 1]);
  });
});
