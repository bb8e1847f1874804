import { describe, expect, test } from "vitest";
import { keptReminder } from "../../../lambdas/capabilities/sweep/kept-message.ts";
import type { Request } from "../../../lambdas/commands/request.ts";
import { givenBack, lostMessage } from "../../../lambdas/messages/operation/lost.ts";
import { finishedWords, isPastCancelling, pastReturn } from "../../../lambdas/messages/operation/past-return.ts";
import { retryOf } from "../../../lambdas/messages/operation/retry.ts";
import type { NodeRecord, OperationRecord } from "../../../lambdas/records/records.ts";
import { decidingRecord, NOW, nodeRecord, operationRecord, settings } from "../records.ts";

const failed = (fields: Partial<NodeRecord> = {}): NodeRecord =>
  decidingRecord({ status: "failed", endedAt: NOW, nodeName: "win-1", ...fields });
const over = (fields: Partial<OperationRecord> = {}): OperationRecord =>
  operationRecord({ status: "failed", endedAt: NOW, ...fields });

describe("A second try of an operation that failed", () => {
  const add = operationRecord().request;
  const drain: Request = { command: "drain", node: "win-1", dryRun: false };
  const hopeless = failed({ failure: { stage: "launch", code: "vcpu-quota", why: "", left: "" } });

  test("adds as many nodes as failed", () => {
    const nodes = [failed(), failed({ index: 1 }), nodeRecord({ index: 2, status: "succeeded" })];
    expect(retryOf(over({ request: { ...add, count: 5 } as Request }), nodes)).toEqual({ ...add, count: 2 });
  });

  test("repeats a drain, a reboot and a removal, without the reason of its break-glass", () => {
    expect(retryOf(over({ request: drain }), [failed()])).toEqual(drain);
    expect(retryOf(over({ request: { ...drain, breakGlass: "fire" } as Request }), [failed()])).toEqual(drain);
  });

  test("gives the guard to the nodes that failed alone", () => {
    const request: Request = { command: "guard", targets: { kind: "pool", pool: "web" }, dryRun: false };
    const nodes = [failed(), nodeRecord({ index: 1, status: "succeeded", nodeName: "win-2" })];
    expect(retryOf(over({ request }), nodes)).toEqual({ ...request, targets: { kind: "nodes", nodes: ["win-1"] } });
  });

  test.each<readonly [string, OperationRecord, readonly NodeRecord[]]>([
    ["it runs", operationRecord(), [failed()]],
    ["it was cancelled", over({ status: "cancelled" }), [failed()]],
    ["no node failed", over(), [nodeRecord({ status: "cancelled" })]],
    ["a node failed without a reason", over(), [failed({ failure: null })]],
    ["the same would fail again", over(), [hopeless]],
    [
      "the machine is not back from its reboot",
      over({ request: { command: "reboot", node: "win-1", dryRun: false } }),
      [failed({ workflow: "reboot", failure: { stage: "reboot", why: "", left: "" } })],
    ],
    [
      "the command changes no machine",
      over({ request: { command: "cordon", node: "win-1", dryRun: false } }),
      [failed()],
    ],
  ])("is not offered where %s", (_, operation, nodes) => {
    expect(retryOf(operation, nodes)).toBeNull();
  });
});

describe("A node past its point of no return", () => {
  const admitting = nodeRecord({ stage: "admit", nodeName: "win-1" });
  const rebooting = nodeRecord({ workflow: "reboot", stage: "reboot", nodeName: "win-2", index: 1 });
  const removing = nodeRecord({ workflow: "remove", stage: "terminate", nodeName: "win-3", index: 2 });
  const early = nodeRecord({ workflow: "reboot", stage: "evict", nodeName: "win-4", index: 3 });

  test("is finished although its operation is cancelled", () => {
    expect(pastReturn([admitting, rebooting, early, { ...rebooting, status: "failed" }])).toEqual([
      admitting,
      rebooting,
    ]);
    expect(finishedWords([early])).toBeNull();
    expect(finishedWords([admitting])).toBe(
      "`win-1` is past the point of no return: pods are being admitted, and the node stays in the cluster",
    );
    expect(finishedWords([rebooting, { ...rebooting, nodeName: "win-5" }])).toBe(
      "`win-2`, `win-5` are past the point of no return: the machine reboots or has rebooted; the node is given back once it is proven",
    );
    expect(finishedWords([removing])).toContain("EC2 was told to terminate the instance");
  });

  test("makes a cancellation futile when everything that is left is like it", () => {
    const ended = { ...early, status: "succeeded", endedAt: NOW } as const;
    expect(isPastCancelling([rebooting, ended])).toBe(true);
    expect(isPastCancelling([rebooting, early])).toBe(false);
    expect(isPastCancelling([ended])).toBe(false);
    expect(isPastCancelling([])).toBe(false);
  });
});

describe("What an operation leaves", () => {
  test("is told of one that stalled: each failed node, and what was released", () => {
    const nodes = [
      failed({ outcome: "the node stays cordoned" }),
      failed({ index: 1, nodeName: "win-2", outcome: "nothing was changed" }),
      failed({ index: 2, nodeName: "win-3", outcome: null }),
      nodeRecord({ index: 3, nodeName: "win-4", status: "succeeded", outcome: "gone" }),
    ];
    const shown = lostMessage(operationRecord(), "its execution timed out", nodes, {
      0: [givenBack.slot, givenBack.lease("i-0a")],
    });
    expect(shown.text).toBe("❌ Add 2 nodes to web stalled");
    const text = JSON.stringify(shown.blocks);
    expect(text).toContain(
      "❌ *Add 2 nodes to web* stalled and needs attention: its execution timed out.\\nRemaining:\\n• `win-1`: the node stays cordoned. Released: the slot in its pool, the lease on `i-0a`.\\n• `win-2`: nothing was changed.",
    );
    expect(text).not.toContain("win-3");
    expect(text).not.toContain("win-4");
    expect(text).toContain("`add-3f9c2a71` · requested by <@U0OPERATOR> · `{win} nodes` shows the current state");
    expect(JSON.stringify(lostMessage(operationRecord(), "x", [], {}).blocks)).not.toContain("Remaining");
  });

  test("is a machine that costs money: people are reminded of it, with its buttons", () => {
    const kept = failed({ keptAt: "2026-11-21T12:10:00.000Z" });
    const { text, blocks } = keptReminder(kept, ["S0GROUP00", "U0PERSON0"], settings, NOW);
    expect(text).toBe(
      "<!subteam^S0GROUP00> <@U0PERSON0> ⚠️ `i-0ab12cd34ef567890` has been kept for 120m and is still billed. It failed at Windows features. To terminate it: `{win} remove i-0ab12cd34ef567890`",
    );
    expect(JSON.stringify(blocks)).toContain("terminate-instance");
    expect(keptReminder({ ...kept, failure: null }, [], settings, NOW).text).toMatch(
      /^⚠️ .*still billed\. To terminate/,
    );
  });
});
