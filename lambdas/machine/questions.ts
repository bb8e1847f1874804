import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";

/** Question about one service. */
export interface ServiceQuestion {
  readonly name: string;
  /** The program's log, whose last lines are reported if the service does not run. */
  readonly log?: string;
}

/** Question about one scheduled task. */
export interface TaskQuestion {
  readonly name: string;
  /** A JSON file that the task writes, whose field `error` is reported if its last result is not 0. */
  readonly record?: string;
}

/**
 * Questions that `observe.ps1` answers, by group; missing groups are not observed. One command may send the same
 * questions to 50 machines.
 */
export interface Questions {
  /** Files and folders. */
  readonly paths?: readonly string[];
  readonly services?: readonly ServiceQuestion[];
  /** Services whose unexpected exits within the last hour are counted. */
  readonly exits?: readonly ServiceQuestion[];
  readonly tasks?: readonly TaskQuestion[];
  /** Names of firewall rules. */
  readonly rules?: readonly string[];
  readonly registry?: readonly { readonly key: string; readonly name: string }[];
  /** Stores of the machine's certificates: "Root". */
  readonly certificates?: readonly string[];
  /** Destinations: "169.254.169.254/32". */
  readonly routes?: readonly string[];
  /** Networks and endpoints of the Host Networking Service. */
  readonly hns?: true;
  /** Reasons why Windows needs a reboot. */
  readonly reboot?: true;
  /** Time of the boot, and the event log about its cause. */
  readonly boot?: true;
  /** The guard of the metadata route, and the number of its repairs. */
  readonly guard?: true;
  /** Does the metadata service answer by IMDSv2? */
  readonly metadata?: true;
  /** Space on the system drive. */
  readonly disk?: true;
  /** Does the machine reach AWS only by the proxy of its SSM agent? */
  readonly agent?: true;
}

/** Name of a group of questions. */
export type Group = keyof Questions;

/**
 * Reason why Windows needs a reboot, as `observe.ps1` names it. "proxy": a service runs without the variables that
 * Casement set for it.
 */
export type RebootReason = "servicing" | "windows-update" | "file-renames" | "computer-name" | "proxy";

/** Place of the variables by which the SSM agent uses a proxy: of its own service, or of the whole machine. */
export type ProxyPlace = "service" | "machine";

/** Does a restart of the services end the reason too? */
export const isCuredByRestart = (reason: RebootReason): boolean => reason === "proxy";

/** An event of Windows' System log about a start or an end of the machine. */
export interface BootEvent {
  /** 1074: a person or a program requested it. 41 and 6008: the machine was not shut down. */
  readonly id: number;
  /** ISO 8601, by the machine's clock. */
  readonly at: string;
  /** The first 300 characters, in one line. */
  readonly text: string;
}

/** Exits of a service within the last hour that nobody asked for. */
export interface ServiceExits {
  readonly name: string;
  readonly times: number;
  /** ISO 8601, by the machine's clock. */
  readonly last: string;
  /** Last lines of its log. */
  readonly log: string;
}

/** Answers of `observe.ps1`, by group, in the order of the questions. */
export interface Answers {
  readonly paths?: readonly {
    readonly path: string;
    /** Null if nothing exists at the path. */
    readonly kind: "file" | "folder" | null;
    /** Null for folders, like `size`. */
    readonly sha256: string | null;
    readonly size: number | null;
  }[];
  readonly services?: readonly {
    readonly name: string;
    /** Null for a service that does not exist. */
    readonly state: string | null;
    readonly startType: string | null;
    /** Exit code of its last end; 0 without an error. Windows' own code, or the program's if Windows reports 1066. */
    readonly exitCode: number | null;
    /** Id of its process, by which two observations detect a restart; 0 if it does not run. */
    readonly process: number | null;
    /** Start of its process by the machine's clock, ISO 8601; missing in answers to the last release's script. */
    readonly startedAt?: string | null | undefined;
    /** Last lines of its log if it does not run. */
    readonly log: string;
  }[];
  /** Only services that exited. */
  readonly exits?: readonly ServiceExits[];
  readonly tasks?: readonly {
    readonly name: string;
    /** Null for a task that does not exist. */
    readonly enabled: boolean | null;
    /** Null if it has never run, and while it runs. */
    readonly lastResult: number | null;
    readonly error: string;
  }[];
  readonly rules?: readonly {
    readonly name: string;
    /** Null for a rule that does not exist. */
    readonly enabled: boolean | null;
    readonly action: string | null;
    readonly protocol: string | null;
    readonly ports: string | null;
    readonly remoteAddresses: readonly string[];
  }[];
  readonly registry?: readonly {
    readonly key: string;
    readonly name: string;
    /** As text, with line feeds between several texts; null for a value that does not exist. */
    readonly value: string | null;
  }[];
  readonly certificates?: readonly {
    readonly store: string;
    readonly thumbprints: readonly string[];
  }[];
  /** Routes of the active store; a destination may have none or several. */
  readonly routes?: readonly {
    readonly prefix: string;
    readonly nextHop: string;
    readonly interface: string;
    /** MAC address of its adapter, "02-AA-BB-CC-DD-01". */
    readonly mac: string;
    /** Is the adapter connected, with a settled address of its own? */
    readonly usable: boolean;
  }[];
  readonly hns?: {
    readonly networks: readonly string[];
    readonly endpoints: readonly {
      readonly name: string;
      readonly ip: string;
      /** Is its address one of the host's? */
      readonly attached: boolean;
    }[];
  };
  readonly reboot?: {
    readonly reasons: readonly RebootReason[];
    /** The first file that waits to be replaced or deleted; missing without one. */
    readonly file?: string;
  };
  readonly boot?: {
    /** ISO 8601, by the machine's clock. */
    readonly bootedAt: string;
    /** The newest first. */
    readonly events: readonly BootEvent[];
  };
  readonly guard?: {
    readonly present: boolean;
    readonly sha256: string | null;
    readonly taskEnabled: boolean;
    readonly lastResult: number | null;
    readonly error: string;
    /** Number of runs since its installation in which it had to change routes. */
    readonly repairs: number;
  };
  readonly metadata?: { readonly answers: boolean };
  readonly disk?: { readonly freeBytes: number; readonly sizeBytes: number };
  /** No places if the SSM agent has no proxy, or if S3 answers the machine without it. */
  readonly agent?: { readonly proxiedBy: readonly ProxyPlace[] };
}

/** The request of `observe.ps1` that carries questions. */
export interface QuestionsRequest {
  readonly questions: Questions;
  /**
   * Prints all answers before the verdict; otherwise only hashes, which are short enough for a list of many machines.
   */
  readonly whole?: true;
}

/** The JSON line that `observe.ps1` prints last if it was asked questions. */
export interface ObservationVerdict {
  readonly script: "observe";
  readonly ok: boolean;
  /** Reason why the script could observe nothing; all other fields are missing then. */
  readonly error?: string;
  readonly bootId: string;
  /** The machine's own clock, Unix seconds. */
  readonly clock: number;
  /** `answersHash` of each group's answer. */
  readonly hashes: Partial<Readonly<Record<Group, string>>>;
  /** Groups that could not be observed, with the machine's error. */
  readonly failed: Partial<Readonly<Record<Group, string>>>;
}

/**
 * Limit on the characters of packed answers: SSM stores 24,000 of a command's output, and the verdict follows the
 * answers.
 */
const MOST_PACKED = 21_000;

const byCode = (one: string, other: string): number => (one < other ? -1 : Number(one > other));

/**
 * Formats a value for hashing in a form that TypeScript and `observe.ps1` share, because they would format JSON
 * differently. Fields are sorted by the codes of their names; the length of a text in UTF-16 units comes before it.
 */
export function canonicalAnswers(value: unknown): string {
  if (value === null || value === undefined) return "~";
  if (typeof value === "string") return `${value.length}:${value}`;
  if (typeof value !== "object") return String(value);
  if (Array.isArray(value)) return `[${value.map(canonicalAnswers).join(",")}]`;
  const fields = Object.entries(value).toSorted(([one], [other]) => byCode(one, other));
  return `{${fields.map(([name, one]) => `${name}=${canonicalAnswers(one)}`).join(",")}}`;
}

/** Hash of a group's answer: the first 16 hexadecimal digits of the sha256 of its canonical text. */
export const answersHash = (answer: unknown): string =>
  createHash("sha256").update(canonicalAnswers(answer), "utf8").digest("hex").slice(0, 16);

/**
 * Packs answers as `observe.ps1` does: JSON, gzip, base64.
 * @throws Error if they are longer than SSM's limit
 */
export function packed(answers: Answers): string {
  const text = gzipSync(JSON.stringify(answers)).toString("base64");
  if (text.length <= MOST_PACKED) return text;
  throw new Error(`the answers have ${text.length} characters, and SSM keeps ${MOST_PACKED} of them: ask for less`);
}
