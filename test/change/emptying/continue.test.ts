import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { asksUntil, mayContinue } from "../../../lambdas/change/emptying/continue.ts";
import type { EmptyingTask } from "../../../lambdas/change/emptying/emptying-task.ts";
import { newNodeTask } from "../../../lambdas/change/node/task.ts";
import { deadlinesSchema, EMPTYING_MINUTES } from "../../../lambdas/configuration/deadlines.ts";
import { BY_MAINTENANCE } from "../../../lambdas/records/origin.ts";
import type { ReleaseDocument } from "../../../lambdas/steps/runtime.ts";
import { functions } from "../../../lib/functions.ts";
import { run, setUp, tearDown, tenMinutes, timeout } from "../../engine/durable-engine.ts";
import { answers, recorded } from "../../engine/recorded.ts";
import { nodeRecord, operationRecord } from "../../messages/records.ts";
import { configurationWith, manifest } from "../../profiles/okd/facts.ts";
import { lease, node } from "../node/a-node.ts";

beforeAll(setUp);
afterAll(tearDown);

const MINUTE = 60_000;
const NOON = Date.parse("2026-11-23T12:00:00Z");

/** Minutes for which a drain asks, so long after its first deadline; null where it asks no more. */
function asked(minutesAfter: number, round = 1, deadlines: object = {}): number | null {
  const configuration = { ...configurationWith(), deadlines: deadlinesSchema.parse(deadlines) };
  const runtime = { version: "1", configuration, payload: manifest() };
  const now = NOON + minutesAfter * MINUTE;
  const until = asksUntil(
    { workflow: "drain", runtime },
    { round, code: "deadline-passed", why: "", firstUntil: NOON, stuck: [] },
    now,
  );
  return until === null ? null : (until - now) / MINUTE;
}

test("a drain asks while question and another deadline fit into its execution, and ten times at most", () => {
  // 450 minutes, of which slot, cordon and the first deadline have 60, 5 and 15: 370 are left.
  expect([asked(0), asked(370 - 45), asked(370 - 44)]).toEqual([30, 30, null]);
  expect([asked(0, 10), asked(0, 11)]).toEqual([30, null]);
});

test("a deadline that leaves no room for another one is not asked about", () => {
  expect(asked(0, 1, { drain: { evict: 177 } })).toBe(30);
  expect(asked(0, 1, { drain: { evict: 178 } })).toBeNull();
});

test("the time for emptying a node is there in both executions, beside approvals and half an hour of room", () => {
  for (const name of ["drain-node", "remove-node"] as const)
    expect(functions[name].executionSeconds / 60 - EMPTYING_MINUTES).toBeGreaterThanOrEqual(270);
});

test("work that gives up without asking asks nothing", () => {
  const runtime = { version: "1", configuration: configurationWith(), payload: manifest() };
  const late = { round: 1, code: "deadline-passed", why: "", firstUntil: NOON, stuck: [] } as const;
  expect(asksUntil({ workflow: "provision", runtime }, late, NOON)).toBeNull();
});

interface Scene {
  readonly round?: number;
  readonly press?: string;
  /** Fields of the operation that stop it already, or while the question stands. */
  readonly before?: object;
  readonly meanwhile?: object;
  /** People who may reboot. */
  readonly operators?: readonly string[];
  readonly rules?: () => Promise<never>;
  readonly slack?: () => Promise<string>;
  readonly uid?: string;
  readonly state?: string;
}

/** Asks whether a reboot's drain goes on. @returns the answer, and what was written */
async function question({ round = 1, press, before, meanwhile, operators = ["U0OLIVIA"], ...scene }: Scene) {
  const configuration = { ...configurationWith(), people: { operator: operators }, policy: { reboot: ["operator"] } };
  const release = { version: "1", configuration, payload: manifest() } as unknown as ReleaseDocument;
  let asks = 0;
  let isWoken = false;
  const operation = operationRecord({ id: "reboot-1", messageTs: "1.0", cancelledBy: null, ...before } as never);
  const { steps, calls } = recorded(
    {
      runtime: { read: answers(release), rules: scene.rules ?? answers(configuration) },
      people: { membership: answers("member"), groupsOf: answers([]) },
      instances: { describe: answers({ ...lease, state: scene.state ?? "running" }) },
      nodes: { read: answers({ metadata: { ...node, uid: scene.uid ?? node.uid } }) },
      ledger: {
        // A press is there once the question was shown for the first time; a rejected one is cleared.
        answerOf: async () => (press !== undefined && asks === 1 ? { decision: press, userId: "U0OLIVIA" } : null),
        operation: async () => (isWoken ? { ...operation, ...meanwhile } : operation),
        nodes: answers([nodeRecord({ operation: "reboot-1", notes: [] })]),
      },
    },
    {
      ledger: {
        changeOperation: answers(),
        changeNode: async (_id: string, _index: number, { status }: { status?: string }) => {
          if (status === "deciding") asks += 1;
        },
      },
      nodes: { announce: answers() },
      audit: { append: answers() },
      notices: { send: answers() },
      unsaid: { note: answers(), said: answers() },
      thread: { update: scene.slack ?? answers("1.0"), post: answers("1.0"), sendEphemeral: answers() },
    },
  );
  const judged: string[] = [];
  let deadline = 0;
  const ended = await run(
    (ctx) => {
      const now = { now: () => Date.now(), timestamp: () => new Date().toISOString() };
      const assignment = {
        ctx,
        steps: { ...steps, ...now },
        workflow: "reboot",
        operation: "reboot-1",
        index: 0,
      } as const;
      const task = {
        ...newNodeTask(
          { ...assignment, runtime: release, eventReason: "CasementRebooting", needsMachine: false },
          "evict",
        ),
        ...{
          node,
          lease,
          pool: "web",
          wait: tenMinutes(),
          published: { messageTs: "1.0", view: "", at: 0, told: [], trouble: null },
        },
        judgeAgain: async (after: string) => void judged.push(after),
      } as unknown as EmptyingTask;
      const late = {
        round,
        code: "deadline-passed",
        why: "shop/web-0 is left",
        firstUntil: Date.now(),
        stuck: [],
        hasStuckPods: true,
      } as const;
      return mayContinue(task, late).finally(() => {
        deadline = Math.round((task.wait.until - Date.now()) / MINUTE);
      });
    },
    async ({ callback }) => {
      if (press === undefined && meanwhile === undefined) return;
      const asked = callback(`whether the drain goes on ${round} 1`, "bare");
      await asked.begun();
      isWoken = true;
      await asked.succeed();
    },
  );
  const shown = calls.flatMap(([verb, , , change]) => (verb === "ledger.changeNode" ? [change] : []));
  const acts = calls.flatMap(([verb, , mark, act]) => (verb === "audit.append" ? [[mark, act]] : []));
  const of = (verb: string) => calls.filter(([one]) => one === verb).map(([, ...args]) => args);
  return { answer: ended.result, error: ended.error, shown, acts, judged, deadline, of };
}

describe("The question whether a drain goes on", () => {
  test("is not asked any more after ten times", async () => {
    expect(await question({ round: 11 })).toMatchObject({ answer: "stop", shown: [], acts: [] });
  });

  test("stops the drain without an answer, after its time", async () => {
    const { answer, shown, acts, of } = await question({});
    expect(answer).toBe("stop");
    expect(shown).toEqual([
      {
        ...{ status: "deciding", waitsFor: null, decideBy: expect.any(String), failedAt: expect.any(String) },
        failure: {
          ...{ stage: "evict", code: "deadline-passed", hasStuckPods: true },
          ...{ why: "shop/web-0 is left", left: expect.stringContaining("cordoned") },
        },
        callbacks: { decision: expect.any(String), cancel: expect.any(String) },
      },
    ]);
    expect(acts).toEqual([
      ["asked to continue 1", expect.objectContaining({ what: "asked" })],
      ["not continued 1", expect.objectContaining({ what: "lapsed" })],
    ]);
    expect(of("nodes.announce")).toEqual([[node, "Warning", "CasementRebooting", expect.any(String)]]);
    expect(of("ledger.changeOperation")).toContainEqual(["reboot-1", { status: "waiting" }]);
    expect(of("notices.send")).toHaveLength(1);
  });

  test.each([
    ["continue", /^Continue was pressed/, /^Continuing/],
    ["reboot-with-pods", /^The reboot ends 0 pods/, /^Rebooting/],
  ])("goes on after a press of %s, with a new deadline", async (press, note, heard) => {
    const { answer, shown, acts, judged, deadline, of } = await question({ press });
    expect([answer, judged, deadline]).toEqual([press, ["question"], configurationWith().deadlines.reboot.evict]);
    expect(shown.slice(1)).toEqual([
      { status: "running", failure: null, decideBy: null, callbacks: {} },
      { notes: [expect.stringMatching(note)] },
    ]);
    expect(acts.at(-1)).toEqual([
      "continued 1",
      expect.objectContaining({
        by: { person: "U0OLIVIA" },
        detail: { question: "continue the drain", decision: press },
      }),
    ]);
    expect(of("thread.sendEphemeral")).toEqual([
      [expect.any(String), "U0OLIVIA", expect.objectContaining({ text: expect.stringMatching(heard) })],
    ]);
    expect(of("ledger.changeOperation").at(-1)).toMatchObject([
      "reboot-1",
      { status: "running", summary: expect.any(String) },
    ]);
  });

  test.each<[string, Scene]>([
    ["its Node was made anew", { uid: "uid-2" }],
    ["its instance has ended", { state: "terminated" }],
  ])("does not judge a node again where %s: the next look ends its drain", async (_where, scene) => {
    expect(await question({ press: "continue", ...scene })).toMatchObject({ answer: "continue", judged: [] });
  });

  const by = "U0OLIVIA";
  const paused = { rollout: { paused: { by, at: "2026-11-21T14:00:00.000Z", why: "" }, part: 1 } };
  test.each<[string, Scene, string, number?]>([
    ["that came before it was shown", { before: { cancelledBy: by } }, by, 0],
    ["that came since", { meanwhile: { cancelledBy: by } }, by],
    ["by a pause of its rollout before", { before: paused }, by, 0],
    ["by a pause of its rollout since", { meanwhile: paused }, by],
    [
      "by the end of its rollout's maintenance",
      { meanwhile: { rollout: { paused: null, closedAt: "then" } } },
      BY_MAINTENANCE,
    ],
  ])("ends with a cancellation %s", async (_which, scene, who, announced = 1) => {
    const { error, shown, of } = await question(scene);
    expect(error).toMatchObject({ type: "Cancelled", message: who });
    expect([shown.length, of("nodes.announce").length]).toEqual([1, announced]);
  });

  test.each<[string, Scene]>([
    ["of a person who may not answer it", { operators: ["U0OTHER"] }],
    ["while nobody can say who may answer it", { rules: () => Promise.reject(timeout()) }],
  ])("is asked anew after a press %s, and announced once", async (_what, scene) => {
    const { answer, shown, of, acts } = await question({ press: "continue", ...scene });
    expect([answer, shown.length]).toEqual(["stop", 2]);
    expect(of("nodes.announce")).toHaveLength(1);
    expect(acts.map(([mark]) => mark)).toEqual(["asked to continue 1", "not continued 1"]);
  });

  test("ends with a press that cannot be judged for another reason than a busy service", async () => {
    const { error } = await question({ press: "continue", rules: () => Promise.reject(new Error("AccessDenied")) });
    expect(error.message).toContain("AccessDenied");
  });

  test("stands, and people are called past Slack, though Slack does not take it", async () => {
    const { answer, of } = await question({ slack: () => Promise.reject(timeout()) });
    expect(answer).toBe("stop");
    expect(of("thread.update").length).toBeGreaterThan(1);
    expect(of("notices.send")).toHaveLength(1);
    expect(of("nodes.announce")).toHaveLength(1);
  });
});
