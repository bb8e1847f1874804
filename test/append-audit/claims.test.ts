import { describe, expect, it } from "vitest";
import { callerOf, judgeRequest } from "../../lambdas/append-audit/claims.ts";
import type { AppendRequest } from "../../lambdas/audit/append-request.ts";
import type { Appender } from "../../lambdas/audit/appenders.ts";
import type { Act } from "../../lambdas/audit/entry.ts";
import { doorPartition, type Key, keys, operationPartition } from "../../lambdas/records/ledger-table.ts";
import type { EventContext } from "../../lambdas/steps/context.ts";
import { operationRecord } from "../messages/records.ts";
import { storedItems } from "../steps/ledger/stored-items.ts";

type Stored = readonly (readonly [Key, object])[];

const DRAIN = "drain-3f9c2a71";
const REQUESTED = "2026-11-21T14:00:00.000Z";
const head = { sequence: 4, hash: "h4" };

const operation = (id = DRAIN, fields: object = {}): Stored => [
  [keys.operation(id), { ...operationRecord({ id, requestedAt: REQUESTED }), ...fields }],
];
const accepted = (id = DRAIN, userId = "U0OLIVIA"): Stored => [[keys.accepted(id), { requester: { userId } }]];
const decided = (partition: string, userId: string, decision: string, subject = "node 0"): Stored => [
  [keys.decision(partition, subject, 1), { userId, decision }],
];
const at = (door: string) => doorPartition(door);

async function judged(stored: Stored, caller: Appender | null, request: AppendRequest) {
  const { dynamodb, asked } = storedItems(stored);
  const context = { clients: { dynamodb }, settings: { ledgerTable: "casement" }, now: () => Date.parse(REQUESTED) };
  return { answer: await judgeRequest(context as unknown as EventContext, caller, request), asked };
}

const appending = (acts: readonly Act[], id = DRAIN, index?: number): AppendRequest => {
  const chain = { operation: id, ...(index === undefined ? {} : { index }) };
  return { kind: "append", chain, entries: acts.map((act, place) => ({ mark: `m${place}`, act })) } as AppendRequest;
};

/** Asks whether acts may be appended. @returns why they may not; null if they may */
async function refusal(stored: Stored, acts: readonly Act[], caller: Appender = "drain-node", id = DRAIN) {
  const { answer } = await judged(stored, caller, appending(acts, id));
  return "refused" in answer ? answer.refused : null;
}

describe("The caller of the function that appends", () => {
  const called = "arn:aws:lambda:us-west-2:111122223333:function:casement-append-audit";

  it("is named by the alias that it called", () => {
    expect(callerOf(`${called}:drain-node`)).toBe("drain-node");
  });

  it.each([called, `${called}:live`, `${called}:look`, ""])("is nobody where %s names none that appends", (arn) => {
    expect(callerOf(arn)).toBeNull();
  });
});

describe("A request to append to the audit", () => {
  const started: Act = { what: "started" };

  it("is granted with the day of the operation and the head in its record, and reads no more than that", async () => {
    const { answer, asked } = await judged(operation(DRAIN, { audit: head }), "drain-node", appending([started]));
    expect(answer).toEqual({ day: REQUESTED, head });
    expect(asked).toEqual([`GetItem operation#${DRAIN} operation`]);
  });

  it.each([0, 2])("is granted with the head in the record of node %i, which is no other's", async (index) => {
    const node = { audit: { sequence: 9, hash: "h9" } };
    const stored: Stored = [...operation(DRAIN, { audit: head }), [keys.node(DRAIN, index), node]];
    const { answer } = await judged(stored, "drain-node", appending([started], DRAIN, index));
    expect(answer).toEqual({ day: REQUESTED, head: node.audit });
    const other = await judged(stored, "drain-node", appending([started], DRAIN, 1));
    expect(other.answer).toEqual({ refused: `the ledger holds no ${DRAIN}:1` });
  });

  it("has no head where nothing was appended yet", async () => {
    const { answer } = await judged(operation(), "drain-node", { kind: "copy", chain: { operation: DRAIN } });
    expect(answer).toEqual({ day: REQUESTED, head: undefined });
  });

  it("is refused about an operation that the ledger does not hold", async () => {
    expect(await refusal([], [started])).toBe(`the ledger holds no operation ${DRAIN}`);
  });

  it.each<[Appender | null, string, string | null]>([
    [null, DRAIN, `the caller has no part in ${DRAIN}`],
    [null, "help-3f9c2a71", "the caller has no part in help-3f9c2a71"],
    ["remove-node", DRAIN, `remove-node has no part in ${DRAIN}`],
    ["drain-node", "drainage-3f9c2a71", "drain-node has no part in drainage-3f9c2a71"],
    ["sweep", "drain-3f9c2a71", null],
    ["cordon-node", "uncordon-3f9c2a71", null],
    ["provision-node", "add-3f9c2a71", null],
    ["reconcile", "trust-3f9c2a71", null],
    ["update-authority", "authority-3f9c2a71", null],
  ])("of %s to %s is judged by its commands", async (caller, id, refused) => {
    const { answer, asked } = await judged(operation(id), caller, appending([started], id));
    expect(answer).toEqual(refused === null ? { day: REQUESTED, head: undefined } : { refused });
    expect(asked).toHaveLength(refused === null ? 1 : 0);
  });
});

describe("An entry about a person", () => {
  const stored: Stored = [
    ...operation(DRAIN, { cancelledBy: "U0DORA" }),
    ...accepted(),
    ...decided(at(DRAIN), "U0ANNA", "approve", "approval"),
    ...decided(at(DRAIN), "U0BERT", "deny", "dialog"),
    ...decided(at(DRAIN), "U0CARL", "continue"),
  ];

  it.each<[Act["what"], string, string | null]>([
    ["requested", "U0OLIVIA", null],
    ["requested", "U0ANNA", "U0ANNA did not request the operation"],
    ["break-glass", "U0OLIVIA", null],
    ["break-glass", "U0DORA", "U0DORA did not request the operation"],
    ["approved", "U0ANNA", null],
    ["approved", "U0BERT", "U0BERT has not voted so"],
    ["approved", "U0OLIVIA", "U0OLIVIA has not voted so"],
    ["denied", "U0BERT", null],
    ["denied", "U0ANNA", "U0ANNA has not voted so"],
    ["decided", "U0CARL", null],
    ["changed", "U0ANNA", null],
    ["cancelled", "U0DORA", null],
    ["asked", "U0OLIVIA", null],
    ["cancelled", "U0EVE", "U0EVE decided nothing about the operation"],
  ])("that says %s of %s is compared with the ledger", async (what, person, refused) => {
    expect(await refusal(stored, [{ what, by: { person } }])).toBe(refused);
  });

  it("is refused with all others of its request, by the first that is false", async () => {
    const acts: Act[] = [{ what: "started" }, { what: "asked", by: { person: "U0OLIVIA" } }];
    expect(await refusal(stored, acts)).toBeNull();
    const wrong = ["U0EVE", "U0FRED"].map((person): Act => ({ what: "decided", by: { person } }));
    expect(await refusal(stored, [...acts, ...wrong])).toBe("U0EVE decided nothing about the operation");
  });

  it("names no requester where the front door accepted no request", async () => {
    const act: Act = { what: "requested", by: { person: "U0OLIVIA" } };
    expect(await refusal(operation(), [act])).toBe("U0OLIVIA did not request the operation");
  });
});

describe("An entry about a rule", () => {
  const byPerson: Stored = [...operation(), ...accepted()];
  const refused = (rule: string) => `a person requested the operation, and no rule ${rule}`;

  it.each<[Act["what"], string, string | null]>([
    ["requested", "nightly", refused("nightly")],
    ["cancelled", "nightly", refused("nightly")],
    ["started", "rollout", refused("rollout")],
    ["cancelled", "rollout", null],
    ["cancelled", "maintenance", null],
  ])("that says %s of %s is no person's request", async (what, rule, why) => {
    expect(await refusal(byPerson, [{ what, by: { rule } }])).toBe(why);
  });

  it("is the sweep's to write, and anybody's about what no person requested", async () => {
    const act: Act = { what: "requested", by: { rule: "nightly" } };
    expect(await refusal(byPerson, [act], "sweep")).toBeNull();
    expect(await refusal(operation(), [act])).toBeNull();
  });
});

describe("Decisions in the operation's own partition", () => {
  const TRUST = "trust-3f9c2a71";
  const deciding: Act = { what: "decided", by: { person: "U0ANNA" } };
  const nothing = "U0ANNA decided nothing about the operation";
  const own = (id: string, subject = "node 0") => decided(operationPartition(id), "U0ANNA", "approve", subject);

  it("are believed of a rule's operation that no person requested", async () => {
    expect(await refusal([...operation(TRUST), ...own(TRUST)], [deciding], "reconcile", TRUST)).toBeNull();
    const requested = [...operation(TRUST), ...own(TRUST), ...accepted(TRUST)];
    expect(await refusal(requested, [deciding], "reconcile", TRUST)).toBe(nothing);
  });

  it.each([DRAIN, "trusted-3f9c2a71"])("are not believed of %s, which is no rule's", async (id) => {
    expect(await refusal([...operation(id), ...own(id)], [deciding], "sweep", id)).toBe(nothing);
  });

  it("are believed of a rule's operation, but for votes, which only the front door writes", async () => {
    const voted: Act = { what: "approved", by: { person: "U0ANNA" } };
    const vote = [...operation(TRUST), ...own(TRUST, "approval")];
    expect(await refusal(vote, [voted], "reconcile", TRUST)).toBe("U0ANNA has not voted so");
    const door = [...operation(TRUST), ...decided(at(TRUST), "U0ANNA", "approve", "approval")];
    expect(await refusal(door, [voted], "reconcile", TRUST)).toBeNull();
  });

  it("are decisions alone: no other item of the partition names a person", async () => {
    const item: Stored = [
      [
        { pk: operationPartition(TRUST), sk: "rollout" },
        { userId: "U0ANNA", decision: "pause" },
      ],
    ];
    expect(await refusal([...operation(TRUST), ...item], [deciding], "reconcile", TRUST)).toBe(nothing);
  });
});
