import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Command } from "../../lambdas/capabilities/command.ts";
import { commandOf, commands } from "../../lambdas/commands/list.ts";
import { parse, parserOf } from "../../lambdas/commands/parse.ts";
import { usageMessage } from "../../lambdas/messages/command/usage.ts";

const vocabulary = { pools: ["web", "batch"], commandWord: "/win" };
const host = "ip-10-0-3-7.us-west-2.compute.internal";
const nodesNamed = (...nodes: string[]) => ({ kind: "nodes", nodes });
const add = (count: number, dryRun = false) => ({ command: "add", pool: "web", count, dryRun });

describe("what is understood", () => {
  test.each([
    ["", { command: "help", topic: null }],
    ["   ", { command: "help", topic: null }],
    ["help", { command: "help", topic: null }],
    ["help add", { command: "help", topic: "add" }],
    ["help get nodes", { command: "help", topic: "nodes" }],
    ["add --help", { command: "help", topic: "add" }],
    ["nodes", { command: "nodes", pool: null }],
    ["get nodes", { command: "nodes", pool: null }],
    ["GET Nodes", { command: "nodes", pool: null }],
    ["kubectl get nodes", { command: "nodes", pool: null }],
    ["nodes web", { command: "nodes", pool: "web" }],
    ["get nodes web --notready", { command: "nodes", pool: "web", notready: true }],
    [`get nodes ${host}`, { command: "node", node: host }],
    ["/win nodes", { command: "nodes", pool: null }],
    [`node ${host}`, { command: "node", node: host }],
    [`get node ${host}`, { command: "node", node: host }],
    [`describe node ${host}`, { command: "node", node: host }],
    [`describe node/${host}`, { command: "node", node: host }],
    [`node node/${host}`, { command: "node", node: host }],
    [`NODE Nodes/${host}`, { command: "node", node: host }],
    [`describe no node/${host}`, { command: "node", node: host }],
    [`nodes/${host}`, { command: "node", node: host }],
    [`remove node/${host} --dry-run`, { command: "remove", node: host, dryRun: true }],
    [`delete node node/${host}`, { command: "remove", node: host, dryRun: false }],
    ["node i-0AB12cd34ef567890", { command: "node", node: "i-0ab12cd34ef567890" }],
    ["node 10.0.3.7", { command: "node", node: "10.0.3.7" }],
    [`node <http://${host}|${host}>`, { command: "node", node: host }],
    [`node <http://${host}/|${host}>`, { command: "node", node: host }],
    [`node <http://${host}>`, { command: "node", node: host }],
    [`node <http://${host}|IP-10-0-3-7>`, { command: "node", node: "ip-10-0-3-7" }],
    ["node <tel:10.0.3.7|10.0.3.7>", { command: "node", node: "10.0.3.7" }],
    ["node ip-10-0-3-7.us-west-2.", { command: "node", node: "ip-10-0-3-7.us-west-2" }],
    ["node win\u2011web\u20113", { command: "node", node: "win-web-3" }],
    ["add web", add(1)],
    ["add  web   2", add(2)],
    ["  ADD Web 2  ", add(2)],
    ["add\u00a0web\t2", add(2)],
    ["add \u200bweb\ufeff 2", add(2)],
    ["add w\u00adeb 2", add(2)],
    ["add web 100", add(100)],
    ["add nodes web 2", add(2)],
    ["add web 2 --dry-run", add(2, true)],
    ["add --dry-run web 2", add(2, true)],
    ["add web 2 \u2014dry-run", add(2, true)],
    ["add web 2 \u2013dry\u2010run", add(2, true)],
    ["add web 2 --dry-run=server", add(2, true)],
    ["remove win-3", { command: "remove", node: "win-3", dryRun: false }],
    ["delete node win-3 --dry-run", { command: "remove", node: "win-3", dryRun: true }],
    ['add web --reason "Patch Tuesday, KB5031364"', { ...add(1), reason: "Patch Tuesday, KB5031364" }],
    ["add web --reason \u201cPatch Tuesday\u201d 2", { ...add(2), reason: "Patch Tuesday" }],
    ["add web \u2014reason=\u201eErsatz f\u00fcr WIN-3\u201c", { ...add(1), reason: "Ersatz f\u00fcr WIN-3" }],
    ["--reason='Disk errors' add web 2 --dry-run", { ...add(2, true), reason: "Disk errors" }],
    ["add web --reason KB5031364", { ...add(1), reason: "KB5031364" }],
    [
      'add web --reason "node/win-3 is slow; --dry-run was fine"',
      { ...add(1), reason: "node/win-3 is slow; --dry-run was fine" },
    ],
    [
      'remove node/Win-3 --reason "don\'t need it"',
      { command: "remove", node: "win-3", dryRun: false, reason: "don't need it" },
    ],
    ["add web --reason \u2033Patch Tuesday\u2033", { ...add(1), reason: "Patch Tuesday" }],
    ['add web --reason "\uff21 \u26a0\ufe0f `x`,"', { ...add(1), reason: "\uff21 \u26a0\ufe0f `x`," }],
    ["win add web 2", add(2)],
    ["add web \uff0d\uff0ddry-run", add(1, true)],
    ["remove ip-10-0-3-7, --dry-run", { command: "remove", node: "ip-10-0-3-7", dryRun: true }],
    ["operations", { command: "operations" }],
    ["cancel add-3f9c2a71", { command: "cancel", operation: "add-3f9c2a71" }],
  ])("%j is a request", (text, request) => {
    expect(parse(text, vocabulary)).toEqual({ request });
  });

  test.each(commands.flatMap((command) => command.examples))("the example %j is understood", (example) => {
    expect(parse(example, vocabulary)).toHaveProperty("request");
  });
});

describe("what is not understood", () => {
  test.each([
    ["nodez", "unknown-command", "did you mean `{win} nodes`?"],
    ["status", "unknown-command", "did you mean `{win} nodes` or `{win} operations`?"],
    ["list web", "unknown-command", "did you mean `{win} nodes` or `{win} operations`?"],
    ["audit ???", "bad-audited", "`{win} operations` lists recent operations, `{win} nodes` the nodes."],
    ["frobnicate", "unknown-command", "`{win} help` lists all commands"],
    ["delete pod web-1", "unknown-command", "`{win} help` lists all commands"],
    ["help teleport", "unknown-command", "Unknown command `teleport`"],
    ["<@U0VISITOR0|vera>", "unknown-command", "Unknown command `&lt;@"],
    ["add", "missing", '`{win} add &lt;pool&gt; [count] [--dry-run] [--reason "&lt;reason&gt;"]`'],
    [
      "remove",
      "missing",
      '`{win} remove &lt;node&gt; [--dry-run] [--break-glass "&lt;reason&gt;"] [--at "&lt;time&gt;"] [--now "&lt;reason&gt;"] [--reason "&lt;reason&gt;"]`',
    ],
    ["add web 2 3", "too-much", "Unexpected argument `3`"],
    ["nodes web win-4", "too-much", "Unexpected argument `win-4`. Usage: `{win} nodes [pool]"],
    ["nodes --dry-run", "unknown-option", "Unknown option `--dry-run`"],
    ["add web --force", "unknown-option", "Unknown option `--force`"],
    ["add web --dry-rum", "unknown-option", "did you mean `--dry-run`"],
    [
      "nodes --reason x",
      "unknown-option",
      "It is an option of `add`, `cordon`, `uncordon`, `assist`, `guard` and 9 more.",
    ],
    ["add web --dry-run=none", "needless-value", "`--dry-run` takes no value, but got `none`"],
    ["add web --dry-run --dry-run", "option-twice", "Duplicate option `--dry-run`"],
    ['add web --reason "a" --reason="b"', "option-twice", "Duplicate option `--reason`"],
    ["add web --reason", "missing-value", "`--reason` requires a value"],
    ["add web --reason --dry-run", "missing-value", "`--reason` requires a value"],
    ['add web --reason "  "', "missing-value", "`--reason` requires a value"],
    ["add web --reason=", "missing-value", "`--reason` requires a value"],
    ['add web --reason "Patch Tuesday', "unclosed-quote", "has no closing quote"],
    ["add web --reason Patch Tuesday", "unquoted", "Put the text of `--reason` in quotes: only `Patch` was read"],
    ["thaw pool", "missing", "`thaw` requires `&lt;pool&gt;`"],
    ['freeze pool --reason "INC-4711"', "missing", "`freeze` requires `&lt;pool&gt;`"],
    ["reboot ip-10-0-3-7 --break-glass nobody awake", "unquoted", "`--break-glass` in quotes: only `nobody` was read"],
    ["reboot ip-10-0-3-7 --at Sat 02:00", "unquoted", "`--at` in quotes: only `Sat` was read"],
    ["reboot ip-10-0-3-7 --reason after ip-10-0-3-8", "unquoted", "`--reason` in quotes: only `after` was read"],
    ["reboot node ip-10-0-3-7 --reason=after ip-10-0-3-8", "unquoted", "`--reason` in quotes"],
    ["reboot --due --reason weekly patches", "unquoted", "`--reason` in quotes"],
    ["restart ip-10-0-3-7 --reason containerd hangs", "unquoted", "`--reason` in quotes"],
    ["hold ip-10-0-3-7 --reason like ip-10-0-3-8", "unquoted", "`--reason` in quotes: only `like` was read"],
    ["guard ip-10-0-3-7 --reason after ip-10-0-3-8", "unquoted", "`--reason` in quotes"],
    ["reconcile --reason new mirrors", "unquoted", "`--reason` in quotes: only `new` was read"],
    [`add web --reason "${"x".repeat(201)}"`, "long-text", "is too long (201 characters, at most 200)"],
    ["add wbe 3", "unknown-pool", "did you mean `{win} add web`? Pools: `web`, `batch`"],
    ["add 2 web", "unknown-pool", "Pools: `web`, `batch`"],
    ['reboot web "x y"', "pool-among-nodes", "`web`"],
    ["reboot *", "bad-node", "`*`"],
    ["drain WEB", "pool-for-node", "`web` is a pool, and `drain` takes one node: `{win} nodes web` lists its nodes."],
    ['add web "--dry-run"', "bad-count", '`"--dry-run"`'],
    ["add 🐙", "unknown-pool", "Pool `🐙`"],
    ["add <http://evil.example|web> 2", "unknown-pool", "Pool `&lt;http://evil.example|web&gt;`"],
    ["add \u202eweb", "unknown-pool", "Pool `\ufffdweb`"],
    ["add \u0000", "unknown-pool", 'Usage: `{win} add &lt;pool&gt; [count] [--dry-run] [--reason "&lt;reason&gt;"]`.'],
    ["add <@U0VISITOR0|vera> 2", "unknown-pool", "Pool `&lt;@"],
    ["add &lt;!channel&gt;", "unknown-pool", "Pool `&lt;!channel&gt;`"],
    ["add constructor", "unknown-pool", "Pool `constructor`"],
    ["add web 0", "bad-count", "a whole number from 1 to 100"],
    ["add web -1", "bad-count", "`-1` is not a valid count"],
    ["add web \u22121", "bad-count", "`-1` is not a valid count"],
    ["add web 101", "bad-count", "a whole number from 1 to 100"],
    ["add web 1e9", "bad-count", "`1e9`"],
    ["add web 1.5", "bad-count", "`1.5`"],
    ["add web two", "bad-count", "`two`"],
    ["add web \u0662", "bad-count", "a whole number"],
    ["node web/../../etc", "bad-node", "a unique prefix"],
    ["remove <@U0VISITOR0|vera>", "bad-node", "a unique prefix"],
    ["cancel yesterday", "bad-operation", "`add-3f9c2a71`"],
  ])("%j gives the sentence of %s", (text, kind, part) => {
    const parsed = parse(text, vocabulary);
    expect(parsed).toHaveProperty("problem.kind", kind);
    if ("problem" in parsed) expect(usageMessage(parsed.problem).text).toContain(part);
  });
});

test.each([
  ['reboot --reason "x" web', { targets: { kind: "pool", pool: "web" }, reason: "x" }],
  ["reboot --reason x web", { targets: { kind: "pool", pool: "web" }, reason: "x" }],
  ["reboot nodes --reason x ip-10-0-3-7 ip-10-0-3-8", { targets: nodesNamed("ip-10-0-3-7", "ip-10-0-3-8") }],
  ["--reason x reboot ip-10-0-3-7", { node: "ip-10-0-3-7", reason: "x" }],
  ['reboot ip-10-0-3-7 --reason "x" ip-10-0-3-8', { targets: nodesNamed("ip-10-0-3-7", "ip-10-0-3-8"), reason: "x" }],
  ["reboot ip-10-0-3-7 --max 2 ip-10-0-3-8", { targets: nodesNamed("ip-10-0-3-7", "ip-10-0-3-8"), max: 2 }],
  ["hold ip-10-0-3-7 --for 4h ip-10-0-3-8", { targets: nodesNamed("ip-10-0-3-7", "ip-10-0-3-8"), for: "4h" }],
  ["thaw pool web", { pool: "web" }],
  ["thaw", { pool: null }],
  ["--reason x reconcile", { targets: { kind: "all" }, reason: "x" }],
])("%j names its targets, whatever stands before them", (text, fields) => {
  expect(parse(text, vocabulary)).toMatchObject({ request: fields });
});

test.each([
  ["add web ", "add", '`{win} add &lt;pool&gt; [count] [--dry-run] [--reason "&lt;reason&gt;"]`'],
  ["/win node ", "node", "`{win} node &lt;node&gt;`"],
  ["lorem ip", "help", "`{win} help [command]`"],
])("says kindly that 4,000 characters of %j are no command, and shows the form of %s", (words, command, form) => {
  const parsed = parse(words.repeat(500).slice(0, 4_000).padEnd(4_000, "x"), vocabulary);
  expect(parsed).toEqual({ problem: { kind: "too-long", length: 4_000, command: commandOf(command) } });
  if (!("problem" in parsed)) return;
  expect(usageMessage(parsed.problem).text).toBe(
    `Command too long (4,000 characters). Usage: ${form}. \`{win} help\` lists all commands.`,
  );
});

test("Slack's escapes count as the characters that were typed", () => {
  const reason = "&amp;".repeat(199);
  expect(parse(`add web --reason "${reason}"`, vocabulary)).toMatchObject({ request: { reason: "&".repeat(199) } });
});

/** A command as later ones will be: several nodes or a pool, a number, a text and a flag. */
const patch: Command = {
  name: "patch",
  also: [],
  arguments: [{ name: "node", field: "targets", kind: "nodes-or-pool", required: true, means: "nodes, or a pool" }],
  options: [
    { option: "max", kind: "count", most: 5, means: "how many at once" },
    { option: "reason", kind: "text", value: '"<reason>"', most: 20, means: "why" },
    { option: "canary", kind: "flag", means: "whatever happens" },
  ],
  effect: "change",
  workflow: null,
  dialog: false,
  title: () => "Patch",
  summary: "",
  detail: "",
  examples: [],
};
const unpatch: Command = {
  ...patch,
  name: "unpatch",
  arguments: [{ name: "nodes", kind: "nodes", required: true, means: "" }],
};
const parseNext = parserOf([...commands, patch, unpatch]);

describe("options and arguments that are data of a command", () => {
  test.each([
    ["patch win-1", { targets: nodesNamed("win-1"), canary: false }],
    ["patch WIN-1 node/win-2 win-1 --max 2", { targets: nodesNamed("win-1", "win-2"), max: 2, canary: false }],
    ["patch --max=5 web", { targets: { kind: "pool", pool: "web" }, max: 5, canary: false }],
    [
      '--max 1 patch win-1 --canary win-2 --reason "A B"',
      { targets: nodesNamed("win-1", "win-2"), max: 1, canary: true, reason: "A B" },
    ],
    ['patch win-1 --max="3"', { targets: nodesNamed("win-1"), max: 3, canary: false }],
  ])("%j is a request", (text, fields) => {
    expect(parseNext(text, vocabulary)).toEqual({ request: { command: "patch", ...fields } });
  });

  test("several nodes alone are a list", () => {
    const request = { command: "unpatch", nodes: ["win-1", "win-2"], canary: false };
    expect(parseNext("unpatch win-1 win-2", vocabulary)).toEqual({ request });
  });

  test.each([
    [
      "patch",
      "missing",
      "requires `&lt;node&gt;` (nodes, or a pool). Usage: `{win} patch &lt;node&gt;... [--max &lt;number&gt;]",
    ],
    ["patch web win-1", "pool-among-nodes", "`web` is a pool: give either one pool or nodes"],
    ["patch win-1 win/2", "bad-node", "`win/2` is not a valid node"],
    ["patch win-1 --max", "missing-value", "`--max` requires a value: `--max &lt;number&gt;`"],
    ["patch win-1 --max --canary", "missing-value", "`--max` requires a value"],
    ["patch win-1 --max 6", "bad-number", "`6` is not a valid value of `--max`: use a whole number from 1 to 5"],
    ["patch win-1 --max 0", "bad-number", "`0` is not a valid value"],
    ["patch win-1 --max -1", "bad-number", "`-1` is not a valid value"],
    ["patch win-1 --max two", "bad-number", "`two` is not a valid value"],
    ["patch win-1 --max 2 --max 2", "option-twice", "Duplicate option `--max`"],
    ["patch win-1 --maxx 2", "unknown-option", "did you mean `--max`"],
    ["add web --max 2", "unknown-option", "Unknown option `--max`"],
    ["patch win-1 --canary=yes", "needless-value", "`--canary` takes no value, but got `yes`"],
  ])("%j gives the sentence of %s", (text, kind, part) => {
    const parsed = parseNext(text, vocabulary);
    expect(parsed).toHaveProperty("problem.kind", kind);
    if ("problem" in parsed) expect(usageMessage(parsed.problem).text).toContain(part);
  });

  test("an option of one name takes a value in every command, or in none", () => {
    const all = commands.flatMap(({ options }) => options);
    for (const { option, kind } of all)
      expect(new Set(all.filter((other) => other.option === option).map((other) => other.kind))).toEqual(
        new Set([kind]),
      );
  });

  test("a reason in quotes comes through as it was typed, whatever it says", () => {
    const words = fc.stringMatching(/^[A-Za-z0-9,.;:!?#()=/ -]{1,60}$/).filter((text) => text.trim() !== "");
    fc.assert(
      fc.property(words, (text) => {
        const parsed = parse(`add web --reason "${text}" 2`, vocabulary);
        expect(parsed).toEqual({ request: { ...add(2), reason: text.trim() } });
      }),
      { examples: [["(-=-"], ["(--max=2)"]] },
    );
  });
});

describe("any text", () => {
  const nasty = fc.constantFrom(
    "add",
    "web",
    "<@U0VISITOR0>",
    "<!here>",
    "@channel",
    "```",
    "`",
    "&amp;",
    "&lt;",
    "--dry-run",
    "--reason",
    "--reason=",
    '"',
    "'",
    "=",
    "\u201c",
    "\u0000",
    "\ud800",
    "\u202e",
  );
  const word = fc.oneof(fc.string({ unit: "binary", maxLength: 200 }), nasty);
  const text = fc.oneof(
    fc.string({ unit: "grapheme", maxLength: 4_000 }),
    fc.array(word, { maxLength: 8 }).map((words) => words.join(" ")),
    fc.array(word, { maxLength: 3 }).map((words) => `add ${words.join(" ")}`),
    word.map((typed) => `help ${typed}`),
    word.map((typed) => `remove ${typed}`),
    fc.array(word, { maxLength: 4 }).map((words) => `patch win-1 --reason ${words.join(" ")} --max ${words[0] ?? ""}`),
  );

  test("gives a request or one short sentence that can neither ping nor break out of its frame", () => {
    fc.assert(
      fc.property(text, (typed) => {
        const parsed = parseNext(typed, vocabulary);
        if ("request" in parsed) return;
        const said = usageMessage(parsed.problem).text;
        expect(said.length).toBeLessThanOrEqual(500);
        expect(said).not.toMatch(/<|@(?!\u200b)|```|[\p{Cc}\p{Cs}\u202e]/u);
        expect(said.split("`").length % 2).toBe(1);
      }),
      { numRuns: 1_000 },
    );
  });
});
