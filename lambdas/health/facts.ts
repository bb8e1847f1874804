import type { Answers, LookVerdict, ServiceQuestion } from "../machine/questions.ts";
import type { ProbeResult } from "./probe.ts";

/** Facts of one source, or the reason why there are none, in words. */
export type SourceFacts<T> =
  | { readonly known: true; readonly value: T }
  | { readonly known: false; readonly why: string };

/** State of EC2's checks: "ok", "impaired", "initializing", "insufficient-data", "not-applicable". */
export type StatusCheck = string;

/** An instance as EC2 knows it. */
export interface InstanceFacts {
  readonly instanceId: string;
  /** "running", "stopped" */
  readonly state: string;
  /** Reason of its state, in EC2's words; empty while it lives. */
  readonly because: string;
  /** EC2's check of the host and its network. */
  readonly system: StatusCheck;
  /** EC2's check of the instance itself. */
  readonly instance: StatusCheck;
  /** MAC address of its primary network interface, "02-AA-BB-CC-DD-01"; null where EC2 does not say it. */
  readonly mac: string | null;
}

/** The SSM agent as Systems Manager knows it. */
export interface AgentFacts {
  /** False for an agent that never registered. */
  readonly registered: boolean;
  readonly online: boolean;
  /** ISO 8601. */
  readonly lastPingAt: string | null;
  /** Words of the agent where it took the look and could not begin it; null otherwise. */
  readonly failure: string | null;
  /** The look was sent and the agent did not take it in time. */
  readonly isDeaf: boolean;
}

/** A request for a certificate of a node's that waits for a decision. */
export interface WaitingRequest {
  readonly name: string;
  /** ISO 8601. */
  readonly since: string;
}

/** A node as the Kubernetes API knows it. */
export interface NodeFacts {
  /** Is there a Node of the machine? Without one everything else but the requests is empty. */
  readonly registered: boolean;
  readonly bootId: string | null;
  /** The condition Ready; null while there is none. */
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
  readonly cordoned: boolean;
  /** The operation that cordoned it; null for others. */
  readonly cordonedBy: string | null;
  /** Two of its reboots were not proven within a day. */
  readonly quarantined?: true;
  readonly requests: readonly WaitingRequest[];
}

/** A machine as `observe.ps1` saw it. */
export interface MachineFacts {
  readonly verdict: Pick<LookVerdict, "bootId" | "clock" | "failed">;
  readonly answers: Answers;
  /** Time of the answer by Casement's clock; ISO 8601. */
  readonly at: string;
}

/** Things that a machine in service must have; a kind of cluster says what they are. */
export interface ExpectedMachine {
  /** In the order of their dependencies. */
  readonly services: readonly ServiceQuestion[];
  /** Name of the container network, and of the endpoint whose address kube-proxy sends from. */
  readonly network: string;
  readonly endpoint: string;
}

/** The boot before a reboot that is to be proven. */
export interface BootBefore {
  /** As the kubelet reported it; null where it reports none. */
  readonly bootId: string | null;
  /** By Casement's clock; ISO 8601. */
  readonly bootedAt: string;
  /** Time at which the reboot was asked for; ISO 8601. */
  readonly askedAt: string;
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
  /** ISO 8601; null where the node was not probed. */
  readonly at: string | null;
}

/** Everything that the checks of one node judge by. */
export interface HealthFacts {
  /** ISO 8601. */
  readonly now: string;
  readonly ec2: SourceFacts<Values["ec2"]>;
  readonly ssm: SourceFacts<Values["ssm"]>;
  readonly kubernetes: SourceFacts<Values["kubernetes"]>;
  readonly machine: SourceFacts<Values["machine"]>;
  readonly expected: ExpectedMachine;
  /** Set where a reboot is to be proven. */
  readonly before?: BootBefore;
  /** Set where the data plane is asked for: the newest result of its scheduled probe, or the reason why there is none. */
  readonly probe?: ProbeFacts;
}

/**
 * Time of the machine's boot by Casement's clock, whatever its own clock says.
 * @returns milliseconds since the epoch; null where the machine did not tell
 */
export function bootTime({ machine }: Pick<HealthFacts, "machine">): number | null {
  if (!machine.known || !machine.value.answers.boot) return null;
  const { answers, verdict, at } = machine.value;
  const ahead = verdict.clock * 1_000 - Date.parse(at);
  return Date.parse(answers.boot?.bootedAt ?? "") - ahead;
}
