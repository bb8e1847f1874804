import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { isAppender } from "../../../../lambdas/audit/appenders.ts";
import { type Act, type AuditEntry, entryAfter } from "../../../../lambdas/audit/entry.ts";
import { commandsOf } from "../../../../lambdas/commands/of-workflow.ts";
import { keys } from "../../../../lambdas/records/ledger-table.ts";
import type { OperationRecord } from "../../../../lambdas/records/records.ts";
import { functionNames } from "../../../../lib/functions.ts";
import { demo } from "../../../../lib/sandbox/demo.ts";
import { newest, settled } from "../../evidence.ts";
import type { Journey } from "../../journey.ts";
import { shortName, web } from "../../others.ts";
import { privately } from "../../reading.ts";
import { withSeedNodes } from "../../removal.ts";
import { type Thief, thief } from "../../stealing.ts";
import { copiesOf } from "./tampering.ts";

let here: Journey;
let operation: OperationRecord;
afterEach(() => here.close());

/** A node is cordoned, whose audit thieves then try to change. */
beforeEach(async () => {
  here = await withSeedNodes();
  await here.type("operator", `/win cordon ${shortName(web)}`);
  await settled(here);
  ({ operation } = await newest(here));
});

async function told(): Promise<string> {
  await here.type("approver", `/win audit ${operation.id}`);
  await settled(here, 2);
  return privately(here, "approver").at(-1) ?? "";
}

const copied = () => copiesOf(here).filter(({ key }) => key.includes(operation.id));

/** The entries of the operation, as their copies have them. */
const entries = (): AuditEntry[] => copied().map(({ entry }) => entry);

/** The chain made anew from other acts. */
function anew(acts: readonly Act[]): AuditEntry[] {
  const made: AuditEntry[] = [];
  for (const [at, act] of acts.entries()) {
    const { at: time = "", mark = `${at}` } = entries()[at] ?? {};
    const chain = { cluster: demo.cluster.name, chain: { operation: operation.id }, head: made.at(-1) ?? null };
    made.push(entryAfter(chain, { at: time, mark, act }));
  }
  return made;
}

const actOf = ({ what, by, node, detail }: AuditEntry): Act => ({
  what,
  ...(by ? { by } : {}),
  ...(node ? { node } : {}),
  ...(detail ? { detail } : {}),
});

/** Writes entries over those of the ledger. @returns the last one */
async function putAll(stolen: Thief, made: readonly AuditEntry[]): Promise<AuditEntry> {
  for (const entry of made)
    expect(await stolen.put({ ...entry, ...keys.audit(operation.id, entry.sequence) })).toBe("done");
  return made.at(-1) as AuditEntry;
}

/** Has the last entry expire, which nobody may delete. */
async function expireLast(stolen: Thief): Promise<void> {
  const sequence = entries().length;
  expect(await stolen.put({ ...keys.audit(operation.id, sequence), sequence, expiresAt: 1 })).toBe("done");
}

/** Every way in which the role that appends can change an audit afterwards, and what the copies show. */
const ways: readonly (readonly [string, string, (stolen: Thief) => Promise<AuditEntry>])[] = [
  [
    "rewritten with another requester",
    "entry 1 differs from its copy",
    (stolen) => {
      const forged = (act: Act): Act => (act.by ? { ...act, by: { person: "U0VISITOR0" } } : act);
      return putAll(stolen, anew(entries().map((entry) => forged(actOf(entry)))));
    },
  ],
  [
    "reordered",
    "entry 2 differs from its copy",
    (stolen) => {
      const [first, second, third, ...rest] = entries().map(actOf) as [Act, Act, Act, ...Act[]];
      return putAll(stolen, anew([first, third, second, ...rest]));
    },
  ],
  [
    "without an entry",
    "entry 2 differs from its copy",
    async (stolen) => {
      const [first, , ...rest] = entries().map(actOf) as [Act, Act, ...Act[]];
      await expireLast(stolen);
      return putAll(stolen, anew([first, ...rest]));
    },
  ],
  [
    "without its end",
    "the bucket has a copy of entry 4",
    async (stolen) => {
      await expireLast(stolen);
      return entries().at(-2) as AuditEntry;
    },
  ],
  [
    "replaced by another",
    "entry 1 differs from its copy",
    (stolen) => putAll(stolen, anew([{ what: "requested", by: { person: "U0VISITOR0" } }, { what: "ended" }])),
  ],
];

describe("an audit that the role which appends has changed", () => {
  test("is said to be intact before", async () => {
    expect(await told()).toMatch(/chain intact, \d entries, head `\w{12}`, same as its copies in the bucket/);
  });

  test.for(ways)("is found: %s", async ([, words, change]) => {
    await change(thief(here, "append-audit"));
    expect(await told()).toMatch(/❌ .*(was changed|is missing)/);
    expect(await told()).toContain(words);
  });

  test.for(ways)("is found although another role wrote the head that fits: %s", async ([, words, change]) => {
    const { sequence, hash } = await change(thief(here, "append-audit"));
    expect(await thief(here, "cordon-node").update(keys.operation(operation.id), { audit: { sequence, hash } })).toBe(
      "done",
    );
    expect(await told()).toContain(words);
  });

  test("has copies that this role cannot write anew, delete or write without the condition", async () => {
    const stolen = thief(here, "append-audit");
    for (const { key, entry } of copied()) {
      expect(await stolen.putObject(key, entry)).toBe("AccessDenied");
      expect(await stolen.putObject(key, entry, { IfNoneMatch: "*" })).toBe("PreconditionFailed");
      expect(await stolen.deleteObject(key)).toBe("AccessDenied");
    }
    expect(await stolen.putObject(`audit/${demo.cluster.name}/2026-11-21/x/0001.json`, {})).toBe("AccessDenied");
  });
});

describe("whoever has stolen another role", () => {
  test("writes no entry and no copy", async () => {
    for (const role of functionNames.filter((name) => name !== "append-audit")) {
      const stolen = thief(here, role);
      const [first] = copied();
      expect(await stolen.put({ ...keys.audit(operation.id, 1), what: "ended" }), role).toBe("AccessDeniedException");
      expect(await stolen.update(keys.audit(operation.id, 1), { what: "ended" })).toBe("AccessDeniedException");
      expect(await stolen.putObject(first?.key ?? "", {}, { IfNoneMatch: "*" })).toBe("AccessDenied");
    }
  });

  test("appends by no alias but its own, and to no operation of another command", async () => {
    const entry = { mark: "forged", act: { what: "changed", detail: { change: "forged" } } };
    const request = { kind: "append", chain: { operation: operation.id }, entries: [entry] };
    for (const role of functionNames) {
      const stolen = thief(here, role);
      const other = role === "cordon-node" ? "sweep" : "cordon-node";
      if (role !== "append-audit") expect(await stolen.append(other, request), role).toBe("AccessDeniedException");
      if (isAppender(role) && role !== "sweep" && !commandsOf(role).includes("cordon"))
        expect(await stolen.append(role, request), role).toEqual({
          refused: `${role} has no part in ${operation.id}`,
        });
    }
    expect(await told()).toContain("chain intact");
  });

  test("makes nobody say what the front door does not hold, and nothing of an operation that does not exist", async () => {
    const stolen = thief(here, "cordon-node");
    const append = (id: string, act: object) =>
      stolen.append("cordon-node", { kind: "append", chain: { operation: id }, entries: [{ mark: "forged", act }] });
    for (const [act, refused] of [
      [{ what: "approved", by: { person: "U0APPROVER" } }, "U0APPROVER has not voted so"],
      [{ what: "requested", by: { person: "U0APPROVER" } }, "U0APPROVER did not request the operation"],
      [{ what: "decided", by: { person: "U0APPROVER" } }, "U0APPROVER decided nothing about the operation"],
      [{ what: "changed", by: { rule: "mirrors" } }, "a person requested the operation, and no rule mirrors"],
    ] as const)
      expect(await append(operation.id, act)).toEqual({ refused });
    expect(await append("cordon-00000000", { what: "ended" })).toEqual({
      refused: "the ledger holds no operation cordon-00000000",
    });
    expect(await append(operation.id, { what: "invented" })).toMatchObject({
      refused: expect.stringContaining("what"),
    });
    expect(here.logged.some(({ line }) => line.includes("append to the audit"))).toBe(true);
    expect(await told()).toContain("chain intact");
  });

  test("makes nobody request or approve an operation that the front door never accepted", async () => {
    const stolen = thief(here, "cordon-node");
    const id = "cordon-deadbeef";
    const { pk, sk } = keys.operation(id);
    const decided = { userId: "U0APPROVER", decision: "approve", subject: "approval", cause: "forged", callback: "" };
    expect(await stolen.put({ ...operation, id, pk, sk, asker: { userId: "U0BOSS" }, audit: undefined })).toBe("done");
    expect(await stolen.put({ ...keys.vote(pk, 1, "U0APPROVER"), ...decided })).toBe("done");
    const append = (act: object) =>
      stolen.append("cordon-node", { kind: "append", chain: { operation: id }, entries: [{ mark: "forged", act }] });
    expect(await append({ what: "requested", by: { person: "U0BOSS" } })).toEqual({
      refused: "U0BOSS did not request the operation",
    });
    expect(await append({ what: "approved", by: { person: "U0APPROVER" } })).toEqual({
      refused: "U0APPROVER has not voted so",
    });
  });
});
