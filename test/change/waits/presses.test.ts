import { expect, test } from "vitest";
import { hearPresses } from "../../../lambdas/capabilities/sweep/hold.ts";
import { dueWaits, remindOfWait } from "../../../lambdas/capabilities/sweep/remind.ts";
import { Retryable } from "../../../lambdas/errors.ts";
import type { NodeRecord, OperationRecord } from "../../../lambdas/records/records.ts";
import type { ReminderRecord, WaitPress } from "../../../lambdas/records/reminders.ts";
import { answers, type Call, recorded } from "../../engine/recorded.ts";
import { nodeRecord, operationRecord } from "../../messages/records.ts";

const SINCE = "2026-11-21T14:00:00.000Z";
const minutes = (count: number): number => Date.parse(SINCE) + count * 60_000;
const at = (count: number): string => new Date(minutes(count)).toISOString();

const roles = { operator: ["U0OLIVIA"], approver: ["U0ANNA", "U0OPERATOR"], "on-call": ["U0CARL"] };
const rules = {
  slack: { channel: "C0MAIN" },
  people: roles,
  policy: { resume: ["operator"], approve: ["approver"], "break-glass": ["on-call"], reboot: ["operator"] },
  pools: {},
};

/** A rollout that has paused by itself, and an approval that is open: both wait since `SINCE`. */
const rollout = operationRecord({
  ...{ id: "reboot-1", messageTs: "1.0", status: "waiting", inPool: "web" },
  request: { command: "reboot", targets: { kind: "pool", pool: "web" }, dryRun: false } as never,
  rollout: { paused: { by: null, at: SINCE, why: "web-2 failed" }, part: 1, parkedAt: null, heard: null },
});
const asked = operationRecord({
  ...{ id: "drain-1", messageTs: "2.0", requestedAt: SINCE },
  request: { command: "drain", node: "web-3", dryRun: false } as never,
  approval: { state: "open", askedAt: SINCE, roles: ["approver"] } as never,
});
const PAUSED = `paused reboot-1   ${SINCE}`;
const APPROVAL = `approval drain-1   ${SINCE}`;
const FLEET = `fleet not-ready ${SINCE}`;

interface Scene {
  readonly press?: Partial<WaitPress>;
  readonly known?: Readonly<Record<string, ReminderRecord>>;
  readonly operations?: readonly OperationRecord[];
  readonly nodesOf?: Readonly<Record<string, readonly NodeRecord[]>>;
  readonly now?: number;
  readonly isUnreachable?: boolean;
  readonly isSlackBusy?: boolean;
}

function world(scene: Scene) {
  const press = {
    wait: PAUSED,
    userId: "U0OLIVIA",
    cause: "press-1",
    at: at(20),
    channel: "C0CALLS",
    messageTs: "3.0",
  };
  const operations = scene.operations ?? [rollout, asked];
  return recorded(
    {
      ledger: {
        unfinished: answers(operations),
        operation: async (id: string) => operations.find((one) => one.id === id),
        nodes: async (id: string) => scene.nodesOf?.[id] ?? [],
      },
      reminders: {
        presses: answers([{ ...press, ...scene.press }]),
        all: answers(new Map(Object.entries(scene.known ?? {}))),
      },
      announcements: { fleet: { open: answers([{ kind: "not-ready", since: SINCE }]) } },
      breakGlass: { open: answers([]) },
      cordons: { find: answers(undefined) },
      runtime: { rules: answers(rules) },
      people: { membership: answers("member"), groupsOf: answers([]) },
      nodes: {
        all: async () => {
          if (scene.isUnreachable) throw new Retryable("the API server is unreachable");
          return [];
        },
      },
    },
    {
      reminders: { hold: answers(), hear: answers(), keep: answers() },
      thread: {
        sendEphemeral: answers(),
        post: answers("4.0"),
        update: async () => {
          if (scene.isSlackBusy) throw new Retryable("Slack is busy");
        },
      },
    },
    scene.now ?? minutes(21),
  );
}

async function pressed(scene: Scene): Promise<readonly Call[]> {
  const { steps, calls } = world(scene);
  await hearPresses(steps);
  return calls;
}

const holds = (wait: string, userId: string, since = at(20), until = at(80)): Call => [
  "reminders.hold",
  wait,
  { userId, since, until },
];
const verbsOf = (calls: readonly Call[]) => calls.map(([verb]) => verb);

test("who presses has the wait for an hour, and the call names them", async () => {
  const calls = await pressed({});
  expect(calls).toEqual([
    holds(PAUSED, "U0OLIVIA"),
    [
      "thread.update",
      "C0CALLS",
      "3.0",
      expect.objectContaining({
        text: expect.stringMatching(
          /^<@U0OLIVIA> ⏰ `reboot-1` is a rollout that is paused, for 21m: web-2 failed\. Next: press Resume or Cancel operation/,
        ),
      }),
    ],
    ["reminders.hear", expect.objectContaining({ wait: PAUSED, cause: "press-1" })],
  ]);
  expect(JSON.stringify(calls[1])).toContain("<@U0OLIVIA> has had it since");
});

test("who presses again keeps the time since when, and another person begins anew", async () => {
  const holder = { userId: "U0OLIVIA", since: at(5), until: at(65) };
  expect((await pressed({ known: { [PAUSED]: { holder } } }))[0]).toEqual(holds(PAUSED, "U0OLIVIA", at(5)));
  expect((await pressed({ known: { [PAUSED]: { holder: { ...holder, userId: "U0CARL" } } } }))[0]).toEqual(
    holds(PAUSED, "U0OLIVIA"),
  );
});

test.for<[string, Partial<WaitPress>]>([
  ["may resume a rollout", { userId: "U0OLIVIA" }],
  ["is on call", { userId: "U0CARL" }],
  ["may approve, for an approval", { userId: "U0ANNA", wait: APPROVAL }],
  ["is on call, for an approval", { userId: "U0CARL", wait: APPROVAL }],
  ["may reboot, for trouble of many nodes", { userId: "U0OLIVIA", wait: FLEET }],
  ["is on call, for trouble of many nodes", { userId: "U0CARL", wait: FLEET }],
])("the wait is theirs who %s", async ([, press]) => {
  expect((await pressed({ press }))[0]).toEqual(holds(press.wait ?? PAUSED, press.userId ?? ""));
});

test.for<[string, Partial<WaitPress>]>([
  ["an approver who presses for a rollout", { userId: "U0ANNA" }],
  ["an operator who presses for an approval", { userId: "U0OLIVIA", wait: APPROVAL }],
  ["an approver who presses for trouble of many nodes", { userId: "U0ANNA", wait: FLEET }],
])("%s reads why not, and the press is handled", async ([, press]) => {
  const [answer, ...others] = await pressed({ press });
  expect(answer?.slice(0, 3)).toEqual(["thread.sendEphemeral", "C0MAIN", press.userId]);
  expect(verbsOf(others)).toEqual(["reminders.hear"]);
});

test("an approval is never its requester's to have", async () => {
  const [answer, ...others] = await pressed({ press: { userId: "U0OPERATOR", wait: APPROVAL } });
  expect(answer?.slice(0, 3)).toEqual(["thread.sendEphemeral", "C0CALLS", "U0OPERATOR"]);
  expect(answer?.[3]).toMatchObject({ text: expect.stringContaining("drain-1") });
  expect(verbsOf(others)).toEqual(["reminders.hear"]);
});

test("a press for a wait that is over is answered, unless nodes could not be listed", async () => {
  const press = { wait: `unproven reboot-9 0 web-1 ${SINCE}` };
  const [answer, ...others] = await pressed({ press });
  expect(answer).toEqual([
    ...["thread.sendEphemeral", "C0CALLS", "U0OLIVIA"],
    expect.objectContaining({ text: "It no longer waits for a person. Nothing was changed." }),
  ]);
  expect(verbsOf(others)).toEqual(["reminders.hear"]);
  expect(await pressed({ press, isUnreachable: true })).toEqual([]);
});

test("a press that was handled is handled once", async () => {
  expect(await pressed({ known: { [PAUSED]: { heard: { U0OLIVIA: "press-1" } } } })).toEqual([]);
  expect(verbsOf(await pressed({ known: { [PAUSED]: { heard: { U0OLIVIA: "press-0" } } } }))).toContain(
    "reminders.hold",
  );
});

test("a busy Slack leaves the press for the next sweep", async () => {
  const { steps, calls } = world({ isSlackBusy: true });
  await expect(hearPresses(steps)).rejects.toThrow("Slack is busy");
  expect(verbsOf(calls)).toEqual(["reminders.hold", "thread.update"]);
});

const due = async (scene: Scene) => (await dueWaits(world(scene).steps)).map(({ wait, covers }) => [wait.kind, covers]);

test("reminders come after a quarter of an hour, and again after half an hour where a rollout has paused by itself", async () => {
  const both = [
    ["approval", []],
    ["paused", []],
  ];
  expect(await due({ now: minutes(14) })).toEqual([]);
  expect(await due({ now: minutes(15) })).toEqual(both);
  const known = { [PAUSED]: { at: at(15) }, [APPROVAL]: { at: at(15) } };
  expect(await due({ now: minutes(29), known })).toEqual([]);
  expect(await due({ now: minutes(30), known })).toEqual([["paused", []]]);
  const held = { [PAUSED]: { holder: { userId: "U0OLIVIA", since: at(10), until: at(70) } } };
  expect(await due({ now: minutes(69), known: held })).toEqual([["approval", []]]);
  expect(await due({ now: minutes(70), known: held })).toEqual(both);
});

test("waits that remind people themselves are left out", async () => {
  const adding = operationRecord({ id: "add-1" });
  const deciding = nodeRecord({
    operation: "add-1",
    status: "deciding",
    failedAt: SINCE,
    callbacks: { decision: "callback" },
  });
  expect(await due({ operations: [adding], nodesOf: { "add-1": [deciding] }, now: minutes(30) })).toEqual([]);
});

test.for<[string, OperationRecord | undefined, readonly unknown[]]>([
  ["in the operation's thread", rollout, ["C0WINDOWS", "1.0"]],
  ["in the channel where its record has expired", undefined, ["C0MAIN", undefined]],
])("a reminder comes %s, once for all that it covers", async ([, operation, [channel, thread]]) => {
  const { steps, calls } = world({ operations: operation ? [operation] : [], now: minutes(15) });
  const wait = {
    kind: "paused",
    operation: "reboot-1",
    index: null,
    node: null,
    pool: "web",
    since: SINCE,
    audience: { command: "resume" },
    isUrgent: false,
  } as const;
  await remindOfWait(steps, { wait, covers: ["held reboot-1 2 web-2"] });
  expect(calls).toEqual([
    [
      "thread.post",
      channel,
      expect.objectContaining({ text: expect.stringMatching(/^<@U0OLIVIA> ⏰ `reboot-1` is a rollout/) }),
      `${PAUSED} reminder 2026-11-21`,
      thread,
    ],
    ["reminders.keep", PAUSED],
    ["reminders.keep", "held reboot-1 2 web-2"],
  ]);
});

test.for<[boolean, ReminderRecord | undefined, string]>([
  [false, undefined, "2026-11-21"],
  [true, undefined, "2026-11-21T14:1"],
  [false, { holder: { userId: "U0OLIVIA", since: SINCE, until: at(10) } }, "2026-11-21T14:1"],
])(
  "a reminder that follows within the day is another message: urgent %s, held %o",
  async ([isUrgent, reminder, mark]) => {
    const { steps, calls } = world({ known: reminder ? { [PAUSED]: reminder } : {}, now: minutes(15) });
    const wait = {
      kind: "paused",
      operation: "reboot-1",
      index: null,
      node: null,
      pool: "web",
      since: SINCE,
      audience: { command: "resume" },
      isUrgent,
    } as const;
    await remindOfWait(steps, { wait, covers: [] });
    expect(calls[0]?.[3]).toBe(`${PAUSED} reminder ${mark}`);
  },
);
