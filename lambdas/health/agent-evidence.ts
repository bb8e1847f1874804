import type { HealthFacts } from "./facts.ts";
import type { AgentEvidence } from "./trouble.ts";

/**
 * Milliseconds after which a heartbeat is old: a kubelet writes its Node's status at least every five minutes
 * (nodeStatusReportFrequency).
 */
export const HEARTBEAT_MS = 6 * 60_000;

/** Silent agents that are many, if they are more than a third of all (chosen). */
const MANY = 3;

/** Finds what the other sources say about a silent agent: what alone explains the silence comes first. */
export function agentEvidence({ ec2, kubernetes, agents, now }: HealthFacts): AgentEvidence {
  if (ec2.known && ec2.value.hasProfile === false) return { kind: "no-profile" };
  if (agents && agents.silent >= MANY && agents.silent * 3 > agents.of) return { kind: "many", ...agents };
  if (!kubernetes.known || !kubernetes.value.ready) return { kind: "none" };
  const { status, heartbeatAt } = kubernetes.value.ready;
  const isFresh = Date.parse(now) - Date.parse(heartbeatAt) <= HEARTBEAT_MS;
  return { kind: status === "True" && isFresh ? "kubelet-reports" : "kubelet-silent" };
}
