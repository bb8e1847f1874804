import { CLOCK_TOLERANCE_MS } from "./clock.ts";
import type { HealthFacts, NodeFacts } from "./facts.ts";
import type { AgentEvidence } from "./trouble.ts";

/**
 * Milliseconds after which a heartbeat is old: a kubelet writes its Node's status at least every five minutes
 * (nodeStatusReportFrequency).
 */
export const HEARTBEAT_MS = 6 * 60_000;

/** Silent agents that are many, if they are more than a third of all (chosen). */
const MANY = 3;

/**
 * Judges a silent agent by its node's last report, whose time is that of the machine's clock: an agent whose requests AWS
 * refuses goes silent (aws/amazon-ssm-agent, issue 546). The control plane counts a
 * node as Ready by its own clock, so a Ready node with an old report has a clock that is behind.
 */
function byKubelet({ status, heartbeatAt }: NonNullable<NodeFacts["ready"]>, now: string): AgentEvidence {
  const ahead = Date.parse(heartbeatAt) - Date.parse(now);
  if (ahead > CLOCK_TOLERANCE_MS) return { kind: "clock-ahead", byMs: ahead };
  if (status !== "True") return { kind: "kubelet-silent" };
  return -ahead > HEARTBEAT_MS ? { kind: "clock-behind", byMs: -ahead } : { kind: "kubelet-reports" };
}

/** Finds what the other sources say about a silent agent: what explains the silence by itself comes first. */
export function agentEvidence({ ec2, kubernetes, agents, now }: HealthFacts): AgentEvidence {
  if (ec2.known && ec2.value.hasProfile === false) return { kind: "no-profile" };
  if (agents && agents.silent >= MANY && agents.silent * 3 > agents.of) return { kind: "many", ...agents };
  if (!kubernetes.known || !kubernetes.value.ready) return { kind: "none" };
  return byKubelet(kubernetes.value.ready, now);
}
