import { describe, expect, test } from "vitest";
import { decisionCall, endCall, overdue } from "../../../lambdas/messages/operation/calls.ts";
import type { NodeRecord, OperationRecord } from "../../../lambdas/records/records.ts";
import { decidingRecord, NOW, nodeRecord, operationRecord } from "../records.ts";

const endedAs = (fields: Partial<OperationRecord>) =>
  endCall({ operation: operationRecord({ endedAt: NOW, ...fields }), nodes: [nodeRecord()], pool: null, now: NOW })
    ?.text;

describe("the call of the requester", () => {
  test("says in one sentence that the operation succeeded, and how long it took", () => {
    expect(endedAs({ status: "succeeded", summary: "2 nodes are Ready." })).toBe(
      "<@U0OPERATOR> 2 nodes are Ready. (9m50s)",
    );
  });

  test("names the operation that failed or was cancelled, because the channel sees it alone", () => {
    const summary = "1 node is Ready, 1 node failed (1 instance terminated).";
    expect(endedAs({ status: "failed", summary })).toBe(
      `<@U0OPERATOR> *Add 2 nodes to web* failed after 9m50s. ${summary}`,
    );
    expect(endedAs({ status: "cancelled", summary })).toContain("*Add 2 nodes to web* was cancelled after 9m50s.");
  });

  test("calls nobody to what succeeded within a minute", () => {
    const seconds = { requestedAt: "2026-11-21T14:09:10.000Z", endedAt: NOW };
    const call = (status: OperationRecord["status"]) =>
      endCall({
        operation: operationRecord({ ...seconds, status, summary: "Thawed." }),
        nodes: [],
        pool: null,
        now: NOW,
      });
    expect(call("succeeded")).toBeNull();
    expect(call("failed")?.text).toContain("failed after 50s. Thawed.");
  });

  test("mentions nobody that the summary names", () => {
    expect(endedAs({ status: "failed", summary: "web <!channel> failed" })).toContain("&lt;!channel&gt;");
  });
});

describe("the call of the role that may decide", () => {
  const waiting = (fields: Partial<NodeRecord> = {}) =>
    decidingRecord({ failedAt: "2026-11-21T13:55:00.000Z", ...fields });

  test("is due after fifteen minutes without a decision", () => {
    const nodes = [
      waiting({ index: 0 }),
      waiting({ index: 1, failedAt: "2026-11-21T13:55:01.000Z" }),
      waiting({ index: 2, status: "failed" }),
    ];
    expect(overdue({ nodes, now: NOW }).map(({ index }) => index)).toEqual([0]);
  });

  test("mentions groups and people, and says what waits, since when and until when", () => {
    const { text } = decisionCall([waiting()], ["S0OPERATORS", "U0APPROVER"], NOW);
    expect(text).toMatch(/^<!subteam\^S0OPERATORS> <@U0APPROVER> node 1 `i-0ab12cd34ef567890` failed and has been /);
    expect(text).toContain("waiting for a decision for 15m. Press *Keep for inspection* or *Terminate now* above.");
    expect(text).toMatch(/Without a decision it is terminated <!date\^\d+\^{date_short_pretty}/);
  });

  test("counts many nodes, and announces no termination that will not come", () => {
    const nodes = Array.from({ length: 7 }, (_, index) => waiting({ index, unjudgedBy: "U0APPROVER" }));
    const { text } = decisionCall(nodes, ["S0OPERATORS"], NOW);
    expect(text).toContain("7 nodes failed and have been waiting for a decision for 15m: node 1");
    expect(text).toContain("and 2 more.");
    expect(text).not.toContain("Without a decision");
  });
});
