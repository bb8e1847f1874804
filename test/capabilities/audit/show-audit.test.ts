import { describe, expect, test } from "vitest";
import { type AuditEntry, type Chain, chainName, entryAfter } from "../../../lambdas/audit/entry.ts";
import { showAudit } from "../../../lambdas/capabilities/audit/show-audit.ts";
import type { Request } from "../../../lambdas/commands/request.ts";
import type { OperationRecord } from "../../../lambdas/records/records.ts";
import { verbs } from "../../engine/durable-engine.ts";
import { readBlocks } from "../../journeys/reading.ts";
import { nodeRecord, operationRecord } from "../../messages/records.ts";

const AT = "2026-11-21T14:00:00.000Z";
const NOW = "2026-11-21T15:00:00.000Z";

/** Entries of a chain, each after the one before. */
function chainOf(chain: Chain, ...acts: readonly (readonly [AuditEntry["what"], object?])[]): AuditEntry[] {
  const entries: AuditEntry[] = [];
  for (const [what, more = {}] of acts) {
    const place = { cluster: "prod-west", chain, head: entries.at(-1) ?? null };
    entries.push(entryAfter(place, { at: AT, mark: `${entries.length}`, act: { what, ...more } }));
  }
  return entries;
}

const headOf = (entries: readonly AuditEntry[]) => {
  const last = entries.at(-1);
  return last ? { sequence: last.sequence, hash: last.hash } : undefined;
};

const operation = (id: string, own: readonly AuditEntry[], more: Partial<OperationRecord> = {}): OperationRecord => {
  const audit = headOf(own);
  const request = { command: "drain", node: "win-1", dryRun: false } as const;
  return operationRecord({ id, request, requestedAt: AT, ...(audit ? { audit } : {}), ...more });
};

const drain = chainOf(
  { operation: "drain-11111111" },
  ["requested", { by: { person: "U0OPERATOR", name: "olivia" }, detail: { command: "drain", node: "win-1" } }],
  ["changed", { node: { name: "win-1" }, detail: { change: "cordon" } }],
);
const ofNode = chainOf({ operation: "drain-11111111", index: 2 }, ["evicted", { detail: { pods: 3 } }]);

interface World {
  readonly operations?: readonly OperationRecord[];
  readonly entries?: Readonly<Record<string, readonly AuditEntry[]>>;
  /** Copies in the bucket; those of all entries without it. */
  readonly copies?: (chain: string, sequence: number, reads: number) => AuditEntry | null;
  readonly late?: readonly Chain[];
}

/** Steps that read this ledger and this bucket, and what was asked of them. */
function stepsOf({ operations = [], entries = {}, copies, late = [] }: World) {
  const asked: string[] = [];
  const kept = (chain: string, sequence: number) => entries[chain]?.[sequence - 1] ?? null;
  const steps = verbs({
    now: () => Date.parse(NOW),
    audit: {
      lateExports: async () => late.map((chain) => ({ chain })),
      entries: async (chain: Chain) => entries[chainName(chain)] ?? [],
      nodeChains: async (id: string) => (`${id}:2` in entries ? [2] : []),
      copy: async (place: { chain: string; sequence: number; cluster: string }, dates: object) => {
        asked.push(`${place.cluster} ${place.chain} ${place.sequence} ${JSON.stringify(dates)}`);
        return (copies ?? kept)(place.chain, place.sequence, asked.length);
      },
    },
    ledger: {
      operation: async (id: string) => operations.find((one) => one.id === id),
      operations: async (most: number) => operations.slice(0, most),
      nodes: async (id: string) => (`${id}:2` in entries ? [nodeRecord({ operation: id, index: 2 })] : []),
    },
  });
  return { steps, asked };
}

const world = {
  operations: [operation("drain-11111111", drain)],
  entries: { "drain-11111111": drain, "drain-11111111:2": ofNode },
};
const audit = (of: string | null, days?: number) =>
  ({ command: "audit", of, ...(days === undefined ? {} : { days }) }) as Extract<Request, { command: "audit" }>;
const shown = async (given: World, ...asks: Parameters<typeof audit>): Promise<string> => {
  const { text, blocks } = await showAudit(stepsOf(given).steps, audit(...asks));
  return `${text}\n${readBlocks(blocks)}`;
};

describe("The audit of one operation", () => {
  test("has the entries of its own chain and of its nodes', compared with their copies", async () => {
    const { steps, asked } = stepsOf(world);
    await showAudit(steps, audit("drain-11111111"));
    const request = `{"request":"${AT}","entry":"${AT}"}`;
    expect(asked).toEqual([
      `prod-west drain-11111111 1 ${request}`,
      `prod-west drain-11111111 2 ${request}`,
      `prod-west drain-11111111 3 {"request":"${AT}"}`,
      `prod-west drain-11111111:2 1 ${request}`,
      `prod-west drain-11111111:2 2 {"request":"${AT}"}`,
    ]);
    expect(await shown(world, "drain-11111111")).toMatchInlineSnapshot(`
      "Audit of \`drain-11111111\`: intact
      *Audit of \`drain-11111111\`*
      ✅ \`drain-11111111\`: chain intact, 2 entries, head \`1316e1a535ba\`, same as its copies in the bucket
      ✅ \`drain-11111111:2\`: chain intact, 1 entry, head \`6a28aa3d8eed\`, same as its copies in the bucket
      \`\`\`
      TIME (UTC)            #   WHAT        BY
      2026-11-21 14:00:00   1   requested   olivia
        Drain win-1
        drain-11111111 e3c738c4f02d
      2026-11-21 14:00:00   2   changed     &lt;none&gt;
        cordon
        win-1
        drain-11111111 1316e1a535ba
      2026-11-21 14:00:00   1   evicted     &lt;none&gt;
        3 pods
        drain-11111111:2 6a28aa3d8eed
      \`\`\`
      Compare the head with the one in the operation's last message, or in the log line of its end."
    `);
  });

  test("says what its copies are: missing, late, different, more, or not known", async () => {
    const [first] = drain;
    const own = { operations: world.operations, entries: { "drain-11111111": drain } };
    const said = async (copies: NonNullable<World["copies"]>, late: readonly Chain[] = []) =>
      (await shown({ ...own, copies, late }, "drain-11111111")).split("\n").slice(0, 4).join("\n");
    expect({
      missing: await said(() => null),
      late: await said(() => null, [{ operation: "drain-11111111" }]),
      different: await said((_chain, sequence) => (first && sequence === 1 ? { ...first, hash: "x" } : null)),
      more: await said((_chain, sequence) => drain[sequence - 1] ?? first ?? null),
      unknown: await said(() => {
        throw new Error("SlowDown");
      }),
    }).toMatchInlineSnapshot(`
      {
        "different": "Audit of \`drain-11111111\`: 1 chain broken
      *Audit of \`drain-11111111\`*
      ❌ \`drain-11111111\`: *entry 1 differs from its copy in the bucket*
      \`\`\`",
        "late": "Audit of \`drain-11111111\`: intact
      *Audit of \`drain-11111111\`*
      ✅ \`drain-11111111\`: chain intact, 2 entries, head \`1316e1a535ba\`, not copied to the bucket yet
      \`\`\`",
        "missing": "Audit of \`drain-11111111\`: 1 chain broken
      *Audit of \`drain-11111111\`*
      ❌ \`drain-11111111\`: *entry 1 has no copy in the bucket*
      \`\`\`",
        "more": "Audit of \`drain-11111111\`: 1 chain broken
      *Audit of \`drain-11111111\`*
      ❌ \`drain-11111111\`: *its end is missing: the bucket has a copy of entry 3*
      \`\`\`",
        "unknown": "Audit of \`drain-11111111\`: intact
      *Audit of \`drain-11111111\`*
      ✅ \`drain-11111111\`: chain intact, 2 entries, head \`1316e1a535ba\`, not compared with the bucket: S3 does not answer
      \`\`\`",
      }
    `);
  });

  test("is read once more when the bucket has more than the ledger had", async () => {
    let reads = 0;
    const { steps } = stepsOf(world);
    const growing = { ...steps.audit, entries: async () => (++reads === 1 ? drain.slice(0, 1) : drain) };
    const own = operation("drain-11111111", drain.slice(0, 1));
    const ledger = { ...steps.ledger, nodes: async () => [], operation: async () => own };
    const named = { nodeChains: async () => [] };
    const text = await showAudit(
      { ...steps, ledger, audit: { ...growing, ...named } } as never,
      audit("drain-11111111"),
    );
    expect(reads).toBe(2);
    expect(readBlocks(text.blocks)).toContain("cordon");
  });

  test("is refused of an operation that the ledger does not hold, and says whether it holds its audit", async () => {
    await expect(shown({}, "drain-22222222")).rejects.toThrow("The ledger holds no operation drain-22222222.");
    await expect(shown({ entries: { "drain-22222222": drain } }, "drain-22222222")).rejects.toThrow(
      "The ledger holds an audit of drain-22222222 and no record of the operation: its record was removed, or has expired.",
    );
  });
});

describe("The audit of days", () => {
  test("has the changes of seven days; of a person or a node of thirty, or of as many as are asked for", async () => {
    const weekAgo = { requestedAt: "2026-11-14T15:00:00.000Z" };
    const before = { requestedAt: "2026-11-14T14:59:59.999Z" };
    const monthAgo = { requestedAt: "2026-10-22T15:00:00.000Z" };
    const found = async (fields: Partial<OperationRecord>, ...asks: Parameters<typeof audit>) =>
      !(await shown({ ...world, operations: [operation("drain-11111111", drain, fields)] }, ...asks)).startsWith("No ");
    expect([await found(weekAgo, null), await found(before, null), await found(before, null, 8)]).toEqual([
      ...[true, false, true],
    ]);
    expect([await found(monthAgo, "win-1"), await found(before, "@olivia"), await found(before, "@omar")]).toEqual([
      ...[true, true, false],
    ]);
    expect(await found({ request: { command: "nodes", pool: null } }, null)).toBe(false);
  });

  test("reads the last hundred operations, and says that older ones were left out", { tags: ["long"] }, async () => {
    const cut = async (count: number, isChange = true): Promise<boolean> => {
      const ids = Array.from({ length: count }, (_, at) => `drain-${10_000_000 + at}`);
      const chains = ids.map((id): [string, AuditEntry[]] => [id, chainOf({ operation: id }, ["requested"])]);
      const look = { request: { command: "nodes", pool: null } } as const;
      const operations = chains.map(([id, own], at) => operation(id, own, isChange || at === 0 ? {} : look));
      const text = await shown({ operations, entries: Object.fromEntries(chains) }, null);
      expect(text).toContain(isChange ? `${Math.min(count, 100)} chains intact` : "chain intact");
      return text.includes("older operations were left out");
    };
    expect([await cut(100), await cut(101)]).toEqual([false, true]);
    expect([await cut(999, false), await cut(1_000, false)]).toEqual([false, true]);
  });
});
