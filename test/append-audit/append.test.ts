import { describe, expect, it } from "vitest";
import { appendActs, entriesOf } from "../../lambdas/append-audit/append.ts";
import type { EntryItem } from "../../lambdas/append-audit/copies.ts";
import type { Chain, MarkedAct } from "../../lambdas/audit/entry.ts";
import { entryAfter } from "../../lambdas/audit/entry.ts";
import type { Head } from "../../lambdas/audit/head.ts";
import { keys } from "../../lambdas/records/ledger-table.ts";
import type { EventContext } from "../../lambdas/steps/context.ts";
import { storedItems } from "../steps/ledger/stored-items.ts";

const cluster = "prod-west";
const AT = "2026-11-21T14:00:00.000Z";
const EXPIRES_AT = Date.parse(AT) / 1_000 + 445 * 86_400;
const whole: Chain = { operation: "drain-3f9c2a71" };
const ofNode: Chain = { operation: "drain-3f9c2a71", index: 3 };

const marked = (mark: string, stage = mark): MarkedAct => ({ mark, act: { what: "started", detail: { stage } } });

/** Entries of these marks as a chain holds them, each after the one before. */
function entriesAfter(marks: readonly string[], chain = whole): EntryItem[] {
  let head: Head | null = null;
  return marks.map((mark) => {
    const entry = { ...entryAfter({ cluster, chain, head }, { at: AT, ...marked(mark) }), expiresAt: 2_000_000_000 };
    head = entry;
    return entry;
  });
}

const headOf = ({ sequence, hash }: Head): Head => ({ sequence, hash });

interface Scene {
  readonly chain?: Chain;
  readonly head?: Head;
  /** Entries that the ledger holds. */
  readonly entries?: readonly EntryItem[];
  /** Does the first reading of the chain find no entry, because they come right after it? */
  readonly isEarly?: boolean;
  /** Number of copies that S3 takes before it takes none. */
  readonly copied?: number;
}

/** Appends acts. @returns the head or the error, the entries that there are then, and what became of the copies */
async function appended(acts: readonly MarkedAct[], scene: Scene = {}) {
  const { chain = whole, head, entries = [], isEarly = false, copied = 99 } = scene;
  const name = chain.index === undefined ? chain.operation : `${chain.operation}:${chain.index}`;
  const { dynamodb, items, asked } = storedItems(entries.map((entry) => [keys.audit(name, entry.sequence), entry]));
  const tried: string[] = [];
  const copies = {
    postpone: async (of: Chain) => void tried.push(`postpone ${of.operation}:${of.index ?? ""}`),
    tryPut: async (_chain: Chain, { sequence, mark }: EntryItem) => tried.push(`${sequence} ${mark}`) <= copied,
    catchUp: async () => true,
  };
  const context = {
    clients: {
      dynamodb: async (...call: Parameters<typeof dynamodb>) => {
        const answer = await dynamodb(...call);
        return isEarly && call[0] === "Query" ? { Items: [] } : answer;
      },
    },
    settings: { cluster, ledgerTable: "casement", retentionDays: 400 },
    now: () => Date.parse(AT),
  } as unknown as EventContext;
  const result = await appendActs(context, copies, { chain, head }, acts).catch((error: unknown) => error);
  const stored = await entriesOf({ ...context, clients: { dynamodb } } as unknown as EventContext, chain);
  return { result, stored, tried, items, asked };
}

describe("The first entry of a chain", () => {
  it("follows the chain's name, is copied, and is the head; it expires later than any operation", async () => {
    const [entry] = entriesAfter(["launch"]);
    const { result, stored, tried, items, asked } = await appended([marked("launch")]);
    expect(stored).toEqual([{ ...entry, ...keys.audit("drain-3f9c2a71", 1), expiresAt: EXPIRES_AT }]);
    expect(result).toEqual(entry && headOf(entry));
    expect(tried).toEqual(["1 launch"]);
    expect(items.size).toBe(1);
    expect(asked.map((one) => one.split(" ")[0])).toEqual(["Query", "PutItem", "Query"]);
  });

  it("of a node is named in the operation's partition, once, and expires with that name", async () => {
    const { stored, items, asked } = await appended([marked("launch"), marked("agent")], { chain: ofNode });
    expect(stored.map(({ chain, sequence }) => ({ chain, sequence }))).toEqual([
      { chain: "drain-3f9c2a71:3", sequence: 1 },
      { chain: "drain-3f9c2a71:3", sequence: 2 },
    ]);
    expect(items.get("audit#drain-3f9c2a71 chain#0003")).toEqual({
      ...keys.auditChain("drain-3f9c2a71", 3),
      expiresAt: EXPIRES_AT,
    });
    expect(asked.slice(1, -1)).toEqual([
      "PutItem audit#drain-3f9c2a71 chain#0003",
      "PutItem audit#drain-3f9c2a71:3 000001",
      "PutItem audit#drain-3f9c2a71:3 000002",
    ]);
  });
});

describe("A later entry", () => {
  it("follows the last one, and expires with the first", async () => {
    const [first, second] = entriesAfter(["launch", "agent"]);
    const scene = { entries: first ? [first] : [], head: first };
    const { result, stored, tried } = await appended([marked("agent")], scene);
    expect(stored.at(1)).toEqual({ ...second, ...keys.audit("drain-3f9c2a71", 2), expiresAt: 2_000_000_000 });
    expect(result).toEqual(second && headOf(second));
    expect(tried).toEqual(["2 agent"]);
  });

  it("follows the head in the record where the ledger's entries were removed, or replaced at its place", async () => {
    const head = { sequence: 2, hash: "the record's" };
    for (const entries of [[], entriesAfter(["launch"]), entriesAfter(["launch", "agent"])]) {
      const { stored } = await appended([marked("join")], { entries, head });
      expect(stored.at(-1)).toMatchObject({ sequence: 3, mark: "join", previous: "the record's" });
    }
  });

  it("follows an entry whose head was not written, whose copy the sweep then writes", async () => {
    const entries = entriesAfter(["launch", "agent"]);
    const [first, second] = entries;
    const { stored, tried } = await appended([marked("join")], { entries, head: first });
    expect(stored.at(-1)).toMatchObject({ sequence: 3, previous: second?.hash });
    expect(tried).toEqual(["postpone drain-3f9c2a71:", "3 join"]);
    const none = await appended([marked("join")], { entries });
    expect(none.tried).toEqual(["postpone drain-3f9c2a71:", "3 join"]);
    expect((await appended([marked("join")], { entries, head: second })).tried).toEqual(["3 join"]);
  });
});

describe("A step that is repeated", () => {
  const entries = entriesAfter(["launch", "agent"]);

  it("has the entries that it had, and their copies are tried again", async () => {
    const { result, stored, tried } = await appended([marked("launch"), marked("agent")], { entries });
    expect(stored).toHaveLength(2);
    expect(result).toEqual(entries[1] && headOf(entries[1]));
    expect(tried).toEqual(["1 launch", "2 agent"]);
  });

  it("has the head of the entries that came since, whose copies the sweep then writes", async () => {
    const { result, tried } = await appended([marked("launch")], { entries });
    expect(result).toEqual(entries[1] && headOf(entries[1]));
    expect(tried).toEqual(["postpone drain-3f9c2a71:", "1 launch"]);
    const three = entriesAfter(["launch", "agent", "join"]);
    const again = await appended([marked("agent")], { entries: three, head: three[0] });
    expect(again.tried).toEqual(["postpone drain-3f9c2a71:", "2 agent"]);
  });

  it("is refused with another act under its mark", async () => {
    const { result, stored } = await appended([marked("agent", "other")], { entries });
    expect(result).toEqual(new Error('drain-3f9c2a71 has another entry with the mark "agent"'));
    expect(stored).toHaveLength(2);
    expect((await appended([marked("join"), marked("join", "other")], { entries })).result).toEqual(
      new Error('drain-3f9c2a71 has another entry with the mark "join"'),
    );
  });

  it("has its entry where the answer to its write was lost", async () => {
    const [first] = entries;
    const { result, tried } = await appended([marked("launch")], { entries: first ? [first] : [], isEarly: true });
    expect(result).toEqual(first && headOf(first));
    expect(tried).toEqual(["1 launch"]);
  });

  it.each([
    ["mark", { ...marked("launch"), mark: "other" }],
    ["act", marked("launch", "other")],
  ])("is refused where its place has another %s", async (_what, act) => {
    const { result, tried } = await appended([act], { entries: entriesAfter(["launch"]), isEarly: true });
    expect(result).toEqual(new Error("entry 1 of drain-3f9c2a71 exists with another content"));
    expect(tried).toEqual([]);
  });
});

describe("A copy that S3 does not take", () => {
  it("is the last one that is tried: the sweep has the others written", async () => {
    const acts = ["launch", "agent", "join"].map((mark) => marked(mark));
    const { stored, tried } = await appended(acts, { copied: 1 });
    expect(stored).toHaveLength(3);
    expect(tried).toEqual(["1 launch", "2 agent", "postpone drain-3f9c2a71:"]);
  });

  it("is postponed once where it is the only one", async () => {
    expect((await appended([marked("launch")], { copied: 0 })).tried).toEqual(["1 launch"]);
  });
});

it("An append of nothing has the head that there is, or is an error", async () => {
  const entries = entriesAfter(["launch"]);
  expect((await appended([], { entries })).result).toEqual(entries[0] && headOf(entries[0]));
  expect((await appended([])).result).toEqual(new Error("drain-3f9c2a71 has no entry"));
});
