import { isDeletionMark } from "../cluster/deletion-marks.ts";
import { SOON_REBOOTED, taintText } from "../cluster/node-keys.ts";
import { agentEvidence, HEARTBEAT_MS } from "./agent-evidence.ts";
import { by, type Judgement, OK, unknownResult, wrong } from "./check.ts";
import { bootTime, byOurClock, type HealthFacts, type NodeFacts } from "./facts.ts";
import type { AgentEvidence } from "./trouble.ts";

/** Check of the instance's state in EC2. */
const instance = by("ec2", "instance", ({ instanceId, state, because }) =>
  state === "running" ? OK : wrong({ kind: "instance-down", instanceId, state, because }),
);

/**
 * Check of EC2's status checks: the first ones take minutes, and EC2 does not check an instance that is down. A root
 * volume that does not answer makes the check of the instance fail too, so the volumes come first.
 */
const status = by("ec2", "status", ({ state, system, instance: own, volumes }) => {
  if (system === "impaired") return wrong({ kind: "status-impaired", of: "system" });
  if (volumes === "impaired") return wrong({ kind: "status-impaired", of: "volumes" });
  if (own === "impaired") return wrong({ kind: "status-impaired", of: "instance" });
  if (own === "ok" && system === "ok") return OK;
  return unknownResult(state === "running" ? `EC2 says ${own}` : `the instance is ${state}`);
});

/** Words of the agent where Windows did not let it start PowerShell (amazon-ssm-agent, agent/plugins/runscript/runscript.go). */
const NOT_STARTED = "failed to run commands";

/** Judges an agent that takes commands and cannot run them. */
const unable = (words: string): Judgement =>
  wrong({ kind: words.includes(NOT_STARTED) ? "agent-blocked" : "agent-fails", words });

const silentAgent = (since: string | null, facts: HealthFacts): Judgement =>
  wrong({ kind: "agent-silent", since, evidence: agentEvidence(facts) });

/** Causes that keep an agent from registering, as they keep one from reporting. */
const EXPLAINING: ReadonlySet<AgentEvidence["kind"]> = new Set(["no-profile", "many", "clock-ahead", "clock-behind"]);

const missingAgent = (facts: HealthFacts): Judgement =>
  EXPLAINING.has(agentEvidence(facts).kind) ? silentAgent(null, facts) : wrong({ kind: "agent-missing" });

/**
 * Check of the SSM agent. It reports every five minutes (amazon-ssm-agent, DefaultSsmHealthFrequencyMinutes), so
 * "online" may date from before the reboot that must be proven. An agent that answered is online, whatever SSM reports.
 */
const agent = by("ssm", "agent", ({ registered, online, lastPingAt, failure, isDeaf }, facts) => {
  const { machine, before } = facts;
  if (machine.known && !before) return OK;
  if (!registered) return missingAgent(facts);
  if (failure !== null) return unable(failure);
  if (!machine.known && (isDeaf || !online)) return silentAgent(lastPingAt, facts);
  if (!before || lastPingAt === null) return OK;
  const since = Math.max(Date.parse(before.askedAt), bootTime(facts) ?? 0);
  if (Date.parse(lastPingAt) >= since) return OK;
  return wrong({ kind: "agent-before-boot", lastPingAt, bootedAt: new Date(since).toISOString() });
});

/** Milliseconds after which a signing request is overdue: a working approver decides within seconds. */
const WAITING_MS = 2 * 60_000;

const requests = by("kubernetes", "requests", ({ requests: all }, { now }) => {
  const waiting = all.filter(({ since }) => Date.parse(now) - Date.parse(since) >= WAITING_MS);
  return waiting.length === 0 ? OK : wrong({ kind: "requests-waiting", requests: waiting });
});

const registered = by("kubernetes", "registered", (found) =>
  found.registered ? OK : wrong({ kind: "not-registered" }),
);

/** Check of the kubelet's last report, whose time is that of the machine's clock; one from before the boot is old too. */
const heartbeat = by("kubernetes", "heartbeat", ({ registered: hasNode, ready: condition }, facts) => {
  if (!hasNode) return unknownResult("no Node has this machine");
  const said = condition?.heartbeatAt;
  if (said === undefined) return unknownResult("the kubelet has reported nothing yet");
  const at = facts.machine.known ? byOurClock(facts.machine.value, said) : Date.parse(said);
  const isOld = at < (bootTime(facts) ?? 0) || Date.parse(facts.now) - at > HEARTBEAT_MS;
  return isOld ? wrong({ kind: "heartbeat-old", heartbeatAt: new Date(at).toISOString() }) : OK;
});

const ready = by("kubernetes", "ready", ({ registered: hasNode, ready: condition }) => {
  if (!hasNode) return unknownResult("no Node has this machine");
  const { status: is = "Unknown", reason = "", message = "" } = condition ?? {};
  return is === "True" ? OK : wrong({ kind: "not-ready", status: is, reason, message });
});

/** Check of the cordon, but not to prove a reboot, because the reboot itself has cordoned the node. */
const cordon = by("kubernetes", "cordon", ({ cordoned, cordonedBy, quarantined }, { before }) =>
  cordoned && !before ? wrong({ kind: "cordoned", by: cordonedBy, ...(quarantined ? { quarantined } : {}) }) : OK,
);

/** Taint of a cordon, for which there is a separate check. */
const UNSCHEDULABLE = "node.kubernetes.io/unschedulable";

/** Prefixes of taints that a controller or Casement sets on a faulty node; a pool's own taints have other prefixes. */
const TROUBLED = ["node.kubernetes.io/", "node.cloudprovider.kubernetes.io/", "casement.dev/"];

/** Effects with which a taint keeps new pods away. */
const REPELLING: ReadonlySet<string> = new Set(["NoSchedule", "NoExecute"]);

/** Judges taints that neither a pool nor Kubernetes nor Casement has put on the node. */
function othersTaints(all: NodeFacts["taints"], own: readonly string[]): Judgement {
  const foreign = all.filter(
    ({ key, effect }) =>
      REPELLING.has(effect) && !own.includes(key) && !TROUBLED.some((prefix) => key.startsWith(prefix)),
  );
  const keys = [...new Set(foreign.map(({ key }) => key))];
  return foreign.length === 0 ? OK : wrong({ kind: "tainted-by-others", taints: foreign.map(taintText), keys });
}

const taints = by("kubernetes", "taints", ({ taints: all, marks }, { poolTaints }) => {
  const troubled = all
    .filter(({ key }) => isDeletionMark(key) || TROUBLED.some((prefix) => key.startsWith(prefix)))
    .filter(({ key, effect }) => key !== UNSCHEDULABLE && !(key === SOON_REBOOTED && effect === "PreferNoSchedule"))
    .map(taintText);
  if (troubled.length > 0) return wrong({ kind: "tainted", taints: troubled, ...(marks ? { marks } : {}) });
  return poolTaints ? othersTaints(all, poolTaints) : OK;
});

/** Checks of the instance and its agent, on which all others depend. */
export const instanceChecks = [instance, status, agent] as const;

/** Checks of the Node, in the order of dependencies. */
export const nodeChecks = [requests, registered, heartbeat, ready, cordon, taints] as const;
