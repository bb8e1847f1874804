import { describe, expect, it } from "vitest";
import type { Notice } from "../../lambdas/messages/operation/escalations.ts";
import { waitBlocks, waitLines, waitNotice, waitReminder, waitWords } from "../../lambdas/messages/operation/waits.ts";
import * as buttons from "../../lambdas/messages/slack/buttons.ts";
import type { Approval } from "../../lambdas/records/approval.ts";
import { type NodeRecord, newNodeRecord, type OperationRecord } from "../../lambdas/records/records.ts";
import { holderBy, isReminderDue, isWaitDue } from "../../lambdas/records/reminders.ts";
import {
  type WaitKind,
  type WaitsSeen,
  waitKinds,
  waitName,
  waitsIn,
  withoutDoubles,
} from "../../lambdas/records/waits.ts";

const AT = "2026-11-21T03:00:00.000Z";
const NOW = "2026-11-21T03:20:00.000Z";

const operation = (more: Partial<OperationRecord> = {}): OperationRecord => ({
  ...{ id: "reboot-1", cluster: "test", status: "waiting", requestedAt: AT, endedAt: null, executionArn: null },
  request: { command: "reboot", node: "win-1", dryRun: false },
  ...{ channel: "C1", messageTs: "1.0", summary: "", cancelledBy: null, callbacks: {}, inPool: "web" },
  asker: { userId: "U0OPERATOR", name: "Olivia" } as never,
  ...more,
});

const node = (more: Partial<NodeRecord> = {}): NodeRecord => ({
  ...newNodeRecord("reboot", "reboot-1", 0, AT),
  ...{ nodeName: "win-1", instanceId: "i-1", status: "running" },
  ...more,
});

const approval = (state: Approval["state"]): Approval =>
  ({ state, asking: 1, roles: ["approver"], askedAt: AT, until: NOW, votes: [], pool: "web" }) as never;

const nothing: WaitsSeen = { running: [], unreviewed: [], cordons: [], machines: [] };
const running = (of: Partial<OperationRecord>, nodes: NodeRecord[] = []): WaitsSeen => ({
  ...nothing,
  running: [{ operation: operation(of), nodes }],
});
const cordoned = (of: object, failedAt: "prove" | "evict" = "prove"): WaitsSeen => ({
  ...nothing,
  cordons: [
    {
      cordon: { node: "win-1", operation: "reboot-1", index: 0, keptAt: AT, ...of },
      by: operation({ status: "failed", endedAt: AT }),
      record: node({ status: "failed", failure: { stage: failedAt, why: "", left: "" } }),
    },
  ],
});

/** One example of each state: a kind without one does not compile. */
const examples: Readonly<Record<WaitKind, WaitsSeen>> = {
  approval: running({ approval: approval("open") }),
  confirmation: running({ callbacks: { dialog: "callback" } }),
  continue: running({}, [node({ status: "deciding", failedAt: AT, failure: { stage: "evict", why: "", left: "" } })]),
  decision: running({ request: { command: "add", pool: "web", count: 1, dryRun: false } }, [
    node({ status: "deciding", failedAt: AT, failure: { stage: "features", why: "", left: "" } }),
  ]),
  "late-reboot": running({ status: "running" }, [node({ lateSince: AT, callbacks: { decision: "callback" } })]),
  slot: running({ status: "running" }, [node({ stage: "slot", slotTakenBy: ["win-9"] })]),
  paused: running({ rollout: { paused: { by: null, at: AT, why: "" }, part: 1, parkedAt: null, heard: null } }),
  quarantined: cordoned({ unproven: { isQuarantined: true } }),
  unproven: cordoned({ unproven: { isQuarantined: false } }),
  held: cordoned({}, "evict"),
  review: { ...nothing, unreviewed: [operation({ status: "succeeded", endedAt: AT, approval: approval("review") })] },
  kept: {
    ...nothing,
    machines: [{ instanceId: "i-1", pool: "web", operation: "add-1", state: "kept", since: AT }],
  },
};

describe.each(waitKinds)("What waits as %s", (kind) => {
  const waits = waitsIn(examples[kind]);

  it("is found, as itself alone, with its time and who may end it", () => {
    expect(waits.map((wait) => wait.kind)).toEqual([kind]);
    expect(waits[0]).toMatchObject({ since: AT, pool: "web" });
    expect(waits[0]?.audience).toBeDefined();
  });

  it("stands in the list with its next step, and in a reminder that mentions people", () => {
    const list = JSON.stringify(waitBlocks(waits, NOW));
    expect(list).toContain("Waiting for a person");
    expect(list).toContain(waitWords[kind].says);
    expect(list).toContain("for 20m");
    const [wait] = waits;
    if (wait === undefined) throw new Error("nothing waits");
    const reminder = JSON.stringify(waitReminder(wait, { called: ["S0OPERATORS"], now: NOW }));
    expect(reminder).toContain("<!subteam^S0OPERATORS>");
    expect(reminder).toContain("Next: ");
  });
});

it("Each wait has its own next step", () => {
  const listed = waitKinds.map((kind) => [kind, waitLines(waitsIn(examples[kind]), NOW)]);
  expect(Object.fromEntries(listed)).toEqual({
    approval: [
      "• `reboot-1` needs an approval, for 20m: press Approve or Deny in its message, or type `{win} approve reboot-1`.",
    ],
    confirmation: [
      "• `reboot-1` waits for an answer in its dialog, for 20m: answer the dialog, or type `{win} cancel reboot-1`.",
    ],
    continue: [
      "• `win-1` is not drained at its deadline, for 20m: decide in the message of `reboot-1` whether to go on, or type `{win} cancel reboot-1`.",
    ],
    decision: [
      "• `win-1` failed and needs a decision, for 20m: press Keep for inspection or Terminate now in the message of `reboot-1`.",
    ],
    "late-reboot": [
      "• `win-1` has not come back from its reboot, for 20m: look at its screen, then press Reboot through EC2… in the message of `reboot-1`, or wait.",
    ],
    slot: [
      "• `win-1` waits for a slot of its pool, for 20m: bring `win-9` back into service (`{win} why win-9`), or type `{win} cancel reboot-1`.",
    ],
    paused: [
      "• `reboot-1` is a rollout that is paused, for 20m: press Resume or Cancel operation in its message, or type `{win} resume reboot-1` or `{win} cancel reboot-1`.",
    ],
    quarantined: [
      "• `win-1` is quarantined: two reboots could not be verified within a day, for 20m: find the cause with `{win} why win-1`, then type `{win} uncordon win-1 --quarantined win-1`, or remove the node.",
    ],
    unproven: [
      "• `win-1` stays cordoned, because its reboot was not proven, for 20m: type `{win} why win-1`, then `{win} prove win-1`, or `{win} cordon win-1` to keep it.",
    ],
    held: [
      "• `win-1` stays cordoned after a drain that failed, for 20m: type `{win} drain win-1` again, or `{win} uncordon win-1`.",
    ],
    review: [
      "• `reboot-1` ran without an approval and needs a review, for 20m: press Looks fine or Raise a concern in its message, or type `{win} approve reboot-1`.",
    ],
    kept: ["• `i-1` has no Node and is billed, for 20m: type `{win} remove i-1` when it is no longer needed."],
  });
});

it("The list names ten waits, and counts the rest", () => {
  const many = Array.from({ length: 11 }, () => waitsIn(examples.approval)).flat();
  expect(waitLines(many.slice(1), NOW)).toHaveLength(10);
  expect(waitLines(many, NOW).slice(10)).toEqual(["and 1 more"]);
  expect(waitBlocks([], NOW)).toEqual([]);
});

it("The call for a slot that a node takes looks at that node by a press", () => {
  const [wait] = waitsIn(examples.slot);
  if (!wait) throw new Error("nothing waits");
  const { blocks } = waitReminder({ ...wait, takers: ["win-2.example", "win-3.example"] }, { called: [], now: NOW });
  expect(blocks.at(-1)?.elements).toMatchObject([
    { action_id: "look-again", value: "why win-2.example", text: { text: "Why?" } },
    { action_id: "take-wait" },
  ]);
});

it("The call says when the wait ends by itself, where it does", () => {
  const until = "2026-11-22T01:30:00.000Z";
  const failure = { stage: "evict", why: "", left: "" } as const;
  const ending: readonly WaitsSeen[] = [
    running({ status: "running" }, [node({ stage: "slot", slotTakenBy: ["win-9"], slotUntil: until })]),
    running({}, [node({ status: "deciding", failedAt: AT, decideBy: until, failure })]),
    running({ approval: { ...approval("open"), until } }),
  ];
  const callTo = (seen: WaitsSeen) => waitsIn(seen).map((wait) => waitReminder(wait, { called: [], now: NOW }).text);
  for (const words of ending.flatMap(callTo))
    expect(words).toMatch(/, for 20m\. It waits until <!date\^\d+\^[^|]*\|2026-11-22 01:30 UTC>\. Next: /);
  expect(ending.flatMap(callTo)).toHaveLength(3);
  expect(callTo(examples.slot)[0]).toContain("for 20m. Next: ");
});

it("A node whose restart was not proven is told as that, in the list, the reminder and the page", () => {
  const [left] = cordoned({ unproven: { isQuarantined: false } }).cordons;
  if (!left) throw new Error("no cordon");
  const by = operation({ request: { command: "restart", node: "win-1", dryRun: false }, endedAt: AT });
  const [wait] = waitsIn({ ...nothing, cordons: [{ ...left, by }] });
  if (!wait) throw new Error("nothing waits");
  const list = JSON.stringify(waitBlocks([wait], NOW));
  const told = [list, waitReminder(wait, { called: [], now: NOW }).text, JSON.stringify(waitNotice(wait, NOW))];
  for (const words of told) expect(words).toContain("stays cordoned, because its restart was not proven, for 20m");
});

/** Buttons that end no wait: they start, stop or look at something, or open an address or a dialog. */
const ENDS_NO_WAIT = new Set([
  ...["CANCEL_OPERATION", "TRY_AGAIN", "INSTALL_GUARD", "PAUSE_ROLLOUT", "LOOK_AGAIN", "DO_NEXT", "RESTART_SERVICES"],
  ...["TAKE_WAIT"],
  ...["OPEN_RUNBOOK", "OPEN_AWS", "OPEN_SCREENSHOT", "REMOVE_DIALOG", "DENY_DIALOG"],
]);

it("Every button belongs to a wait that people are reminded of, or is known to end none", () => {
  const known = new Set(waitKinds.flatMap((kind) => waitWords[kind].buttons));
  const strange = Object.entries(buttons).filter(([name, id]) => !known.has(id) && !ENDS_NO_WAIT.has(name));
  expect(strange).toEqual([]);
});

/** State to which each page calls people; null for one that leaves nothing that waits for a press or a command. A kind without one does not compile. */
const pageTo: Readonly<Record<Notice["kind"], WaitKind | null>> = {
  decision: "decision",
  confirmation: "confirmation",
  approval: "approval",
  "break-glass": "review",
  lost: "kept",
  kept: "kept",
  unproven: "unproven",
  // The stage that waits for the certificate ends by its own deadline, as a failed machine that needs a decision.
  "signing-request": null,
  credential: null,
  authority: null,
  mirrors: null,
  proxy: null,
  trust: null,
  "data-plane": null,
  fleet: null,
  slack: null,
};

it("Every page calls people to a wait, or is known to call them to something else", () => {
  const paged = waitKinds.flatMap((kind) => waitWords[kind].notices);
  const named = Object.entries(pageTo).flatMap(([page, kind]) => (kind === null ? [] : [page]));
  expect([...new Set(paged)].sort()).toEqual(named.sort());
});

describe("What does not wait any more", () => {
  it.each<[string, WaitsSeen]>([
    ["an approval that was given", running({ approval: approval("approved") })],
    ["a machine that EC2 reboots", running({}, [node({ lateSince: AT, ec2Reboot: { at: AT } })])],
    ["a cordon that a person has accepted", cordoned({})],
    ["a cordon that was not left", cordoned({ keptAt: undefined, unproven: { isQuarantined: false } })],
    [
      "a machine that is being provisioned",
      {
        ...nothing,
        machines: [{ instanceId: "i-1", pool: null, operation: "add-1", state: "provisioning", since: AT }],
      },
    ],
  ])("%s", (_, seen) => {
    expect(waitsIn(seen)).toEqual([]);
  });
});

describe("A reminder", () => {
  const minutes = (since: number): number => Date.parse(AT) + since * 60_000;

  it("comes after a quarter of an hour, and each day after the last one", () => {
    expect(isReminderDue(AT, undefined, minutes(14))).toBe(false);
    expect(isReminderDue(AT, undefined, minutes(15))).toBe(true);
    const last = new Date(minutes(16)).toISOString();
    expect(isReminderDue(AT, last, minutes(16 + 24 * 60 - 1))).toBe(false);
    expect(isReminderDue(AT, last, minutes(16 + 24 * 60))).toBe(true);
  });

  it("comes again after 30 and 90 minutes where an operation stands still, and then each day", () => {
    const due = [16, 29, 31, 40, 89, 91, 600, 91 + 24 * 60];
    let last = minutes(15);
    const reminded = due.filter((minute) => {
      const isDue = isReminderDue(AT, new Date(last).toISOString(), minutes(minute), true);
      if (isDue) last = minutes(minute);
      return isDue;
    });
    expect(reminded).toEqual([31, 91, 91 + 24 * 60]);
  });

  it("is silent for the hour in which a person has what waits, and comes once that is over", () => {
    const at = new Date(minutes(20)).toISOString();
    const holder = holderBy({ userId: "U0OPERATOR", at }, undefined);
    const known = { at: new Date(minutes(16)).toISOString(), holder };
    const urgent = { since: AT, isUrgent: true };
    const due = [21, 31, 79, 80].map((minute) => isWaitDue(urgent, known, minutes(minute)));
    expect(due).toEqual([false, false, false, true]);
    const reminded = { ...known, at: new Date(minutes(80)).toISOString() };
    expect(isWaitDue(urgent, reminded, minutes(85))).toBe(false);
    expect(isWaitDue(urgent, reminded, minutes(91))).toBe(true);
  });

  it("says since when the same person has it, and begins anew with another", () => {
    const first = holderBy({ userId: "U0OPERATOR", at: AT }, undefined);
    expect(holderBy({ userId: "U0OPERATOR", at: NOW }, { holder: first })).toEqual({
      ...{ userId: "U0OPERATOR", since: AT, until: "2026-11-21T04:20:00.000Z" },
    });
    expect(holderBy({ userId: "U0ONCALL", at: NOW }, { holder: first }).since).toBe(NOW);
    const later = "2026-11-21T04:00:00.000Z";
    expect(holderBy({ userId: "U0OPERATOR", at: later }, { holder: first }).since).toBe(later);
  });

  it("of a pause by a person, or before the failure of a node, is not about that node", () => {
    const byPerson = { by: "U0OPERATOR", at: AT, why: "<@U0OPERATOR> paused it" };
    const earlier = { by: null, at: "2026-11-21T02:59:00.000Z", why: "" };
    const left = waitsIn(examples.unproven);
    for (const paused of [byPerson, earlier]) {
      const pauses = waitsIn(running({ rollout: { paused, part: 1, parkedAt: null, heard: null } }));
      expect(withoutDoubles([...pauses, ...left]).map(({ wait }) => wait)).toEqual([...pauses, ...left]);
    }
  });

  it("of a pause names the person who paused it, and what ends a freeze", () => {
    const stop = {
      kind: "freeze",
      target: { kind: "cluster" },
      reason: "night",
      by: "Olivia",
      at: AT,
      until: null,
    } as const;
    const paused = { by: "U0OPERATOR", at: AT, why: "<@U0OPERATOR> paused it", stop };
    const [wait] = waitsIn(running({ rollout: { paused, part: 1, parkedAt: null, heard: null } }));
    if (wait === undefined) throw new Error("nothing waits");
    expect(waitReminder(wait, { called: [], now: NOW }).text).toContain(
      "for 20m: <@U0OPERATOR> paused it. The cluster is frozen by Olivia (night). To end it: `{win} thaw`. Next: press Resume",
    );
  });

  it("of a paused rollout is about the nodes that it left too, so that one call names them", () => {
    const paused = waitsIn(examples.paused);
    const left = [...waitsIn(examples.unproven), ...waitsIn(examples.held)];
    expect(withoutDoubles([...paused, ...left])).toEqual([{ wait: paused[0], covers: left.map(waitName) }]);
    expect(withoutDoubles(left).map(({ wait }) => wait)).toEqual(left);
  });

  it("of the same state at another time has another name", () => {
    const [wait] = waitsIn(examples.unproven);
    if (wait === undefined) throw new Error("nothing waits");
    expect(waitName(wait)).not.toBe(waitName({ ...wait, since: NOW }));
  });
});
