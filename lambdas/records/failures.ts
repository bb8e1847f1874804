import type { StageName } from "../stages.ts";

/**
 * Codes of failures that end a stage of a workflow on a node. Remedies and the runbook go by them, never by a failure's words.
 * A code is kept in records: it may be added, but never renamed or given another meaning.
 */
export const failureCodes = [
  // AWS and the launch of an instance.
  "aws-throttled",
  "aws-denied",
  "vcpu-quota",
  "subnet-full",
  "no-capacity",
  "volume-key-unusable",
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
  "content-differs",
  "file-not-placed",
  "join-secret-unreadable",
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
  "authority-unreadable",
  "kubernetes-too-old",
  "overlay-port",
  "certificate-request-denied",
  "name-taken",
  "subnet-missing",
  "gateway-missing",
  "windows-build",
  "provider-id-missing",
  "node-deleted",
  "registered-anew",
  // Pods that are to leave.
  "uncordoned-meanwhile",
  "eviction-forbidden",
  "eviction-denied",
  "eviction-unanswered",
  "pod-must-not-be-interrupted",
  "pod-stuck",
  "losses-not-allowed",
  // The reboot and its proof.
  "reboot-stood-against",
  "reboot-not-happened",
  "route-lost",
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

/** Name of what ended a stage, stable across releases. */
export type FailureCode = (typeof failureCodes)[number];

/** Reason why a stage ended: the words that people read, and the code by which a remedy is found. */
export interface FailureReason {
  /** The machine's or service's own words. */
  readonly why: string;
  /** Missing where nobody has named the failure: an error of a client, a bug. */
  readonly code?: FailureCode;
}

/** Failure of one node of an operation: its reason, and the state that it left behind. */
export interface Failure extends Omit<FailureReason, "code"> {
  readonly stage: StageName;
  /** A `FailureCode`, or one of a newer release; missing where nobody has named the failure, as in records of the last release. */
  readonly code?: string;
  /** State that is left as it is: "instance i-0ab… is running, its kubelet is stopped". */
  readonly left: string;
  /** A reboot that failed in its stage before the machine was told to reboot: the node was given back. */
  readonly isNotRebooted?: true;
}

/** Something that is wrong with a machine or a node, by which a stage may end. */
export type StageFault = Required<FailureReason>;

const known: ReadonlySet<string> = new Set(failureCodes);

/** Tells the codes of this release from those of a newer one, which a record may hold. */
export const isFailureCode = (code: string | undefined): code is FailureCode => known.has(code ?? "");

/** Codes of failures that come again until a person has changed something: trying again is not offered. */
const hopeless: ReadonlySet<string> = new Set<FailureCode>([
  "vcpu-quota",
  "subnet-full",
  "no-capacity",
  "powershell-restricted",
  "kubernetes-too-old",
  "overlay-port",
]);

/** Would the same request fail the same way until a person has changed something? */
export const isHopeless = ({ code }: Pick<Failure, "code">): boolean => hopeless.has(code ?? "");

/** Code that a script gives for what went wrong; "script-failed" where it has no name for it. */
export const codeOfScript = ({ code }: { readonly code?: string }): FailureCode =>
  isFailureCode(code) ? code : "script-failed";

/** AWS's names of errors that have a code: a name is stable, a message is not. */
const awsErrors: Readonly<Record<string, FailureCode>> = {
  RequestLimitExceeded: "aws-throttled",
  ThrottlingException: "aws-throttled",
  Throttling: "aws-throttled",
  UnauthorizedOperation: "aws-denied",
  AccessDenied: "aws-denied",
  AccessDeniedException: "aws-denied",
};

/** Parts an error's name from the code that `codedName` added. */
function partsOf({ name }: Pick<Error, "name">): { readonly name: string; readonly code?: FailureCode } {
  const at = name.lastIndexOf(":");
  const code = name.slice(at + 1);
  return at > 0 && isFailureCode(code) ? { name: name.slice(0, at), code } : { name };
}

/** Reads the code out of an error's name; AWS's own names stand for themselves. */
export const codeOf = (error: Pick<Error, "name">): FailureCode | undefined =>
  partsOf(error).code ?? awsErrors[error.name];

/** The name that an error had before its code was added. */
export const bareName = (error: Pick<Error, "name">): string => partsOf(error).name;
