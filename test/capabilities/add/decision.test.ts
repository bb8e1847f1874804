import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { awaitDecision } from "../../../lambdas/capabilities/add/decision.ts";
import type { NodeRecord } from "../../../lambdas/records/records.ts";
import { callLog, machine, taskOn } from "../../change/a-task.ts";
import { run, setUp, tearDown } from "../../engine/durable-engine.ts";
import { answers, recorded } from "../../engine/recorded.ts";
import { nodeRecord } from "../../messages/records.ts";
import { configurationWith } from "../../profiles/okd/facts.ts";

beforeAll(setUp);
afterAll(tearDown);
beforeEach(() => void vi.spyOn(console, "error").mockReturnValue());
afterEach(() => void vi.restoreAllMocks());

const ID = machine.instanceId;
const WHY = "Install-WindowsFeature : 0x800f0954";

interface Scene {
  /** Press in the ledger, by round. */
  readonly presses?: readonly (object | null)[];
  readonly cancelledBy?: string;
  /** People who may decide. */
  readonly operators?: readonly string[];
  /** The rules cannot be read. */
  readonly isUnread?: boolean;
  /** Rounds that are woken; the last one lasts until the time is up. */
  readonly wakes?: number;
  readonly state?: string;
  readonly describe?: () => Promise<never>;
  readonly nodes?: () => Promise<readonly Partial<NodeRecord>[]>;
  readonly node?: object;
  readonly slack?: Error;
}

/** Asks what becomes of a failed machine. @returns the decision, what was written, and the minutes until then */
async function decided({ presses = [], operators = ["U0OPERATOR"], wakes = presses.length, ...scene }: Scene) {
  const configuration = { ...configurationWith(), people: { operator: operators }, policy: { add: ["operator"] } };
  const rules = scene.isUnread ? () => Promise.reject(new Error("AccessDenied")) : answers(configuration);
  let round = 0;
  const { steps, calls } = recorded(
    {
      runtime: { read: answers({ version: "1", configuration }), rules },
      people: { membership: answers("member"), groupsOf: answers([]) },
      instances: { describe: scene.describe ?? answers({ ...machine, state: scene.state ?? "running" }) },
      ledger: {
        answerOf: async () => presses[round - 1] ?? null,
        operation: answers({ cancelledBy: scene.cancelledBy ?? null, callbacks: {} }),
        nodes: scene.nodes ?? answers([nodeRecord({ operation: "add-1", notes: [] })]),
      },
    },
    {
      ledger: {
        changeNode: async (_id: string, _index: number, { status }: { status?: string }) => {
          if (status === "deciding") round += 1;
        },
        awaitMachine: answers(),
      },
      nodes: { announce: answers() },
      audit: { append: answers() },
      notices: { send: answers() },
      thread: {
        sendEphemeral: async () => {
          if (scene.slack) throw scene.slack;
        },
      },
    },
  );
  const { now, timestamp, ...nouns } = steps;
  const began = Date.now();
  const ended = await run(
    (ctx) => {
      const changes = { stage: "features", ...(scene.node ? { node: scene.node } : {}) } as const;
      const task = taskOn(ctx, callLog(), nouns, changes as never);
      return awaitDecision(task, { why: WHY, code: "feature-not-installed", left: "it is running" });
    },
    async ({ callback }) => {
      for (let at = 1; at <= wakes; at += 1) {
        const asked = callback(`what becomes of the machine ${at}`, "bare");
        await asked.begun();
        await asked.succeed();
      }
    },
  );
  const minutes = Math.round((Date.now() - began) / 60_000);
  const shown = calls.flatMap(([verb, , , change]) => (verb === "ledger.changeNode" ? [change] : []));
  const of = (verb: string) => calls.filter(([one]) => one === verb).map(([, ...args]) => args);
  return { decision: ended.result, error: ended.error.message, shown, of, minutes };
}

const press = (decision: string, more: object = {}) => ({ decision, userId: "U0OPERATOR", ...more });
const kept = configurationWith().deadlines.provision.keepFailed;

describe("The question what becomes of a failed machine", () => {
  test("shows the failure and its deadline, and ends without an answer when that has passed", async () => {
    const { decision, shown, of, minutes } = await decided({});
    expect([decision, minutes]).toEqual([{ decision: "time" }, kept]);
    expect(shown).toEqual([
      {
        ...{ status: "deciding", waitsFor: null },
        failure: { stage: "features", why: WHY, code: "feature-not-installed", left: "it is running" },
        decideBy: expect.any(String),
        callbacks: { decision: expect.any(String), cancel: expect.any(String) },
        failedAt: expect.any(String),
      },
    ]);
    expect(of("ledger.awaitMachine")).toEqual([[ID, expect.any(String)]]);
    expect(of("audit.append").map(([, , act]) => act)).toMatchObject([
      { what: "asked", detail: { question: "failed machine", stage: "features" } },
    ]);
    expect(of("notices.send")).toMatchObject([[{ operation: "add-1" }]]);
    expect(of("nodes.announce")).toEqual([]);
  });

  test("is an event on its Node, if there is one", async () => {
    const node = { name: "web-1", uid: "uid-1" };
    expect((await decided({ node })).of("nodes.announce")).toEqual([
      [node, "Warning", "CasementProvisioningFailed", `stage features: ${WHY}`],
    ]);
  });

  test.each<[string, object, object, readonly string[]]>([
    ["keeps it", press("keep"), press("keep"), [`Keeping \`${ID}\``]],
    ["terminates it", press("terminate"), press("terminate"), [`Terminating \`${ID}\``]],
    ["decides about several", press("keep", { isOfMany: true }), press("keep", { isOfMany: true }), []],
  ])("is answered by a press that %s, which is confirmed at once", async (_which, given, decision, words) => {
    const { of, ...end } = await decided({ presses: [given] });
    expect(end.decision).toEqual(decision);
    const said = of("thread.sendEphemeral").map(([, to, message]) => [to, (message as { text: string }).text]);
    expect(said).toEqual(words.map((start) => ["U0OPERATOR", expect.stringContaining(start)]));
  });

  test("is answered though Slack does not take the confirmation", async () => {
    const { decision } = await decided({ presses: [press("keep")], slack: new Error("no such channel") });
    expect(decision).toEqual(press("keep"));
  });

  test("stays after a press of a person who may not decide, whose press is cleared", async () => {
    const { decision, shown, of } = await decided({ presses: [press("terminate", { userId: "U0GUEST" })] });
    expect(decision).toEqual({ decision: "time" });
    expect(shown).toHaveLength(2);
    expect(shown[0]).not.toHaveProperty("decided");
    expect(shown[1]).toMatchObject({ decided: null });
    expect(shown[1]).not.toHaveProperty("failedAt");
    expect(shown[1]).not.toHaveProperty("unjudgedBy");
    expect(of("audit.append").filter(([, , act]) => (act as { what: string }).what === "asked")).toHaveLength(1);
  });

  test("keeps the machine where a press could not be judged, and says why", async () => {
    const { decision, shown, of } = await decided({ presses: [press("terminate")], isUnread: true });
    expect(decision).toEqual({ decision: "unjudged", userId: "U0OPERATOR" });
    expect(shown.at(-1)).toMatchObject({ unjudgedBy: "U0OPERATOR" });
    const words = expect.stringMatching(/could not verify the person's permissions.*AccessDenied/);
    expect(shown).toContainEqual({ notes: [words] });
    expect(of("thread.sendEphemeral")).toEqual([
      [expect.anything(), "U0OPERATOR", expect.objectContaining({ text: words })],
    ]);
  });

  test("ends with a cancellation of the operation", async () => {
    const { decision } = await decided({ cancelledBy: "U0OPERATOR", wakes: 1 });
    expect(decision).toEqual({ decision: "cancel", userId: "U0OPERATOR" });
  });

  test.each<[string, Scene, object]>([
    ["ends where the machine has ended", { state: "terminated" }, { decision: "gone" }],
    ["stays where it runs", {}, { decision: "time" }],
    [
      "stays where EC2 does not answer",
      { describe: () => Promise.reject(new Error("Unavailable")) },
      { decision: "time" },
    ],
  ])("%s after an event of the machine", async (_what, scene, end) => {
    expect((await decided({ wakes: 1, ...scene })).decision).toEqual(end);
  });
});

describe("People are called to a failed machine past Slack", () => {
  const failure = { stage: "features", why: WHY, left: "" } as const;
  const own = nodeRecord({
    operation: "add-1",
    index: 0,
    status: "deciding",
    failure,
    failedAt: "2026-11-21T14:10:00.000Z",
  });
  const other = { ...own, index: 1, failedAt: "2026-11-21T14:05:00.000Z" };

  test.each<[string, () => Promise<readonly NodeRecord[]>, number]>([
    ["once for several that failed alike", async () => [own, other], 0],
    ["for the first of them", async () => [own, { ...other, failedAt: "2026-11-21T14:15:00.000Z" }], 1],
    ["for one that failed otherwise", async () => [own, { ...other, failure: { ...failure, why: "disk full" } }], 1],
    ["also while the ledger does not answer", () => Promise.reject(new Error("no answer")), 1],
  ])("%s", async (_when, nodes, calls) => {
    expect((await decided({ nodes })).of("notices.send")).toHaveLength(calls);
  });
});
