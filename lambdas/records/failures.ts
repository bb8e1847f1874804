import type { StageName } from "../stages.ts";

/**
 * Codes of failures that end a stage of a workflow on a node. Remedies and the runbook depend on codes, never on texts.
 * Records contain the codes, so codes may be added, but never renamed or given another meaning.
 */
export const failureCodes = [
  // AWS and the launch of an instance.
  "aws-throttled",
  "aws-denied",
  "vcpu-quota",
  "subnet-full",
  "no-capacity",
  "volume-quota",
  "account-refused",
  "launch-later",
  "launch-refused",
  "volume-key-unusable",
  "private-name-missing",
  "address-claimed",
  "join-slots-taken",
  "certificate-requests-pending",
  "pool-changed",
  // The SSM agent and its commands.
  "agent-silent",
  "agent-broken",
  "command-undelivered",
  "command-cancelled",
  "command-waits",
  "command-failed",
  "result-missing",
  "script-slow",
  "script-failed",
  "powershell-restricted",
  // The machine.
  "clock-wrong",
  "disk-full",
  "wmi-broken",
  "metadata-silent",
  "service-hangs",
  "service-not-started",
  "aws-refuses-machine",
  "aws-unreachable",
  "agent-proxied",
  "content-differs",
  "file-not-placed",
  "foreign-file",
  "foreign-variable",
  "join-secret-unreadable",
  "secret-unusable",
  "feature-not-installed",
  "windows-unfinished",
  "container-networks-exist",
  "machine-ended",
  // The guard of the metadata route.
  "guard-of-another-release",
  "guard-task-missing",
  "guard-failed",
  "network-paths",
  "guard-not-in-order",
  // The cluster.
  "api-denied",
  "api-unauthorized",
  "image-not-pulled",
  "registry-unauthorized",
  "authority-unreadable",
  "kubernetes-too-old",
  "overlay-port",
  "certificate-request-denied",
  "name-taken",
  "subnet-missing",
  "gateway-missing",
  "windows-build",
  "provider-id-missing",
  "pod-network-missing",
  "pod-resolves-nothing",
  "pod-reaches-no-service",
  "pod-reaches-metadata",
  "pod-unreached",
  "pod-unreached-by-host",
  "pod-reaches-nothing-outside",
  "node-deleted",
  "registered-anew",
  "other-node",
  // The eviction of pods.
  "uncordoned-meanwhile",
  "eviction-forbidden",
  "eviction-denied",
  "eviction-unanswered",
  "pod-must-not-be-interrupted",
  "pod-stuck",
  "budget-allows-none",
  "losses-not-allowed",
  // The reboot or restart, and its proof.
  "reboot-stood-against",
  "reboot-not-happened",
  "restart-not-happened",
  "route-lost",
  "endpoints-lost",
  "check-fails",
  "not-soaked",
  // The operation itself.
  "slot-taken",
  "worse-than-approved",
  "frozen-or-held",
  "deadline-passed",
  "called-off",
  "interrupted",
  "execution-ended",
  "execution-never-started",
  "unexpected",
] as const;

/** Code of a failure that ended a stage, stable across releases. */
export type FailureCode = (typeof failureCodes)[number];

/** Reason why a stage ended: the text for people, and the code that determines the remedy. */
export interface FailureReason {
  /** Message of the machine or service. */
  readonly why: string;
  /** Missing for a failure without a code: an error of a client, a bug. */
  readonly code?: FailureCode;
}

/** Failure of one node of an operation: its reason, and the state in which it left the node. */
export interface Failure extends Omit<FailureReason, "code"> {
  readonly stage: StageName;
  /**
   * A `FailureCode`, or one of a newer release; missing for a failure without a code, and in records of the last
   * release.
   */
  readonly code?: string;
  /** State that nobody cleans up: "instance i-0ab… is running, its kubelet is stopped". */
  readonly left: string;
  /** Set for a reboot or restart that failed before its command was sent, so that the node was restored. */
  readonly isNotRebooted?: true;
  /** Set if a person decides whether the node stays cordoned; missing in records of the last release. */
  readonly asksPerson?: true;
  /** Set for a drain that asks, if pods whose containers do not end are on the node although it no longer waits for them. */
  readonly hasStuckPods?: true;
}

/** Fault of a machine or a node that may end a stage. */
export type StageFault = Required<FailureReason>;

// The mark lets a bundle that asks for no code leave the list out.
const known: ReadonlySet<string> = /* @__PURE__ */ new Set(failureCodes);

/** Does this release know the code? A record may contain one of a newer release. */
export const isFailureCode = (code: string | undefined): code is FailureCode => known.has(code ?? "");

/** Codes of failures that recur until a person changes something, so that no button offers to try again. */
const hopeless: ReadonlySet<string> = new Set<FailureCode>([
  "aws-denied",
  "volume-key-unusable",
  "vcpu-quota",
  "subnet-full",
  "volume-quota",
  "account-refused",
  "launch-refused",
  "powershell-restricted",
  "kubernetes-too-old",
  "overlay-port",
]);

/** Would the same request fail in the same way until a person changes something? */
export const isHopeless = ({ code }: Pick<Failure, "code">): boolean => hopeless.has(code ?? "");

/** Code of a script's failure; "script-failed" if the script names none. */
export const codeOfScript = ({ code }: { readonly code?: string }): FailureCode =>
  isFailureCode(code) ? code : "script-failed";

/** Codes by AWS's error names, which are stable, unlike AWS's messages. */
const awsErrors: Readonly<Record<string, FailureCode>> = {
  RequestLimitExceeded: "aws-throttled",
  ThrottlingException: "aws-throttled",
  Throttling: "aws-throttled",
  UnauthorizedOperation: "aws-denied",
  AccessDenied: "aws-denied",
  AccessDeniedException: "aws-denied",
};

/** Splits an error's name from the code that `codedName` appended. */
function partsOf({ name }: Pick<Error, "name">): { readonly name: string; readonly code?: FailureCode } {
  const at = name.lastIndexOf(":");
  const code = name.slice(at + 1);
  return at > 0 && isFailureCode(code) ? { name: name.slice(0, at), code } : { name };
}

/** Reads the code from an error's name, or finds the code of AWS's error name. */
export const codeOf = (error: Pick<Error, "name">): FailureCode | undefined =>
  partsOf(error).code ?? awsErrors[error.name];

/** The error's name without its code. */
export const bareName = (error: Pick<Error, "name">): string => partsOf(error).name;
