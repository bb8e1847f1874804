import { expect, it } from "vitest";
import { operationMessage } from "../../../lambdas/messages/operation/operation.ts";
import { threadLines } from "../../../lambdas/messages/operation/thread.ts";
import { failureGroups, sameFailureBefore } from "../../../lambdas/records/failure-groups.ts";
import type { NodeRecord } from "../../../lambdas/records/records.ts";
import { readBlocks } from "../../journeys/reading.ts";
import { decidingRecord, operationRecord } from "../records.ts";
import { expectWithinSlackLimits } from "../within-slack-limits.ts";

const settings = { region: "us-west-2", runbook: null };
const NOW = "2026-11-26T03:10:00.000Z";

const denied = (index: number, more: Partial<NodeRecord> = {}): NodeRecord =>
  decidingRecord({
    index,
    nodeName: `ip-10-0-3-${index}.us-west-2.compute.internal`,
    instanceId: `i-0${index}`,
    failedAt: `2026-11-26T03:0${index % 10}:00.000Z`,
    failure: {
      stage: "client-csr",
      code: "certificate-request-denied",
      why: `csr-${"abcdef"[index % 6]}1 of ip-10-0-3-${index} was denied, as were ${3 + (index % 2)} requests in total`,
      left: `instance i-0${index} is running`,
    },
    ...more,
  });

const messageOf = (nodes: readonly NodeRecord[]) =>
  operationMessage({ operation: operationRecord(), nodes, pool: null, now: NOW }, settings);

it("Failures are one group if they differ only by names, requests and numbers, and not if cause, stage or state differ", () => {
  const other = {
    ...denied(3),
    failure: { stage: "client-csr", why: "the API server does not answer", left: "" } as const,
  };
  const kept = denied(4, { status: "failed", keptAt: NOW });
  const groups = failureGroups([denied(1), denied(2), other, kept]);
  expect(groups.map((group) => group.map(({ index }) => index))).toEqual([[1, 2], [3], [4]]);
});

it("Launches that EC2 refuses for one cause are one group, though each refusal encodes its details anew", () => {
  const refused = (index: number, encoded: string) => ({
    ...denied(index),
    failure: {
      stage: "launch",
      why: `You are not authorized. Encoded authorization failure message: ${encoded}`,
      left: "",
    } as const,
  });
  expect(failureGroups([refused(1, "4Gx_a-Z"), refused(2, "qoYeuy5DNQ")])).toHaveLength(1);
});

it("The message has one block for a group, and its buttons name exactly the machines that it lists", () => {
  const said = JSON.stringify(messageOf([denied(1), denied(2), denied(3)]).blocks);
  expect(said).toContain('"value":"add-3f9c2a71:1,2,3"');
  expect(readBlocks(messageOf([denied(1), denied(2), denied(3)]).blocks)).toMatch(
    /❓ \*3 nodes failed at client certificate\*: `ip-10-0-3-1\S+`, [\s\S]*\[Keep one, terminate 2\]\n\[Terminate all 3\]\n\[Keep all 3\]/,
  );
  expect(said).toContain("ip-10-0-3-1 is kept and billed. Terminated with their disks: ip-10-0-3-2, ip-10-0-3-3.");
});

it("A group of many machines stays within Slack's limits, its confirmation included", () => {
  const message = messageOf(Array.from({ length: 50 }, (_, index) => denied(index)));
  expectWithinSlackLimits(message.blocks);
  expect(JSON.stringify(message.blocks)).toMatch(/Their disks are deleted too[^"]* and \d+ more\./);
});

it("Machines that failed for one cause and came to one end are told once; if their ends differ, each has its line", () => {
  const ended = (index: number, outcome: string) => denied(index, { status: "failed", outcome, endedAt: NOW });
  const linesOf = (outcomes: readonly string[]) =>
    readBlocks(messageOf(outcomes.map((outcome, at) => ended(at + 1, outcome))).blocks)
      .split("\n")
      .filter((text) => text.startsWith("❌"));
  expect(linesOf(["machine terminated", "machine terminated"])).toEqual([
    expect.stringMatching(
      /^❌ \*2 nodes failed at client certificate\*: `ip-10-0-3-1\S+`, `ip-\S+` · machine terminated$/,
    ),
  ]);
  expect(linesOf(["machine terminated", "machine kept"])).toHaveLength(3);
});

it("The thread mentions the requester with the first failure of a cause, and has a line with buttons for each other one", () => {
  const nodes = [denied(1), denied(2)];
  const view = { operation: operationRecord(), nodes, now: NOW };
  const said = nodes.map((node) =>
    threadLines(view, null, node, settings)
      .map(({ message }) => readBlocks(message.blocks))
      .join("\n"),
  );
  expect(said[0]).toContain("this needs a decision");
  expect(said[1]).not.toContain("this needs a decision");
  expect(said[1]).toMatch(/failed at _client certificate_ as `ip-10-0-3-1\S+` did[\s\S]*\[Keep for inspection\]/);
  expect(sameFailureBefore(denied(2), nodes)?.index).toBe(1);
  expect(sameFailureBefore(denied(1), nodes)).toBeUndefined();
  expect(sameFailureBefore(denied(3), nodes)).toBeUndefined();
  expect(sameFailureBefore(denied(2, { status: "failed" }), nodes)).toBeUndefined();
});
