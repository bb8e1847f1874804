import type { QuestionsRequest } from "./questions.ts";

/** Source of a file's content. The machine reads bucket and secrets with its own instance role. */
export type FileSource =
  | { readonly from: "inline"; readonly base64: string }
  | { readonly from: "bucket"; readonly bucket: string; readonly key: string; readonly version: string }
  | { readonly from: "secret"; readonly secretId: string; readonly field: string }
  | TemplateSource;

/** A text whose holes the machine fills. */
export type TemplateSource = { readonly from: "template" } & FilledText;

/**
 * A text with holes `<<field>>` that the machine fills from one version of a secret, which is a JSON object of texts
 * (base64, a URL's user and password). If Secrets Manager no longer has the version, the current one takes its place.
 */
export interface FilledText {
  readonly base64: string;
  readonly secretId: string;
  /** Secrets Manager's VersionId. */
  readonly version: string;
}

/**
 * The sha256 (hex) of each content that a file may have when an action finds it. A file that is written must also be
 * alone in its folder; otherwise others wrote there, and the action fails with the code "foreign-file". Always accepted
 * are a missing file and the pinned content that the action itself writes. A removal leaves a file with another content.
 * A text with credentials is recognised by the hash of its template with `Basic <<>>` in place of each.
 */
type ExpectedContent = readonly string[];

/**
 * A store of certificates of the machine: "Root" holds authorities that every program trusts, "CA" those in between,
 * which only complete a chain.
 */
export type CertificateStore = "Root" | "CA";

/**
 * One small idempotent change of a Windows machine. `apply.ps1` and the simulated machine execute only these. Each
 * action checks first: a second execution reports "unchanged".
 */
export type Action =
  /** Makes a directory; with "system", only SYSTEM and Administrators may enter it. */
  | { readonly do: "directory"; readonly path: string; readonly access: "system" | "inherited" }
  /** Writes a file atomically and verifies its sha256 (hex), which is null where a secret decides the content. */
  | {
      readonly do: "file";
      readonly path: string;
      readonly source: FileSource;
      readonly sha256: string | null;
      readonly access: "system" | "inherited";
      readonly expects?: ExpectedContent;
    }
  | { readonly do: "remove-file"; readonly path: string; readonly expects?: ExpectedContent }
  /** Removes a folder if it is empty; one that holds anything stays. */
  | { readonly do: "remove-directory"; readonly path: string }
  /** Adds a certificate (base64 of its DER) to a store that does not have it, and records that it was added. */
  | {
      readonly do: "certificate";
      readonly store: CertificateStore;
      /** SHA-1 of the certificate in upper-case hex, by which Windows names it. */
      readonly thumbprint: string;
      readonly base64: string;
    }
  /** Removes a certificate that the machine's record says was added by Casement; any other stays. */
  | { readonly do: "remove-certificate"; readonly store: CertificateStore; readonly thumbprint: string }
  /** Installs a Windows feature (Install-WindowsFeature). It may need a reboot afterwards, but never reboots itself. */
  | { readonly do: "feature"; readonly name: string }
  | {
      readonly do: "firewall-rule";
      readonly name: string;
      readonly protocol: "TCP" | "UDP";
      readonly port: number;
      readonly remoteAddresses: readonly string[];
    }
  /** Defines a Windows service that runs as LocalSystem; a running service is not restarted. */
  | {
      readonly do: "service";
      readonly name: string;
      readonly description: string;
      readonly commandLine: string;
      readonly startType: "Automatic" | "Manual";
      readonly dependsOn: readonly string[];
      /** Seconds before each restart after a failure; empty for no restarts. */
      readonly restartAfter: readonly number[];
    }
  /**
   * Sets one variable of a service's own environment, which its process reads when it starts; null removes it. With
   * `expects`, a variable with another value was set by others: a removal leaves it, and a change fails with the code
   * "foreign-variable". Each is the sha256 (hex) of a value without the name and the password of a URL.
   */
  | {
      readonly do: "service-variable";
      readonly service: string;
      readonly name: string;
      readonly value: string | null | TemplateSource;
      readonly expects?: ExpectedContent;
    }
  /** Sets the failure actions of a service that Casement does not define (the SSM agent). */
  | { readonly do: "service-recovery"; readonly name: string; readonly restartAfter: readonly number[] }
  | {
      readonly do: "service-state";
      readonly name: string;
      readonly state: "Running" | "Stopped";
      /** The program's log, whose last lines are reported if the service does not start. */
      readonly log?: string;
    }
  /** Defines a scheduled task that runs a PowerShell file as SYSTEM at start-up and, unless 0, every `everyMinutes`. */
  | {
      readonly do: "task";
      readonly name: string;
      readonly script: string;
      readonly arguments: readonly string[];
      readonly everyMinutes: number;
    }
  /** Removes a scheduled task, after the end of a run that is under way. */
  | { readonly do: "remove-task"; readonly name: string }
  /** Runs a scheduled task now and waits until it has ended; its last result must be 0. */
  | {
      readonly do: "run-task";
      readonly name: string;
      readonly withinSeconds: number;
      /** A JSON file that the task writes, whose field `error` is reported if the task fails. */
      readonly record?: string;
    }
  /** Excludes a process from Windows Defender's scans. */
  | { readonly do: "defender-exclusion"; readonly process: string };

/** The action that writes one file. */
export type FileAction = Extract<Action, { do: "file" }>;

/** A plan that the bucket stores and `apply.ps1` reads. */
export interface MachinePlan {
  readonly format: 2;
  /** Operation id, for the machine's own record. */
  readonly operation: string;
  /** Unix seconds after which the script refuses to begin, because an old command must not run hours later. */
  readonly notAfter: number;
  /** Unix seconds: if the machine's clock shows an earlier time, it is behind. */
  readonly madeAt?: number;
  readonly actions: readonly Action[];
}

/** The one parameter `Request` of `apply.ps1` (base64 of this as JSON): the plan itself, or its place in the bucket. */
export type ApplyRequest =
  | { readonly plan: MachinePlan }
  | { readonly bucket: string; readonly key: string; readonly version: string; readonly sha256: string };

/** The action at which a script stopped, in words ("service kubelet"), and the machine's error message. */
export interface FailedAction {
  readonly action: string;
  readonly error: string;
  /** A `FailureCode`; missing if the script has no code for the error, and from scripts of the last release. */
  readonly code?: string;
}

/**
 * The JSON line that `apply.ps1` prints last. It contains only the number of unchanged actions, so that it fits into
 * the 2,500 characters of output that SSM lists for each machine.
 */
export interface ApplyResult {
  readonly script: "apply";
  readonly ok: boolean;
  readonly changed: readonly string[];
  readonly unchanged: number;
  readonly failed: FailedAction | null;
  readonly rebootDue: boolean;
  /** Running services whose files or definition changed. */
  readonly restartDue: readonly string[];
}

/** Parameters of `reboot.ps1`, which exits with 3010 (reboot) unless the boot id differs from `bootId`. */
export interface RebootRequest {
  readonly operation: string;
  readonly notAfter: number;
  /** Boot id before the reboot, from `observe.ps1`. */
  readonly bootId: string;
}

/** The JSON line that `reboot.ps1` prints last, after the reboot. */
export interface RebootResult {
  readonly script: "reboot";
  readonly ok: boolean;
  readonly bootIdBefore: string;
  readonly bootIdAfter: string;
  readonly error: string | null;
  /** As in `FailedAction`. */
  readonly code?: string;
}

/** Parameters of `route.ps1`, which can only install or remove the guard of the metadata route. */
export interface RouteRequest {
  readonly do: "install" | "remove";
  readonly operation: string;
  /** Unix seconds, as in `MachinePlan`; `madeAt` too. */
  readonly notAfter: number;
  readonly madeAt: number;
}

/** The JSON line that `route.ps1` prints last. */
export interface RouteResult {
  readonly script: "route";
  readonly ok: boolean;
  readonly changed: readonly string[];
  readonly failed: FailedAction | null;
}

/** The one parameter `Request` of `observe.ps1`: empty for everything, the sha256 of files, or single questions. */
export type ObserveRequest = Readonly<Record<string, never>> | { readonly files: readonly string[] } | QuestionsRequest;

/**
 * The JSON line of `observe.ps1` about files, which fits into the 2,500 characters of output that SSM lists for each
 * machine.
 */
export interface FileObservation {
  readonly script: "observe";
  readonly ok: boolean;
  /** Reason why the files could not be read; `files` is missing then. */
  readonly error?: string;
  /** In the order of the request; null for a missing file. */
  readonly files?: readonly { readonly path: string; readonly sha256: string | null }[];
}

/**
 * The JSON line that `observe.ps1` prints last if it was asked for everything (`{}`); later steps check these facts.
 */
export interface Observation {
  readonly script: "observe";
  readonly ok: boolean;
  /** Reason why the script could not read the machine's state; all other fields are missing then. */
  readonly error?: string;
  /** As in `FailedAction`. */
  readonly code?: string;
  readonly bootId: string;
  /** The machine's own clock, Unix seconds. */
  readonly clock: number;
  /** Space on the system drive; missing from a script of the last release. */
  readonly freeBytes?: number;
  /** "10.0.20348" */
  readonly build: string;
  readonly metadataAnswers: boolean;
  readonly guard: {
    readonly present: boolean;
    readonly sha256: string | null;
    readonly taskEnabled: boolean;
    readonly lastResult: number | null;
    /** Number of interfaces from which the guard would choose; 1 is right. */
    readonly paths: number;
    /** Error in its record if its last result is not 0; otherwise empty. */
    readonly error: string;
  };
  readonly features: readonly string[];
  readonly rebootPending: boolean;
  /** Signs of the pending reboot: "servicing", "windows-update" or "feature Containers"; missing from the last release's script. */
  readonly rebootSigns?: readonly string[];
  readonly services: readonly { readonly name: string; readonly state: string; readonly startType: string }[];
  readonly hnsNetworks: readonly string[];
}
