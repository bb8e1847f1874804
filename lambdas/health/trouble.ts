import type { DeletionMark } from "../cluster/deletion-marks.ts";
import type { WaitingRequest } from "./facts.ts";
import type { DataPlaneFault } from "./probe.ts";

/**
 * Evidence about a silent agent: the instance has no instance profile; more than a third of the agents are silent; the
 * clock of its kubelet is wrong, which AWS refuses; its kubelet reports, so that Windows runs and has a network; its
 * kubelet does not report either; or none of these is known.
 */
export type AgentEvidence =
  /** The kubelet's last report carries a time so many milliseconds from now, or from long ago although its Node is Ready. */
  | { readonly kind: "clock-ahead" | "clock-behind"; readonly byMs: number }
  | { readonly kind: "no-profile" | "kubelet-reports" | "kubelet-silent" | "none" }
  | { readonly kind: "many"; readonly silent: number; readonly of: number };

/** A fault of a node, as data; lambdas/messages/node/trouble.ts has its text. */
export type Trouble =
  | { readonly kind: "instance-down"; readonly instanceId: string; readonly state: string; readonly because: string }
  | { readonly kind: "status-impaired"; readonly of: "system" | "volumes" | "instance" }
  | { readonly kind: "agent-missing" }
  /** `since`: last sign of the agent; ISO 8601. */
  | { readonly kind: "agent-silent"; readonly since: string | null; readonly evidence: AgentEvidence }
  /** The agent's worker ended before the script began, or Windows did not let the agent start PowerShell. */
  | { readonly kind: "agent-fails" | "agent-blocked"; readonly words: string }
  | { readonly kind: "agent-before-boot"; readonly lastPingAt: string; readonly bootedAt: string }
  | { readonly kind: "same-boot"; readonly bootId: string | null; readonly askedAt: string }
  /** `byMs`: milliseconds by which it is ahead; negative if it is behind. */
  | { readonly kind: "clock-wrong"; readonly byMs: number }
  | { readonly kind: "disk-low"; readonly freeBytes: number; readonly sizeBytes: number }
  | { readonly kind: "metadata-silent"; readonly guardError: string }
  | { readonly kind: "routes-missing"; readonly prefixes: readonly string[] }
  | { readonly kind: "service-missing"; readonly service: string }
  | {
      readonly kind: "service-down";
      readonly service: string;
      readonly state: string;
      readonly exitCode: number;
      readonly log: string;
    }
  /** A service that Windows starts again and again. `last`: ISO 8601, by Casement's clock. */
  | {
      readonly kind: "service-exits";
      readonly service: string;
      readonly times: number;
      readonly last: string;
      readonly log: string;
    }
  | { readonly kind: "network-missing"; readonly network: string }
  | { readonly kind: "endpoint-missing"; readonly endpoint: string }
  /** The Host Networking Service started after kube-proxy. `at`: ISO 8601. `pods` have no endpoint. */
  | { readonly kind: "hns-restarted"; readonly at: string; readonly pods: readonly string[] }
  /** Pods that run and have no endpoint of the Host Networking Service. */
  | { readonly kind: "pods-without-endpoint"; readonly pods: readonly string[] }
  | { readonly kind: "requests-waiting"; readonly requests: readonly WaitingRequest[] }
  | { readonly kind: "not-registered" }
  | { readonly kind: "heartbeat-old"; readonly heartbeatAt: string }
  | { readonly kind: "not-ready"; readonly status: string; readonly reason: string; readonly message: string }
  | { readonly kind: "cordoned"; readonly by: string | null; readonly quarantined?: true }
  | { readonly kind: "tainted"; readonly taints: readonly string[]; readonly marks?: readonly DeletionMark[] }
  /** Taints that neither the pool nor Kubernetes nor Casement put on the node; `keys` are theirs. */
  | { readonly kind: "tainted-by-others"; readonly taints: readonly string[]; readonly keys: readonly string[] }
  | {
      readonly kind: "data-plane";
      readonly fault: DataPlaneFault;
      /** Node whose pod could not reach it. */
      readonly from: string | null;
      /** The cluster's message about the fault. */
      readonly words?: string | undefined;
      /** Time of a scheduled probe; ISO 8601. */
      readonly at?: string | null;
    }
  | { readonly kind: "guard-broken"; readonly what: "missing" | "disabled" | "failing"; readonly error: string };
