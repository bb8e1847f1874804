import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { nodesSummary } from "../../../lambdas/messages/operation/final.ts";
import { operationMessage } from "../../../lambdas/messages/operation/operation.ts";
import type { OperationRecord } from "../../../lambdas/records/records.ts";
import { stagesOf } from "../../../lambdas/stages.ts";
import { decidingRecord, NOW, nodeRecord, operationRecord, settings } from "../records.ts";
import { expectWithinSlackLimits } from "../within-slack-limits.ts";

const pool = { name: "web", before: 3, after: 5, maximum: 8 };
const message = (nodes: readonly ReturnType<typeof nodeRecord>[], operation: Partial<OperationRecord> = {}) =>
  operationMessage({ operation: operationRecord(operation), nodes, pool, now: NOW }, settings);
const textOf = (shown: { blocks: readonly object[] }): string => JSON.stringify(shown.blocks);

describe("the one message of an operation", () => {
  test("says what it means for the pool, and of each node where it is, since when and what it waits for", () => {
    const shown = message([
      nodeRecord({ waitsFor: "the agent to come back" }),
      nodeRecord({ index: 1, stage: null, instanceId: null, status: "queued" }),
    ]);
    expect(shown.text).toBe("⏳ Add 2 nodes to web: running, 0 of 2 nodes done");
    expect(textOf(shown)).toContain("*web*: 3 → 5 (max 8)");
    expect(textOf(shown)).toContain(
      "⏳ node 1 `i-0ab12cd34ef567890`: installing Windows features, with one reboot (4/14) · since <!date^1795270080^{time}|14:08 UTC> · waiting for the agent to come back",
    );
    expect(textOf(shown)).toContain("▫️ node 2: queued");
  });

  test("gives the requester's reason, in which nothing pings, and says nothing where there is none", () => {
    const request = {
      command: "add",
      pool: "web",
      count: 2,
      dryRun: false,
      reason: "Patch Tuesday <!channel>",
    } as const;
    expect(textOf(message([], { request }))).toContain("Reason: Patch Tuesday &lt;!channel&gt;");
    expect(textOf(message([]))).not.toContain("Reason");
  });

  test.each(["@here", "@channel", "@Everyone"])("shows a reason with %s in which Slack finds no broadcast", (word) => {
    const request = { command: "add", pool: "web", count: 2, dryRun: false, reason: `Patch ${word} now` } as const;
    const shown = textOf(message([], { request }));
    expect(shown).toContain(`Patch @\u200b${word.slice(1)} now`);
    expect(shown).not.toContain(word);
  });

  test("calls a node by its name once it has one", () => {
    const shown = message([nodeRecord({ status: "succeeded", nodeName: "ip-10-0-3-7", endedAt: NOW })]);
    expect(textOf(shown)).toContain("✅ `ip-10-0-3-7`: Ready after 9m50s");
  });

  test("is titled with the node that was found, however it was typed, and with what was typed until then", () => {
    const request = { command: "drain", node: "i-0ab12", dryRun: false } as const;
    const titles = [{}, { nodeName: "ip-10-0-3-7.us-west-2.compute.internal" }].map((found) => {
      const { text, blocks } = message([], { request, ...found });
      return [text, JSON.stringify(blocks[0])].map((words) => /Drain [\w-]+/.exec(words)?.[0]);
    });
    expect(titles).toEqual([
      ["Drain i-0ab12", "Drain i-0ab12"],
      ["Drain ip-10-0-3-7", "Drain ip-10-0-3-7"],
    ]);
  });

  test("can be cancelled, after a question, only while it runs and nobody has cancelled it", () => {
    expect(message([]).blocks.at(-1)).toMatchObject({
      type: "actions",
      block_id: "cancel:add-3f9c2a71",
      elements: [{ action_id: "cancel-operation", value: "add-3f9c2a71", confirm: { deny: { text: "Keep running" } } }],
    });
    expect(textOf(message([], { cancelledBy: "U0APPROVER" }))).not.toContain("cancel-operation");
    expect(textOf(message([], { cancelledBy: "U0APPROVER" }))).toContain("Cancelled by <@U0APPROVER>");
    expect(textOf(message([], { status: "succeeded", endedAt: NOW }))).not.toContain("cancel-operation");
  });

  test("shows a failure with its stage, the machine's state, both buttons with the deadline, and the details last", () => {
    const shown = textOf(message([decidingRecord()]));
    expect(shown).toContain("failed at Windows features");
    expect(shown).toContain("```\\nInstall-WindowsFeature : 0x800f0954\\n```");
    expect(shown).toContain("\\nInstance i-0ab12cd34ef567890 is running");
    expect(shown).toContain("it is terminated at <!date^1795273680^{time}|15:08 UTC> (in 58m)");
    expect(shown.indexOf("*Next:*")).toBeLessThan(shown.indexOf("```"));
    expect(shown).toContain('"action_id":"keep-instance","value":"add-3f9c2a71:0"');
    expect(shown).toContain('"action_id":"terminate-instance","value":"add-3f9c2a71:0"');
  });

  test("counts how long a node took to fail, not how long somebody took to decide", () => {
    const failedAt = "2026-11-21T14:05:10.000Z";
    expect(textOf(message([decidingRecord({ failedAt })]))).toContain("_Windows features_ after 5m · needs a decision");
    expect(textOf(message([decidingRecord({ failedAt, status: "failed", endedAt: NOW })]))).toContain("after 5m");
  });

  test("says only of what came about how many nodes the pool has now", () => {
    const ended = (status: "succeeded" | "cancelled") => textOf(message([], { status, endedAt: NOW }));
    expect(ended("succeeded")).not.toContain("requested: *web*");
    expect(ended("cancelled")).toContain("requested: *web*: 3 → 5 (max 8)");
  });

  test("shows the outcome of a failed node instead of the state it was left in, and the next command, without buttons", () => {
    const shown = textOf(message([decidingRecord({ status: "failed", outcome: "terminated" })]));
    expect(shown).toMatch(
      /\\nTerminated\. Likely cause: [^*]*\*Remedy:\* [^*]*\*Next:\* `\{win\} add web` tries again\./,
    );
    expect(shown).not.toContain("is running");
    expect(shown).not.toContain("keep-instance");
  });

  test("keeps a machine's own words inside their code block", () => {
    const why = "``` <!channel> <@U0VISITOR0> ```";
    const shown = textOf(message([decidingRecord({ failure: { stage: "agent", why, left: "``` <!here>" } })]));
    expect(shown).toContain("''' &lt;!channel&gt; &lt;@U0VISITOR0&gt; '''");
    expect(shown).not.toMatch(/<!(?!date\^)/);
  });

  test("sums up more than thirty nodes by stage", () => {
    const nodes = Array.from({ length: 31 }, (_, index) =>
      nodeRecord({ index, status: index < 12 ? "succeeded" : "running" }),
    );
    const shown = textOf(message(nodes));
    expect(shown).toContain("✅ 12 nodes: done");
    expect(shown).toContain("⏳ 19 nodes: installing Windows features, with one reboot");
    expect(shown).not.toContain("node 7");
  });

  test("counts nodes that get several inputs once, and the ends of each input apart", () => {
    const given = (workflow: "mirrors" | "authority", stage: "files" | "file", from: number) =>
      Array.from({ length: 20 }, (_, at) =>
        nodeRecord({ index: from + at, nodeName: `win-${at}`, workflow, stage, status: "succeeded", endedAt: NOW }),
      );
    const shown = message([...given("mirrors", "files", 0), ...given("authority", "file", 20)]);
    expect(shown.text).toContain("20 of 20 nodes done");
    expect(textOf(shown)).toContain("✅ 20 nodes: mirrors written\\n✅ 20 nodes: authority written");
  });

  test("counts nodes that wait for the right to launch apart from those that launch", () => {
    const launching = nodeRecord({ stage: "launch", instanceId: null });
    const behind = (pending: number) => `fewer than 50 pending certificate requests (there are ${pending})`;
    const nodes = Array.from({ length: 60 }, (_, index) => {
      if (index < 20) return { ...launching, index, instanceId: `i-${index}`, waitsFor: "EC2 to start it" };
      return { ...launching, index, waitsFor: index < 50 ? "one of 20 join slots" : behind(index) };
    });
    const shown = textOf(message(nodes));
    expect(shown).toContain("⏳ 20 nodes: launching the instance");
    expect(shown).toContain("▫️ 30 nodes: waiting for one of 20 join slots");
    expect(shown).toContain("▫️ 10 nodes: waiting for fewer than 50 pending certificate requests");
  });

  test("puts failures that wait for somebody first and counts those that do not fit", () => {
    const over = Array.from({ length: 60 }, (_, index) => {
      const failure = { stage: "features", why: "y".repeat(index + 300), left: "instance i-0 is running" } as const;
      return decidingRecord({ index, status: "failed", outcome: "terminated", failure });
    });
    const shown = textOf(message([...over, decidingRecord({ index: 60 })]));
    expect(shown).toContain('"add-3f9c2a71:60"');
    expect(shown).toMatch(/\d+ more failures in the thread/);
  });

  test("has no two buttons that a screen reader reads alike", () => {
    const failed = Array.from({ length: 20 }, (_, index) => {
      const failure = { stage: "features", why: "y".repeat(index + 1), left: "instance i-0 is running" } as const;
      return decidingRecord({ index, instanceId: `i-0${index}`, failure });
    });
    const { blocks } = message(failed);
    const labels = [...JSON.stringify(blocks).matchAll(/"type":"button".*?"accessibility_label":"([^"]*)"/g)];
    expect(labels.length).toBeGreaterThan(12);
    expect(labels).toHaveLength(textOf({ blocks }).split('"type":"button"').length - 1);
    expect(new Set(labels.map(([, label]) => label)).size).toBe(labels.length);
    expectWithinSlackLimits(blocks);
  });
});

describe("the message of a failure", () => {
  test("tells of a known failure its likely cause and its remedy before the details", () => {
    const failure = {
      stage: "features",
      why: "feature Containers: 0x800f0922",
      left: "instance i-0 is running",
    } as const;
    const shown = textOf(message([decidingRecord({ failure })]));
    const places = ["failed at Windows features", "Likely cause:", "*Remedy:*", "*Next:*", "0x800f0922"].map((piece) =>
      shown.indexOf(piece),
    );
    expect(places.every((place) => place > 0)).toBe(true);
    expect(places).toEqual(places.toSorted((one, other) => one - other));
  });

  test("opens the runbook at the stage's section where the configuration names it, and the instance in its region's console", () => {
    const view = { operation: operationRecord(), nodes: [decidingRecord()], pool, now: NOW };
    const told = textOf(operationMessage(view, { ...settings, runbook: "https://example.com/runbook.md" }));
    expect(told).toContain('"url":"https://example.com/runbook.md#stage-windows-features"');
    expect(textOf(operationMessage(view, settings))).not.toContain("open-runbook");
    const page = "/ec2/home?region=R#InstanceDetails:instanceId=i-0ab12cd34ef567890";
    for (const [region, domain] of [
      ["us-west-2", "us-west-2.console.aws.amazon.com"],
      ["us-gov-east-1", "us-gov-east-1.console.amazonaws-us-gov.com"],
      ["cn-north-1", "cn-north-1.console.amazonaws.cn"],
    ] as const)
      expect(textOf(operationMessage(view, { ...settings, region }))).toContain(
        `https://${domain}${page.replace("R", region)}`,
      );
  });

  test("shows a kept machine's button for as long as it lives, and no link to an instance that is gone", () => {
    const keptAt = NOW;
    const kept = decidingRecord({ status: "failed", outcome: "kept for inspection by <@U0OPERATOR>", keptAt });
    expect(textOf(message([kept], { status: "failed", endedAt: NOW }))).toContain("terminate-instance");
    expect(textOf(message([kept]))).toContain("until someone terminates it");
    const gone = textOf(message([{ ...kept, isTerminated: true, outcome: "terminated by <@U0OPERATOR>" }]));
    expect(gone).not.toContain("terminate-instance");
    expect(gone).not.toContain("open-aws");
  });

  test("offers the same request again once it has failed, but not before the end, and not where a person must change something first", () => {
    const failed = decidingRecord({ status: "failed", outcome: "terminated" });
    const over = { status: "failed", endedAt: NOW } as const;
    expect(textOf(message([failed], over))).toContain('"action_id":"try-again","value":"add-3f9c2a71"');
    expect(textOf(message([failed]))).not.toContain("try-again");
    expect(textOf(message([failed], { ...over, status: "cancelled" }))).not.toContain("try-again");
    const launch = (code: string) =>
      textOf(message([{ ...failed, failure: { stage: "launch", code, why: "", left: "no instance" } } as never], over));
    expect(launch("no-capacity")).toContain("try-again");
    expect(launch("no-capacity")).toContain("`{win} add web` tries again.");
    expect(launch("vcpu-quota")).not.toContain("try-again");
  });

  test("names in the question of Cancel operation the failed machines that it would terminate", () => {
    const running = nodeRecord({ index: 1 });
    const text = (nodes: readonly ReturnType<typeof nodeRecord>[]) => textOf(message(nodes));
    expect(text([running])).not.toContain("terminated too");
    expect(text([running, decidingRecord()])).toContain(
      "1 failed machine that waits for a decision is terminated too; its disk is deleted.",
    );
    expect(text([running, decidingRecord(), decidingRecord({ index: 2 })])).toContain("2 failed machines that wait");
  });

  test("has no Cancel operation where nothing runs but machines that need a decision", () => {
    expect(textOf(message([decidingRecord()]))).not.toContain("cancel-operation");
  });
});

describe("any operation", () => {
  // Every code point, lone surrogates too. fast-check's own unit "binary" first builds a table of all of them: 5 s.
  const unit = fc.nat(0x10_ff_ff).map((point) => String.fromCodePoint(point));
  const words = fc.oneof(
    fc.string({ unit, maxLength: 10_000 }),
    fc.constantFrom("```<&>".repeat(2_000), '"\n'.repeat(5_000), "x".repeat(10_240)),
  );
  const stages = stagesOf("provision").map(({ name }) => name);
  const failure = fc.record({ stage: fc.constantFrom(...stages), why: words, left: words });
  const node = fc.record({
    status: fc.constantFrom("queued", "running", "deciding", "succeeded", "failed", "cancelled"),
    stage: fc.option(fc.constantFrom(...stages)),
    nodeName: fc.option(fc.string({ unit, maxLength: 253 })),
    waitsFor: fc.option(words),
    outcome: fc.option(words),
    failure: fc.option(failure),
  } as const);

  test("stays within Slack's limits with 1 to 100 nodes and errors of 10 KB", { tags: ["long"] }, () => {
    fc.assert(
      fc.property(fc.array(node, { minLength: 1, maxLength: 100 }), words, (nodes, summary) => {
        const records = nodes.map((fields, index) => nodeRecord({ ...fields, index, decideBy: NOW }));
        expectWithinSlackLimits(message(records, { summary }).blocks);
      }),
      { numRuns: 60 },
    );
  });
});

describe("the sentence on how an add ended", () => {
  const cancelled = nodeRecord({ status: "cancelled" });

  test("says only that nodes are Ready when all of them are", () => {
    expect(nodesSummary([nodeRecord({ status: "succeeded" })])).toBe("1 node is Ready.");
  });

  test("says of cancelled and failed nodes which instances are terminated and which remain", () => {
    const nodes = [
      nodeRecord({ status: "succeeded" }),
      nodeRecord({ status: "failed" }),
      { ...cancelled, isTerminated: true } as const,
      { ...cancelled, instanceId: null },
    ];
    expect(nodesSummary(nodes)).toBe(
      "1 node is Ready, 1 node failed (remaining: i-0ab12cd34ef567890), 2 nodes were cancelled (1 instance terminated).",
    );
  });

  test("says that nothing was launched", () => {
    expect(nodesSummary([{ ...cancelled, instanceId: null }])).toBe("1 node was cancelled (no instance was launched).");
  });
});
