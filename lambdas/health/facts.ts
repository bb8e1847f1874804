import type { DeletionMark } from "../cluster/deletion-marks.ts";
import type { Answers, ObservationVerdict, ServiceQuestion } from "../machine/questions.ts";
import type { ProbeResult } from "./probe.ts";

/** Facts of one source, or the reason why they are missing, in words. */
export type SourceFacts<T> =
  | { readonly known: true; readonly value: T }
  | { readonly known: false; readonly why: string };

/** State of EC2's checks: "ok", "impaired", "initializing", "insufficient-data", "not-applicable". */
export type StatusCheck = string;

/** Facts about an instance from EC2. */
export interface InstanceFacts {
  readonly instanceId: string;
  /** "running", "stopped" */
  readonly state: string;
  /** EC2's reason for its state; empty for a running instance. */
  readonly because: string;
  /** EC2's check of the host and its network. */
  readonly system: StatusCheck;
  /** EC2's check of the instance itself. */
  readonly instance: StatusCheck;
  /** EC2's check of the volumes that are attached to it. */
  readonly volumes: StatusCheck;
  /** Has it an instance profile? Missing in stored facts of the last release. */
  readonly hasProfile?: boolean;
  /** MAC address of its primary network interface, "02-AA-BB-CC-DD-01"; null if EC2 does not report it. */
  readonly mac: string | null;
  /** Changes that EC2 has scheduled; missing if there are none. */
  readonly events?: readonly ScheduledEvent[];
}

/** A change of the machine that EC2 has scheduled. */
export interface ScheduledEvent {
  /** "instance-retirement", "system-reboot" */
  readonly code: string;
  /** ISO 8601: its earliest time; null if EC2 does not say. */
  readonly notBefore: string | null;
}

/** Facts about the SSM agent from Systems Manager. */
export interface AgentFacts {
  /** False for an agent that never registered. */
  readonly registered: boolean;
  readonly online: boolean;
  /** ISO 8601. */
  readonly lastPingAt: string | null;
  /** The agent's error if it picked up the command but could not begin it; otherwise null. */
  readonly failure: string | null;
  /** The command was sent, but the agent did not pick it up in time. */
  readonly isDeaf: boolean;
}

/** A node's signing request that waits for a decision. */
export interface WaitingRequest {
  readonly name: string;
  /** User who asks, if it is not the node itself. */
  readonly by?: string;
  /** ISO 8601. */
  readonly since: string;
}

/** A pod that runs on a node in the pods' network. */
export interface NetworkedPod {
  /** "shop/web-0" */
  readonly name: string;
  readonly ip: string;
  /** Start of its oldest running container, by the machine's clock; ISO 8601. */
  readonly since: string;
}

/** Facts about a node from the Kubernetes API. */
export interface NodeFacts {
  /** Does the machine have a Node? Without one, all other facts except the signing requests are empty. */
  readonly registered: boolean;
  readonly bootId: string | null;
  /** The condition Ready; null if the Node has none yet. */
  readonly ready: {
    readonly status: string;
    readonly reason: string;
    readonly message: string;
    /** ISO 8601. */
    readonly since: string;
    /** The kubelet's last report; ISO 8601. */
    readonly heartbeatAt: string;
  } | null;
  readonly taints: readonly { readonly key: string; readonly value: string; readonly effect: string }[];
  /** Those of its taints with which an autoscaler marks it for deletion; missing where their age was not read. */
  readonly marks?: readonly DeletionMark[];
  readonly cordoned: boolean;
  /** The operation that cordoned it; null if none did. */
  readonly cordonedBy: string | null;
  /** Set if two of its reboots within a day could not be verified. */
  readonly quarantined?: true;
  readonly requests: readonly WaitingRequest[];
  /** Missing where they were not read. */
  readonly pods?: readonly NetworkedPod[];
}

/** Facts about a machine from `observe.ps1`. */
export interface MachineFacts {
  readonly verdict: Pick<ObservationVerdict, "bootId" | "clock" | "failed">;
  readonly answers: Answers;
  /** Time of the answer by Casement's clock; ISO 8601. */
  readonly at: string;
}

/** Services and networks that a machine in service must have, according to the profile. */
export interface ExpectedMachine {
  /** In the order of their dependencies. */
  readonly services: readonly ServiceQuestion[];
  /** Names of those services that the machine may lack; one that is there must run. */
  readonly optionalServices: readonly string[];
  /** Names of those services that need the container network, the service proxy first; missing in stored facts of the last release. */
  readonly networkServices?: readonly string[];
  /** Name of the container network; `endpoint` names the endpoint from whose address kube-proxy sends. */
  readonly network: string;
  readonly endpoint: string;
}

/** The boot before a reboot that must be proven. */
export interface BootBefore {
  /** Boot id that the kubelet reported; null if it reports none. */
  readonly bootId: string | null;
  /** By Casement's clock; ISO 8601. */
  readonly bootedAt: string;
  /** Time of the reboot command; ISO 8601. */
  readonly askedAt: string;
}

/** Number of SSM agents of a cluster, and how many of them are silent. */
export interface AgentCount {
  readonly silent: number;
  readonly of: number;
}

/** Facts by their source. */
export interface Values {
  readonly ec2: InstanceFacts;
  readonly ssm: AgentFacts;
  readonly kubernetes: NodeFacts;
  readonly machine: MachineFacts;
}

/** Source of facts that a check may need. */
export type Source = keyof Values;

/** The newest scheduled probe of a node. */
export interface ProbeFacts {
  readonly result: ProbeResult;
  /** ISO 8601; null if the node was not probed. */
  readonly at: string | null;
}

/** Facts for the checks of one node. */
export interface HealthFacts {
  /** ISO 8601. */
  readonly now: string;
  readonly ec2: SourceFacts<Values["ec2"]>;
  readonly ssm: SourceFacts<Values["ssm"]>;
  readonly kubernetes: SourceFacts<Values["kubernetes"]>;
  readonly machine: SourceFacts<Values["machine"]>;
  readonly expected: ExpectedMachine;
  /** Agents of the cluster's running Windows machines; set where this one's is silent. */
  readonly agents?: AgentCount;
  /** Keys of the taints with which nodes of pools register; set where those of others are to be named. */
  readonly poolTaints?: readonly string[];
  /** Set to prove a reboot. */
  readonly before?: BootBefore;
  /** Set to check the data plane: the newest result of its scheduled probe, or the reason why there is none. */
  readonly probe?: ProbeFacts;
}

/**
 * Converts a moment of the machine's clock to Casement's, because the machine's may be wrong.
 * @param moment ISO 8601
 * @returns milliseconds since the epoch
 */
export const byOurClock = ({ verdict, at }: Pick<MachineFacts, "verdict" | "at">, moment: string): number =>
  Date.parse(moment) - (verdict.clock * 1_000 - Date.parse(at));

/**
 * Computes the time of the machine's boot by Casement's clock, even if the machine's clock is wrong.
 * @returns milliseconds since the epoch; null if the machine did not report it
 */
export function bootTime({ machine }: Pick<HealthFacts, "machine">): number | null {
  if (!machine.known || !machine.value.answers.boot) return null;
  return byOurClock(machine.value, machine.value.answers.boot.bootedAt);
}
