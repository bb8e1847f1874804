import type { LongRound } from "../../health/probe-turns.ts";
import type { FailedRenewal } from "../../inputs/mirrors/failed-renewals.ts";
import type { MirrorFault, UnusedMirror } from "../../inputs/mirrors/mirror-lines.ts";
import type { AssistanceFault } from "../../machine/assistance.ts";
import type { SupportFault } from "../../machine/payload-support.ts";
import type { ChronicReasons } from "../../machine/reboot-due.ts";
import type { MachineTrouble } from "../../machine/seen-troubles.ts";
import type { InputName } from "../../records/machine-record.ts";
import type { IdentityFault } from "../node/identity.ts";
import type { UnregisteredRow } from "../node/unregistered.ts";

/** Input of the cluster whose nodes the doctor examines. */
export type ExaminedInput = Extract<InputName, "mirrors" | "trustedAuthorities" | "proxy">;

/** Group of a finding in the doctor's report. */
export type Area = "Slack" | "AWS" | "Cluster" | "Nodes";

/**
 * "broken": does not work. "unclear": could not be checked. "warning": still works, but soon will not. "note": works,
 * and is worth knowing.
 */
export type Level = "broken" | "unclear" | "warning" | "note";

/** Holder of the addresses of a network, as a phrase. */
export type NetworkUse = "machines" | "the VPC" | "pods" | "Services" | "pods on Windows nodes";

/** A network as "10.128.0.0/14", and what has its addresses. */
interface UsedNetwork {
  readonly of: NetworkUse;
  readonly cidr: string;
}

/** A machine whose agent has stopped reporting. */
export interface SilentAgent {
  /** Name of its node, or its instance id. */
  readonly node: string;
  readonly pool: string | null;
  /** Last report. ISO 8601. */
  readonly since: string;
  /** EC2 says that the machine has no instance profile, so no reboot brings its agent back. */
  readonly lacksProfile?: true;
}

/** A node in service that is not Ready. */
export interface UnreadyNode {
  readonly node: string;
  readonly pool: string | null;
  /** ISO 8601. */
  readonly since: string;
  /** Set where the SSM agent of its machine does not report either. */
  readonly isAgentSilent?: true;
  /** EC2 says that this machine has no instance profile, so no reboot brings its agent back. */
  readonly lacksProfile?: true;
}

/** One finding of the doctor, as data. */
export type Finding =
  | { readonly kind: "down"; readonly area: Area; readonly why: string }
  | {
      readonly kind: "no-answer";
      readonly area: Area;
      readonly what: string;
      readonly why: string;
      /** Name of the service; left out if the error does not name it. */
      readonly service?: string;
      readonly throttled?: true;
    }
  /** ClusterRoleBindings that give the bot's accounts more rights than the manifest, one per line. */
  | { readonly kind: "accounts-bound"; readonly bindings: readonly string[] }
  | { readonly kind: "no-credentials"; readonly why: string }
  | { readonly kind: "denied"; readonly by: string; readonly action: string }
  | { readonly kind: "other-app"; readonly found: string; readonly configured: string }
  | { readonly kind: "scopes-missing"; readonly scopes: readonly string[] }
  | { readonly kind: "not-a-member" | "channel-shared" | "channel-unknown"; readonly channel: string }
  /** Commands that the policy does not name, so that no role may use them. */
  | { readonly kind: "commands-unnamed"; readonly commands: readonly string[] }
  /** Rules of a pool that cannot be read, with their faults, one per line. */
  | { readonly kind: "rules-unreadable"; readonly pool: string; readonly why: string }
  /**
   * Commands whose approval fewer than two people can give; `pool` is null for the general rules, `people` are Slack
   * ids.
   */
  | {
      readonly kind: "few-approvers";
      readonly commands: readonly string[];
      readonly pool: string | null;
      readonly people: readonly string[];
    }
  | { readonly kind: "subnet-full"; readonly subnet: string; readonly pools: readonly string[]; readonly free: number }
  | { readonly kind: "subnet-missing"; readonly subnet: string; readonly pools: readonly string[] }
  | { readonly kind: "security-group"; readonly group: string; readonly faults: readonly string[] }
  | { readonly kind: "balancer-ports"; readonly group: string; readonly ports: readonly string[] }
  | { readonly kind: "image-missing"; readonly pool: string; readonly why: string }
  | { readonly kind: "launch-refused"; readonly pool: string; readonly why: string }
  | { readonly kind: "payload-missing"; readonly files: readonly string[] }
  | { readonly kind: "payload-version"; readonly payload: string; readonly configured: string }
  | { readonly kind: "payload-unusable"; readonly faults: readonly SupportFault[] }
  | { readonly kind: "payload-ended"; readonly faults: readonly SupportFault[] }
  /** A switch of the VPC that is off: "enableDnsHostnames". */
  | { readonly kind: "vpc-dns"; readonly vpc: string; readonly attribute: string }
  | { readonly kind: "volume-key"; readonly key: string }
  /** The key of the stack's resources cannot be used: its state, or its kind. */
  | { readonly kind: "key-state"; readonly key: string; readonly state: string }
  | { readonly kind: "key-policy"; readonly key: string; readonly services: readonly string[] }
  | { readonly kind: "document-missing"; readonly script: string; readonly name: string }
  | { readonly kind: "document-changed"; readonly script: string; readonly name: string }
  | { readonly kind: "no-subscriber"; readonly pending: readonly string[] }
  | { readonly kind: "unconfirmed"; readonly pending: readonly string[]; readonly confirmed: readonly string[] }
  | { readonly kind: "audit-late"; readonly operations: readonly string[]; readonly since: string }
  /** Operations whose execution Lambda does not show to the sweep. */
  | { readonly kind: "executions-hidden"; readonly operations: readonly string[] }
  | { readonly kind: "no-release"; readonly why: string }
  | { readonly kind: "clock"; readonly against: string; readonly seconds: number }
  | { readonly kind: "agents-old"; readonly machines: readonly string[]; readonly wanted: string }
  /** Agents that have stopped reporting; `at` is the time of the check, ISO 8601. */
  | { readonly kind: "agents-silent"; readonly agents: readonly SilentAgent[]; readonly at: string }
  | { readonly kind: "nodes-not-ready"; readonly nodes: readonly UnreadyNode[]; readonly at: string }
  | { readonly kind: "agents-proxied"; readonly nodes: readonly string[] }
  /** Machines of other owners that Casement could not assist. */
  | {
      readonly kind: "others-without-profile" | "others-without-agent" | "others-silent";
      readonly machines: readonly string[];
    }
  /** A machine and a Node that do not belong together. */
  | { readonly kind: "node-identity"; readonly fault: IdentityFault }
  /** Machines of other owners whose tag or approval is not valid, each with the reason. */
  | {
      readonly kind: "assistance-without-power";
      readonly machines: readonly { readonly instanceId: string; readonly fault: AssistanceFault }[];
    }
  | { readonly kind: "right-missing"; readonly account: string; readonly does: string; readonly right: string }
  | { readonly kind: "policy-missing"; readonly account: string; readonly policy: string; readonly what: string }
  /** An admission policy of an older manifest denies something that the current one allows. */
  | { readonly kind: "policy-old"; readonly account: string; readonly policy: string; readonly what: string }
  /** An admission policy is missing or from an older manifest, and allows something that the current one denies. */
  | { readonly kind: "policy-lax"; readonly account: string; readonly policy: string; readonly what: string }
  | { readonly kind: "credential-expired"; readonly account: string; readonly at: string }
  | { readonly kind: "credential-overdue"; readonly account: string; readonly due: string; readonly at: string }
  | { readonly kind: "credential-refused" | "credential-endless"; readonly account: string }
  | { readonly kind: "credential-unusable"; readonly account: string; readonly why: string }
  | { readonly kind: "slack-credential"; readonly why: string }
  | { readonly kind: "server-version"; readonly server: string; readonly payload: string }
  | { readonly kind: "kubelet-version"; readonly node: string; readonly kubelet: string; readonly server: string }
  | { readonly kind: "no-cloud-controller"; readonly platform: string }
  | { readonly kind: "reserved-network"; readonly network: string }
  | { readonly kind: "networks-overlap"; readonly one: UsedNetwork; readonly other: UsedNetwork }
  /** `addresses`: the most pods that a node's share of the network has addresses for. */
  | {
      readonly kind: "few-addresses";
      readonly network: string;
      readonly hostPrefix: number;
      readonly addresses: number;
      readonly podsPerNode: number;
    }
  | { readonly kind: "dns-differs"; readonly address: string; readonly expected: string }
  /** DaemonSets, as "namespace/name", that neither choose Linux nodes nor Windows nodes and tolerate the taint of these. */
  | { readonly kind: "daemonsets-anywhere"; readonly daemonSets: readonly string[] }
  /** Pods, as "namespace/name", that claim volumes on Windows nodes without a storage driver. */
  | { readonly kind: "no-storage-driver"; readonly nodes: readonly string[]; readonly pods: readonly string[] }
  /** `nodes` are the operator's; `meant`: the configuration accepts them (`cluster.besideWmco`). */
  | { readonly kind: "beside-wmco"; readonly nodes: readonly string[]; readonly meant: boolean }
  | { readonly kind: "server-too-old"; readonly server: string }
  | {
      readonly kind: "authority-missing";
      readonly nodes: readonly string[];
      readonly authority: string;
      /** `kubectl logs` uses it, not only metrics. */
      readonly logs: boolean;
    }
  /** `at` is the time of the check, ISO 8601. */
  | { readonly kind: "unregistered-machine"; readonly machine: UnregisteredRow; readonly at: string }
  | { readonly kind: "authority-unknown"; readonly nodes: readonly string[] }
  | { readonly kind: "authority-ends"; readonly authority: string; readonly at: string }
  | { readonly kind: "authority-unpublished"; readonly why: string }
  /** Number of mirror sets of a cluster whose configuration names no source of inputs, or another one. */
  | { readonly kind: "mirrors-not-applied"; readonly sets: number; readonly source: "none" | "configmap" }
  /** Lines that containerd cannot follow, and mirrors that another line forbids. */
  | {
      readonly kind: "mirrors-inexpressible";
      readonly faults: readonly MirrorFault[];
      readonly unused: readonly UnusedMirror[];
    }
  | {
      readonly kind: "registries-not-enforced";
      readonly list: "blocked" | "allowed";
      readonly registries: readonly string[];
    }
  | { readonly kind: "registries-unencrypted"; readonly registries: readonly string[] }
  | { readonly kind: "registry-credentials-unused"; readonly hosts: readonly string[] }
  /** Registries with forbidden sources that nodes do not forbid before a person has accepted the consequence. */
  | { readonly kind: "mirrors-asked"; readonly parts: readonly string[] }
  /** Nodes whose last reboot did not end what Windows waits for; `first` is that of the first node. */
  | { readonly kind: "reboots-without-effect"; readonly nodes: readonly string[]; readonly first: ChronicReasons }
  /** Trouble of services or of the drive that the last observation found on these nodes. */
  | { readonly kind: "machine-trouble"; readonly trouble: MachineTrouble; readonly nodes: readonly string[] }
  /** The round of scheduled probes takes longer than usual, because the fleet is large. */
  | ({ readonly kind: "probes-seldom" } & LongRound)
  /** Nodes that do not renew their passwords of ECR, the oldest fault first; `at` is the time of the check, ISO 8601. */
  | { readonly kind: "passwords-not-renewed"; readonly renewals: readonly FailedRenewal[]; readonly at: string }
  | { readonly kind: "input-unread"; readonly input: ExaminedInput; readonly why: string }
  /** Nodes that have not had an input of the cluster for an hour, or whose machines have not confirmed it. */
  | { readonly kind: "input-late"; readonly input: ExaminedInput; readonly nodes: readonly string[] }
  | { readonly kind: "input-unconfirmed"; readonly input: ExaminedInput; readonly nodes: readonly string[] }
  /** A node failed with an input, null for one that is gone, so that these nodes do not get it. */
  | {
      readonly kind: "input-blocked";
      readonly input: ExaminedInput;
      readonly failed: string | null;
      readonly nodes: readonly string[];
    }
  /** Nodes on which the proxy is written and not in force; times are ISO 8601: of the oldest writing, and of the check. */
  | { readonly kind: "proxy-pending"; readonly nodes: readonly string[]; readonly since: string; readonly at: string }
  /** Sentences on authorities that are refused or expire soon. */
  | { readonly kind: "authorities-remarks"; readonly remarks: readonly string[] }
  /** Number of roots that no node gets before people approve them. */
  | { readonly kind: "authorities-asked"; readonly roots: number }
  | { readonly kind: "containerd-untried"; readonly version: string; readonly nodes: readonly string[] }
  | { readonly kind: "no-hybrid-network"; readonly network: string }
  | { readonly kind: "network-differs"; readonly what: string; readonly cluster: string; readonly configured: string }
  | { readonly kind: "no-join-account" | "no-machine-approver" | "no-linux-node" };
