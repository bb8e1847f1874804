import { describe, expect, it } from "vitest";
import { packed } from "../../../lambdas/machine/questions.ts";
import { observationStateOf } from "../../../lambdas/steps/machine/machine-observation.ts";

const verdict = { script: "observe", ok: true, bootId: "7", clock: 1, hashes: {}, failed: {} };
const answers = { metadata: { answers: true } };

describe("the state of a look at one machine", () => {
  it("is an answer when the verdict and the answers are there", () => {
    const StandardOutputContent = `answers ${packed(answers)}\n${JSON.stringify(verdict)}\n`;
    expect(observationStateOf({ Status: "Success", StandardOutputContent })).toEqual({
      state: "answered",
      verdict,
      answers,
    });
  });

  it.for([
    ["Pending", false],
    ["Delayed", false],
    ["InProgress", true],
  ] as const)("knows by %s whether the agent has begun", ([Status, isTaken]) => {
    expect(observationStateOf({ Status })).toEqual({ state: "running", isTaken });
  });

  it("tells an agent that did not take the command from one that could not run it", () => {
    expect(observationStateOf({ Status: "TimedOut", StatusDetails: "Delivery Timed Out" })).toMatchObject({
      isTaken: false,
    });
    expect(
      observationStateOf({ Status: "Failed", StatusDetails: "Failed", StandardErrorContent: "worker crashed" }),
    ).toEqual({
      state: "failed",
      why: "worker crashed",
      isTaken: true,
    });
  });

  it.for([
    ["says why it could not look", '{"script":"observe","ok":false,"error":"no WMI"}', "no WMI"],
    ["lost its answers", JSON.stringify(verdict), "observe.ps1 printed answers that cannot be read"],
  ] as const)("is a failure when the script %s", ([, StandardOutputContent, why]) => {
    expect(observationStateOf({ Status: "Success", StatusDetails: "Success", StandardOutputContent })).toEqual({
      state: "failed",
      why,
      isTaken: true,
    });
  });
});
