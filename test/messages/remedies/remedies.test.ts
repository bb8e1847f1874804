import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { cureButtons } from "../../../lambdas/messages/node/cures.ts";
import { codeRemedies, remedyOf, stageRemedies } from "../../../lambdas/messages/remedies/remedies.ts";
import { type Failure, failureCodes } from "../../../lambdas/records/failures.ts";
import { type NodeRecord, newNodeRecord } from "../../../lambdas/records/records.ts";
import { nodeWorkflows, stagesOf } from "../../../lambdas/stages.ts";

const stages = [...new Set(nodeWorkflows.flatMap(stagesOf).map(({ name }) => name))];

const failure = fc.record({
  stage: fc.constantFrom(...stages),
  code: fc.constantFrom(...failureCodes),
  left: fc.constant(""),
});

/** Sentences of failures, among them such as say what another code means. */
const sentence = fc.oneof(
  fc.string(),
  fc.constantFrom("the disk is full", "gave up waiting for a slot", "EC2 has no capacity in any subnet"),
);

describe("The remedy of a failure", () => {
  test("stays the same whatever its sentence says", () => {
    fc.assert(
      fc.property(failure, sentence, sentence, (one, why, reworded) => {
        expect(remedyOf({ ...one, why } as Failure)).toBe(remedyOf({ ...one, why: reworded } as Failure));
      }),
    );
  });

  test.each(stages)(
    "is the stage's own at the stage %s where the record has no code, or one of a newer release",
    (stage) => {
      const { own } = stageRemedies[stage];
      expect(remedyOf({ stage })).toBe(own);
      expect(remedyOf({ stage, code: "moon-in-the-way" })).toBe(own);
      expect(remedyOf({ stage, code: "constructor" })).toBe(own);
    },
  );

  it("is the code's at any stage, but where the stage means something else by it", () => {
    expect(remedyOf({ stage: "payload", code: "disk-full" })).toBe(codeRemedies["disk-full"]);
    expect(remedyOf({ stage: "evict", code: "api-denied" }).cause).toContain("an admission policy or a webhook");
    expect(remedyOf({ stage: "features", code: "reboot-not-happened" })).not.toEqual(
      remedyOf({ stage: "reboot", code: "reboot-not-happened" }),
    );
  });

  it("tells a reboot that was not ordered from one that was", () => {
    const ordered = remedyOf({ stage: "reboot", code: "deadline-passed" });
    expect(ordered.cause).toContain("Windows still installs updates");
    expect(remedyOf({ stage: "reboot", code: "deadline-passed", isNotRebooted: true }).cause).toContain(
      "takes no command",
    );
    expect(remedyOf({ stage: "reboot", isNotRebooted: true }).cause).toContain("takes no command");
  });
});

describe("The button of a failed guard", () => {
  const buttons = (code: string | undefined, why: string) =>
    cureButtons(
      {
        ...newNodeRecord("reboot", "reboot-1", 0, "2026-01-01T00:00:00Z"),
        nodeName: "ip-10-0-1-2",
        failure: { stage: "guard", why, left: "the node is as it was", ...(code === undefined ? {} : { code }) },
      },
      { command: "reboot", node: "ip-10-0-1-2" } as never,
    ).map(({ text }) => text);

  it("goes by the code: EC2's reboot where the machine takes no command, else the guard", () => {
    expect(buttons("agent-silent", "no answer")).toEqual(["Reboot through EC2…"]);
    expect(buttons("node-deleted", "the Node was deleted by someone else")).toEqual([]);
    expect(buttons("guard-task-missing", "the machine's SSM agent does not answer")).toEqual(["Install the guard"]);
    expect(buttons(undefined, "the machine's SSM agent does not answer")).toEqual(["Install the guard"]);
  });
});

describe("The buttons of a node of a rollout", () => {
  const failed = (failure: NonNullable<NodeRecord["failure"]>): NodeRecord => ({
    ...newNodeRecord("reboot", "reboot-1", 0, "2026-01-01T00:00:00Z"),
    nodeName: "ip-10-0-1-2",
    failure,
  });
  const pool = { command: "reboot", targets: { kind: "pool", pool: "web" } };

  it("accept for EC2's reboot what was accepted for the pool, by the node's name", () => {
    const silent = failed({ stage: "prove", why: "no answer", code: "agent-silent", left: "" });
    const values = (request: object) => cureButtons(silent, request as never).map(({ value }) => value);
    expect(values({ ...pool, force: "web" })).toContain("reboot ip-10-0-1-2 --ec2 --force ip-10-0-1-2");
    expect(values(pool)).toContain("reboot ip-10-0-1-2 --ec2");
  });

  it("ask a person about the cordon by the record's field, or by the words of the last release", () => {
    const texts = (more: object) =>
      cureButtons(failed({ stage: "evict", why: "", left: "", ...more }), pool as never).map(({ text }) => text);
    expect(texts({ asksPerson: true })).toEqual(["Uncordon", "Keep cordoned", "Why?"]);
    expect(texts({ left: "the node stays cordoned until a person decides: press Uncordon" })).toHaveLength(3);
    expect(texts({ left: "the node is schedulable again" })).toEqual(["Why?"]);
  });
});
