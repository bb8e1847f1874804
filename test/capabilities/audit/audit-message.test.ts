import { describe, expect, test } from "vitest";
import type { AuditEntry } from "../../../lambdas/audit/entry.ts";
import { auditMessage, type FoundAudit } from "../../../lambdas/capabilities/audit/audit-message.ts";
import { actorName, detailOf } from "../../../lambdas/capabilities/audit/entry-words.ts";
import type { ReviewedChain } from "../../../lambdas/capabilities/audit/review.ts";
import { readBlocks } from "../../journeys/reading.ts";

const HASH = "abcdef0123456789";
const entry = (fields: Partial<AuditEntry> = {}): AuditEntry => ({
  cluster: "prod-west",
  chain: "drain-3f9c2a71",
  sequence: 1,
  at: "2026-11-21T14:00:00.000Z",
  mark: "1",
  what: "started",
  previous: "",
  hash: HASH,
  ...fields,
});
const chain = (fields: Partial<ReviewedChain> = {}): ReviewedChain => ({
  chain: { operation: "drain-3f9c2a71" },
  entries: [entry()],
  verdict: { kind: "intact", head: { sequence: 1, hash: HASH } },
  copy: { kind: "unknown" },
  ...fields,
});
const found = (fields: Partial<FoundAudit> = {}): FoundAudit => ({
  subject: { kind: "operation", id: "drain-3f9c2a71" },
  chains: [chain()],
  days: null,
  isCut: false,
  ...fields,
});
const textOf = (fields: Partial<FoundAudit>): string => JSON.stringify(auditMessage(found(fields)).blocks);

describe("The facts of an entry", () => {
  const request = { command: "drain", node: "win-1", dryRun: false, reason: "patches" };
  test.each<readonly [Partial<AuditEntry>, string]>([
    [{ what: "requested", detail: request }, "Drain win-1: patches"],
    [{ what: "requested", detail: { command: "moonwalk", node: "x" } }, "command: moonwalk, node: x"],
    [{ what: "asked", detail: { question: "continue", until: "15:00" } }, "continue: until: 15:00"],
    [{ what: "decided", detail: { question: "continue", decision: "cancel" } }, "continue: cancel"],
    [{ what: "started", detail: { stage: "evict", extra: 1 } }, "evict"],
    [{ what: "evicted", detail: { pods: 3 } }, "3 pods"],
    [{ what: "evicted", detail: { pods: 1 } }, "1 pod"],
    [{ what: "changed", detail: { change: "cordon", before: false } }, "cordon: before: false"],
    [{ what: "ended", detail: { status: "failed", summary: "", stage: "evict", why: null } }, "failed: evict"],
    [{ what: "lapsed", detail: { a: undefined, b: null, c: ["x"], d: 0 } }, 'c: ["x"], d: 0'],
    [{ what: "lapsed" }, ""],
  ])("are one line: %#", (fields, line) => {
    expect(detailOf(entry(fields))).toBe(line);
  });

  test("name the person or the rule", () => {
    expect(actorName(entry())).toBe("");
    expect(actorName(entry({ by: { person: "U0OPERATOR" } }))).toBe("U0OPERATOR");
    expect(actorName(entry({ by: { person: "U0OPERATOR", name: "olivia" } }))).toBe("olivia");
    expect(actorName(entry({ by: { rule: "sweep" } }))).toBe("sweep");
  });
});

describe("The answer of an audit", () => {
  test("says who a person is whose name the entries do not hold, once", () => {
    const vote = { what: "approved", by: { person: "U0APPROVER" } } as const;
    const known = entry({ what: "requested", by: { person: "U0OPERATOR", name: "olivia" }, detail: { command: "x" } });
    const text = textOf({ chains: [chain({ entries: [known, entry(vote), entry({ ...vote, sequence: 2 })] })] });
    expect(text.split("`U0APPROVER` is <@U0APPROVER>")).toHaveLength(2);
    expect(text).not.toContain("<@U0OPERATOR>");
  });

  test("shows who did what to which node, and the chain's head", () => {
    const entries = [
      entry({ what: "requested", by: { person: "U0OPERATOR", name: "olivia" }, detail: { command: "x" } }),
      entry({ sequence: 2, what: "changed", node: { name: "win-1" }, detail: { change: "`cordon`" } }),
      entry({ sequence: 3, what: "changed", node: { instanceId: "i-0a" } }),
    ];
    const text = textOf({
      chains: [chain({ entries, verdict: { kind: "intact", head: { sequence: 3, hash: HASH } } })],
    });
    expect(text).toContain(
      "*Audit of `drain-3f9c2a71`*\\n✅ `drain-3f9c2a71`: chain intact, 3 entries, head `abcdef012345`",
    );
    expect(text).toMatch(/TIME \(UTC\) +# +WHAT +BY\\n/);
    expect(text).toMatch(
      /2026-11-21 14:00:00 +1 +requested +olivia\\n {2}command: x\\n {2}drain-3f9c2a71 abcdef012345\\n/,
    );
    expect(text).toMatch(/2 +changed +&lt;none&gt;\\n {2}cordon\\n {2}win-1\\n {2}drain-3f9c2a71 abcdef012345\\n/);
    expect(text).toMatch(/3 +changed +&lt;none&gt;\\n {2}i-0a\\n/);
    expect(text).toContain(
      "Compare the head with the one in the operation's last message, or in the log line of its end.\"",
    );
  });

  test("has no line that is wider than a phone", () => {
    const long = entry({
      ...{ what: "break-glass", chain: "uncordon-3f9c2a71:12", by: { person: "U1", name: "maximiliane-of-support" } },
      ...{
        node: { name: "ip-10-0-3-7.us-west-2.compute.internal" },
        detail: { stage: "the node is late ".repeat(20) },
      },
    });
    const { blocks } = auditMessage(found({ chains: [chain({ entries: [long] })] }));
    const lines = readBlocks(blocks).split("\n").slice(3, -2);
    expect(lines.length).toBeGreaterThan(5);
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(60);
  });

  test.each<readonly [ReviewedChain["verdict"], ReviewedChain["copy"], string]>([
    [
      { kind: "intact", head: { sequence: 1, hash: HASH } },
      { kind: "same" },
      "1 entry, head `abcdef012345`, same as its copies in the bucket",
    ],
    [
      { kind: "intact", head: { sequence: 2, hash: HASH } },
      { kind: "late" },
      "2 entries, head `abcdef012345`, not copied to the bucket yet",
    ],
    [
      { kind: "intact", head: { sequence: 2, hash: HASH } },
      { kind: "different", at: 2 },
      "❌ `drain-3f9c2a71`: *entry 2 differs from its copy in the bucket*",
    ],
    [
      { kind: "empty" },
      { kind: "unknown" },
      "ℹ️ `drain-3f9c2a71`: no audit: it changed nothing, or began before Casement kept one",
    ],
    [{ kind: "changed", at: 2 }, { kind: "unknown" }, "❌ `drain-3f9c2a71`: *entry 2 was changed, or inserted there*"],
    [{ kind: "missing", at: 2 }, { kind: "unknown" }, "❌ `drain-3f9c2a71`: *entry 2 is missing*"],
    [{ kind: "truncated", at: 2 }, { kind: "unknown" }, "❌ `drain-3f9c2a71`: *its end is missing, from entry 2 on*"],
    [
      { kind: "extended", at: 2 },
      { kind: "unknown" },
      "❌ `drain-3f9c2a71`: *entries were added after its end, from entry 2 on*",
    ],
  ])("says whether a chain is intact: %o, copy %s", (verdict, copy, words) => {
    const message = auditMessage(found({ chains: [chain({ verdict, copy })] }));
    expect(JSON.stringify(message.blocks)).toContain(words);
    expect(message.text).toBe(`Audit of \`drain-3f9c2a71\`: ${words.startsWith("❌") ? "1 chain broken" : "intact"}`);
  });

  test("counts many intact chains, and names broken ones up to eight", () => {
    const broken = (at: number) =>
      chain({ chain: { operation: "drain-1", index: at }, verdict: { kind: "missing", at: 1 } });
    const text = textOf({
      chains: [...Array.from({ length: 10 }, (_, at) => broken(at)), ...Array.from({ length: 9 }, () => chain())],
    });
    expect(text.match(/\*entry 1 is missing\*/g)).toHaveLength(8);
    expect(text).toContain("❌ 2 more broken chains");
    expect(text).toContain("✅ 9 chains intact");
    const few = textOf({ chains: Array.from({ length: 8 }, () => chain()) });
    expect(few.match(/chain intact/g)).toHaveLength(8);
    expect(few).not.toContain("broken");
  });

  test.each<readonly [FoundAudit["subject"], number | null, string]>([
    [{ kind: "operation", id: "drain-1" }, null, "`drain-1`. `{win} operations` lists recent operations."],
    [
      { kind: "person", who: "typo" },
      7,
      "`typo` in the last 7 days. `--days` looks further back, and `{win} operations` names who requested the recent operations.",
    ],
    [
      { kind: "node", named: "win-1" },
      1,
      "`win-1` in the last 1 day. `--days` looks further back, and `{win} nodes` lists the nodes.",
    ],
    [{ kind: "everything" }, 7, "all operations in the last 7 days. `--days` looks further back."],
  ])("names its subject and the next step where nothing is found: %o", (subject, days, words) => {
    expect(auditMessage(found({ subject, days, chains: [] })).text).toBe(`No audit of ${words}`);
  });

  test("shows what concerns the subject and who asked for it, and says what was left out", () => {
    const entries = [
      entry({ what: "requested", by: { person: "U0OPERATOR" } }),
      entry({ sequence: 2, what: "changed", node: { name: "win-1" }, detail: { change: "cordon" } }),
      entry({ sequence: 3, what: "changed", node: { name: "win-2" }, detail: { change: "uncordon" } }),
    ];
    const text = textOf({
      subject: { kind: "node", named: "win-1" },
      days: 7,
      chains: [chain({ entries })],
      isCut: true,
    });
    expect(text).toContain("requested");
    expect(text).toContain("win-1");
    expect(text).not.toContain("win-2");
    expect(text).toContain("older operations were left out: `{win} audit &lt;operation&gt;`.");
    const long = Array.from({ length: 200 }, (_, at) => entry({ sequence: at, detail: { stage: "x".repeat(90) } }));
    expect(textOf({ chains: [chain({ entries: long })] })).toMatch(/The last \d+ entries did not fit: /);
  });
});
