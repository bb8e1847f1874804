import type { QuestionsRequest } from "./questions.ts";

/** Source of a file's content. The machine reads bucket and secret with its own instance role. */
export type FileSource =
  | { readonly from: "inline"; readonly base64: string }
  | { readonly from: "bucket"; readonly bucket: string; readonly key: string; readonly version: string }
  | { readonly from: "secret"; readonly secretId: string; readonly field: string };

/**
 * One small idempotent change of a Windows machine. `apply.ps1` executes these and nothing else; so does the
 * simulated machine. Each is check-then-act: done twice, the second time reports "unchanged".
 */
export type Action =
  /** Makes a directory; "system" leaves it to SYSTEM and Administrators alone. */
  | { readonly do: "directory"; readonly path: string; readonly access: "system" | "inherited" }
  /** Writes a file whole and atomically; verified by sha256 (hex) after writing. A secret's sha256 is not known: null. */
  | {
      readonly do: "file";
      readonly path: string;
      readonly source: FileSource;
      readonly sha256: string | null;
      readonly access: "system" | "inherited";
    }
  | { readonly do: "remove-file"; readonly path: string }
  /** Installs a Windows feature (Install-WindowsFeature); may leave a reboot due, never reboots. */
  | { readonly do: "feature"; readonly name: string }
  | {
      readonly do: "firewall-rule";
      readonly name: string;
      readonly protocol: "TCP" | "UDP";
      readonly port: number;
      readonly remoteAddresses: readonly string[];
    }
  /** Machine-wide environment variable; null removes it. */
  | { readonly do: "environment"; readonly name: string; readonly value: string | null }
  /** Defines a Windows service running as LocalSystem; running services are not restarted by it. */
  | {
      readonly do: "service";
      readonly name: string;
      readonly description: string;
      readonly commandLine: string;
      readonly startType: "Automatic" | "Manual";
      readonly dependsOn: readonly string[];
      /** NAME=value strings of the service's own environment. */
      readonly environment: readonly string[];
      /** Seconds before each restart after a failure; empty for no recovery. */
      readonly restartAfter: readonly number[];
    }
  /** Failure actions of a service that is not ours (the SSM agent). */
  | { readonly do: "service-recovery"; readonly name: string; readonly restartAfter: readonly number[] }
  | {
      readonly do: "service-state";
      readonly name: string;
      readonly state: "Running" | "Stopped";
      /** The program's log: where it does not start, its last lines are told. */
      readonly log?: string;
    }
  /** A scheduled task as SYSTEM running a PowerShell file; at start-up and, unless 0, every so many minutes. */
  | {
      readonly do: "task";
      readonly name: string;
      readonly script: string;
      readonly arguments: readonly string[];
      readonly everyMinutes: number;
    }
  /** Runs a scheduled task now and waits until it ended; its last result must be 0. */
  | {
      readonly do: "run-task";
      readonly name: string;
      readonly withinSeconds: number;
      /** A JSON file that the task keeps: where it fails, the field `error` is told. */
      readonly record?: string;
    }
  /** Windows Defender leaves this process alone. */
  | { readonly do: "defender-exclusion"; readonly process: string };

/** Writes one file. */
export type FileAction = Extract<Action, { do: "file" }>;

/** A plan as the bucket stores it and `apply.ps1` reads it. */
export interface MachinePlan {
  readonly format: 2;
  /** Operation id of the ledger, for the machine's own record. */
  readonly operation: string;
  /** Unix seconds: the script refuses to begin later (a stale command must not run hours later). */
  readonly notAfter: number;
  /** Unix seconds: a machine that gets the plan before this time has a clock that is behind. */
  readonly madeAt?: number;
  readonly actions: readonly Action[];
}

/** The one parameter `Request` of `apply.ps1` (base64 of this as JSON): the plan itself, or its place in the bucket. */
export type ApplyRequest =
  | { readonly plan: MachinePlan }
  | { readonly bucket: string; readonly key: string; readonly version: string; readonly sha256: string };

/**
 * The JSON line that `apply.ps1` prints last. Unchanged actions are only counted: it fits the 2,500 characters of a list of
 * machines.
 */
/** The action at which a script stopped, in words ("service kubelet"), with the machine's own error. */
export interface FailedAction {
  readonly action: string;
  readonly error: string;
  /** One of `FailureCode`; missing where the script has no name for the error, and from scripts of the last release. */
  readonly code?: string;
}

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

/** Parameters of `reboot.ps1`: it exits 3010 unless the boot id differs from the one given. */
export interface RebootRequest {
  readonly operation: string;
  readonly notAfter: number;
  /** Boot id before the reboot, from `observe.ps1`. */
  readonly bootId: string;
}

/** The JSON line that `reboot.ps1` prints last, after the machine came back. */
export interface RebootResult {
  readonly script: "reboot";
  readonly ok: boolean;
  readonly bootIdBefore: string;
  readonly bootIdAfter: string;
  readonly error: string | null;
  /** As in `FailedAction`. */
  readonly code?: string;
}

/** Parameters of `route.ps1`: it installs the guard of the metadata route, or takes it away, and can do nothing else. */
export interface RouteRequest {
  readonly do: "install" | "remove";
  readonly operation: string;
  /** Unix seconds, as in a plan. */
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

/** The one parameter `Request` of `observe.ps1`: everything, only the sha256 of some files, or answers to single questions. */
export type ObserveRequest = Readonly<Record<string, never>> | { readonly files: readonly string[] } | QuestionsRequest;

/** The JSON line of `observe.ps1` when it was asked for files; it fits the 2,500 characters of a list of machines. */
export interface FileObservation {
  readonly script: "observe";
  readonly ok: boolean;
  /** Reason why the files could not be read; `files` is missing then. */
  readonly error?: string;
  /** In the order asked for; null for a file that is not there. */
  readonly files?: readonly { readonly path: string; readonly sha256: string | null }[];
}

/** The JSON line that `observe.ps1` prints last when it was asked for everything (`{}`): what later steps check. */
export interface Observation {
  readonly script: "observe";
  readonly ok: boolean;
  /** Reason why it could not look; everything else is missing then. */
  readonly error?: string;
  /** As in `FailedAction`. */
  readonly code?: string;
  readonly bootId: string;
  /** The machine's own clock, Unix seconds. */
  readonly clock: number;
  /** "10.0.20348" */
  readonly build: string;
  readonly metadataAnswers: boolean;
  readonly guard: {
    readonly present: boolean;
    readonly sha256: string | null;
    readonly taskEnabled: boolean;
    readonly lastResult: number | null;
    /** Number of interfaces the guard would choose from; 1 is right. */
    readonly paths: number;
    /** Error that its record names when its last result is not 0; empty without such words. */
    readonly error: string;
  };
  readonly features: readonly string[];
  readonly rebootPending: boolean;
  readonly services: readonly { readonly name: string; readonly state: string; readonly startType: string }[];
  readonly hnsNetworks: readonly string[];
}
