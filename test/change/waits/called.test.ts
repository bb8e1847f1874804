import { expect, test } from "vitest";
import { calledTo } from "../../../lambdas/change/waits/called.ts";
import { isUrgent, type PersonWait, waitKinds } from "../../../lambdas/records/waits.ts";

const SINCE = "2026-11-21T03:00:00.000Z";
const minutes = (count: number): number => Date.parse(SINCE) + count * 60_000;

const rules = {
  people: { operator: ["S0OPERATORS"], approver: ["S0APPROVERS"], "on-call": ["S0ONCALL"] },
  policy: Object.fromEntries([
    ...["add", "drain", "reboot", "remove", "resume", "uncordon", "prove"].map((command) => [command, ["operator"]]),
    ["break-glass", ["on-call"]],
  ]),
} as never;

/** People who end each kind of wait, as its finder names them. */
const audiences: Readonly<Record<PersonWait["kind"], PersonWait["audience"]>> = {
  approval: { roles: ["approver"] },
  confirmation: { person: "U0OPERATOR" },
  continue: { command: "drain" },
  decision: { command: "add" },
  "late-reboot": { command: "reboot" },
  slot: { command: "reboot" },
  paused: { command: "resume" },
  quarantined: { command: "uncordon" },
  unproven: { command: "prove" },
  held: { command: "uncordon" },
  review: { roles: ["approver"] },
  kept: { command: "remove" },
};

const called = (kind: PersonWait["kind"], after: number): string[] => {
  const wait = { kind, audience: audiences[kind], pool: "web", since: SINCE } as PersonWait;
  return calledTo(rules, { ...wait, isUrgent: isUrgent(wait) }, minutes(after));
};

test("The first reminder of each wait calls those who may end it, and every later one those on call", () => {
  expect(waitKinds.map((kind) => [kind, called(kind, 15), called(kind, 30)])).toEqual([
    ["approval", ["S0APPROVERS"], ["S0APPROVERS", "S0ONCALL"]],
    ["confirmation", ["U0OPERATOR"], ["U0OPERATOR", "S0ONCALL"]],
    ["continue", ["S0OPERATORS"], ["S0ONCALL"]],
    ["decision", ["S0OPERATORS"], ["S0OPERATORS", "S0ONCALL"]],
    ["late-reboot", ["S0OPERATORS"], ["S0ONCALL"]],
    ["slot", ["S0OPERATORS"], ["S0OPERATORS", "S0ONCALL"]],
    ["paused", ["S0OPERATORS"], ["S0OPERATORS", "S0ONCALL"]],
    ["quarantined", ["S0OPERATORS"], ["S0OPERATORS", "S0ONCALL"]],
    ["unproven", ["S0OPERATORS"], ["S0OPERATORS", "S0ONCALL"]],
    ["held", ["S0OPERATORS"], ["S0OPERATORS", "S0ONCALL"]],
    ["review", ["S0APPROVERS"], ["S0APPROVERS", "S0ONCALL"]],
    ["kept", ["S0OPERATORS"], ["S0OPERATORS", "S0ONCALL"]],
  ]);
});

test("Where nobody may act without an approval, those who may reboot are called again", () => {
  const without = { ...(rules as object), policy: { reboot: ["operator"] } } as never;
  const wait = { audience: { command: "reboot" }, pool: null, since: SINCE, isUrgent: true };
  expect(calledTo(without, wait, minutes(90))).toEqual(["S0OPERATORS"]);
});
