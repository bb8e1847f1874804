import { describe, expect, it, test } from "vitest";
import { agentCount } from "../../lambdas/health/agent-silence.ts";
import { checked, firstWrong } from "../../lambdas/health/checks.ts";
import type { HealthFacts } from "../../lambdas/health/facts.ts";
import type { AgentEvidence } from "../../lambdas/health/trouble.ts";
import { ago, clusterWith, healthy, NOW } from "./health-facts.ts";

const first = (change: Partial<HealthFacts>) => firstWrong(checked({ ...healthy, ...change }));
const away = { known: false, why: "it does not answer" } as const;
const ec2 = (change: object) => ({ known: true, value: { ...(healthy.ec2 as { value: object }).value, ...change } });
const ssm = (change: object) => ({ known: true, value: { ...(healthy.ssm as { value: object }).value, ...change } });

test("Agents whose last report is overdue are silent, though Systems Manager still calls them online", () => {
  const report = (minutes: number, online = true) => ({ online, lastPingAt: ago(minutes) });
  const reports = new Map([
    ["fresh", report(10)],
    ["late", report(12)],
    ["lost", report(1, false)],
  ]);
  expect(agentCount(["fresh", "late", "lost", "never"], reports, Date.parse(NOW))).toEqual({ silent: 3, of: 4 });
});

describe("the evidence about a silent agent", () => {
  const silent = { ssm: ssm({ online: false }) as never, machine: away };
  const evidence = (more: Partial<HealthFacts> = {}) => {
    const trouble = first({ ...silent, ...more })?.trouble;
    return trouble?.kind === "agent-silent" ? trouble.evidence : undefined;
  };
  const many = { agents: { silent: 12, of: 30 } };

  const reported = (minutesAgo: number, status = "True") => ({
    kubernetes: clusterWith({
      ready: { status, reason: "", message: "", since: ago(90), heartbeatAt: ago(minutesAgo) },
    }),
  });
  const without = { ec2: ec2({ hasProfile: false }) as never };
  const day = 24 * 60;

  it.for<[string, Partial<HealthFacts>, AgentEvidence]>([
    ["no instance profile, whatever else is wrong", { ...without, ...many, ...reported(-day) }, { kind: "no-profile" }],
    [
      "an endpoint or NAT gateway that many share",
      { ...many, ...reported(-day) },
      { kind: "many", silent: 12, of: 30 },
    ],
    ["one agent alone, which is no third", { agents: { silent: 1, of: 1 } }, { kind: "kubelet-reports" }],
    ["a third of the agents, and not more", { agents: { silent: 10, of: 30 } }, { kind: "kubelet-reports" }],
    ["a clock that is ahead", reported(-day), { kind: "clock-ahead", byMs: day * 60_000 }],
    [
      "a clock that is ahead, on a node that is not Ready",
      reported(-6, "False"),
      { kind: "clock-ahead", byMs: 360_000 },
    ],
    ["a clock that is less ahead than AWS refuses", reported(-5), { kind: "kubelet-reports" }],
    ["a clock that is behind", reported(day), { kind: "clock-behind", byMs: day * 60_000 }],
    ["an agent that is disabled or blocked", reported(1), { kind: "kubelet-reports" }],
    ["a report that is as old as one may be", reported(6), { kind: "kubelet-reports" }],
    ["a Windows that hangs", reported(20, "Unknown"), { kind: "kubelet-silent" }],
    ["a cluster that does not answer", { kubernetes: away }, { kind: "none" }],
  ])("is that of %s", ([, more, wanted]) => {
    expect(evidence(more)).toEqual(wanted);
  });

  it.for<[string, Partial<HealthFacts>, string]>([
    ["no instance profile", without, "no-profile"],
    ["an endpoint or NAT gateway that many share", many, "many"],
    ["a clock that is ahead", reported(-day), "clock-ahead"],
  ])("is that of %s for an agent that never registered", ([, more, wanted]) => {
    const never = { ssm: ssm({ registered: false, online: false }) as never, machine: away };
    expect(first({ ...never, ...more })?.trouble).toMatchObject({ kind: "agent-silent", evidence: { kind: wanted } });
  });

  it("is not asked for where the agent takes commands and cannot run them", () => {
    const fails = (failure: string) => first({ machine: away, ssm: ssm({ failure }) as never })?.trouble.kind;
    expect(fails("document process failed unexpectedly: check [ssm-document-worker] log")).toBe("agent-fails");
    expect(fails("failed to run commands: fork/exec powershell.exe: This program is blocked by group policy.")).toBe(
      "agent-blocked",
    );
  });
});
