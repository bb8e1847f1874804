import { createHash } from "node:crypto";
import { gunzipSync, gzipSync } from "node:zlib";

/** One service to look at. */
export interface ServiceQuestion {
  readonly name: string;
  /** The program's log: of a service that does not run, its last lines are told. */
  readonly log?: string;
}

/** One scheduled task to look at. */
export interface TaskQuestion {
  readonly name: string;
  /** A JSON file that the task keeps: where its last result is not 0, the field `error` is told. */
  readonly record?: string;
}

/**
 * Questions that `observe.ps1` answers, by group; a group that is missing is not looked at. The same questions may go to
 * 50 machines in one command.
 */
export interface Questions {
  /** Files and folders. */
  readonly paths?: readonly string[];
  readonly services?: readonly ServiceQuestion[];
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
  /** Reasons for which Windows waits for a reboot. */
  readonly reboot?: true;
  /** Time of the boot, and the event log on its cause. */
  readonly boot?: true;
  /** The guard of the metadata route, and how often it had to repair. */
  readonly guard?: true;
  /** Does the metadata service answer by IMDSv2? */
  readonly metadata?: true;
  /** Space on the system drive. */
  readonly disk?: true;
}

/** Name of a group of questions. */
export type Group = keyof Questions;

/** Reasons for which Windows waits for a reboot, as `observe.ps1` names them. */
export type RebootReason = "servicing" | "windows-update" | "file-renames" | "computer-name";

/** An event of Windows' log System about a start or an end of the machine. */
export interface BootEvent {
  /** 1074: a person or a program asked for it. 41 and 6008: it was not shut down. */
  readonly id: number;
  /** ISO 8601, by the machine's clock. */
  readonly at: string;
  /** The first 300 characters, in one line. */
  readonly text: string;
}

/** Answers of `observe.ps1`, by group, in the order of the questions. */
export interface Answers {
  readonly paths?: readonly {
    readonly path: string;
    /** Null for a path where nothing is. */
    readonly kind: "file" | "folder" | null;
    /** Of files. */
    readonly sha256: string | null;
    readonly size: number | null;
  }[];
  readonly services?: readonly {
    readonly name: string;
    /** Null for a service that does not exist. */
    readonly state: string | null;
    readonly startType: string | null;
    /** Of its last end; 0 while nothing went wrong. Windows' own, or its program's where Windows says 1066. */
    readonly exitCode: number | null;
    /** Id of its process, by which two looks see that it was started again; 0 while it does not run. */
    readonly process: number | null;
    /** Last lines of its log, while it does not run. */
    readonly log: string;
  }[];
  readonly tasks?: readonly {
    readonly name: string;
    /** Null for a task that does not exist. */
    readonly enabled: boolean | null;
    /** Null while it has not run, or runs. */
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
    /** As text, several texts joined by a line feed; null for a value that does not exist. */
    readonly value: string | null;
  }[];
  readonly certificates?: readonly {
    readonly store: string;
    readonly thumbprints: readonly string[];
  }[];
  /** Routes of the active store: none or several for each destination. */
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
  readonly reboot?: { readonly reasons: readonly RebootReason[] };
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
    /** Runs in which it had to change routes since it was installed. */
    readonly repairs: number;
  };
  readonly metadata?: { readonly answers: boolean };
  readonly disk?: { readonly freeBytes: number; readonly sizeBytes: number };
}

/** The request of `observe.ps1` that carries questions. */
export interface QuestionsRequest {
  readonly questions: Questions;
  /** Prints all answers before the verdict; without it there are hashes alone, short enough for a list of many machines. */
  readonly whole?: true;
}

/** The JSON line that `observe.ps1` prints last when it was asked questions. */
export interface LookVerdict {
  readonly script: "observe";
  readonly ok: boolean;
  /** Reason why it could not look at all; everything else is missing then. */
  readonly error?: string;
  readonly bootId: string;
  /** The machine's own clock, Unix seconds. */
  readonly clock: number;
  /** `hashOf` of each group's answer. */
  readonly hashes: Partial<Readonly<Record<Group, string>>>;
  /** Groups that could not be looked at, with the machine's words. */
  readonly failed: Partial<Readonly<Record<Group, string>>>;
}

/** Characters of an answer as it travels: SSM keeps 24,000 of a command's output, and the verdict comes behind. */
const MOST_PACKED = 21_000;

const byCode = (one: string, other: string): number => (one < other ? -1 : Number(one > other));

/**
 * Writes a value in the one way that TypeScript and `observe.ps1` share: JSON would be spelled differently by each. Names
 * of fields are sorted by their codes; texts carry their length in UTF-16 units.
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
 * @throws Error when they are longer than SSM keeps
 */
export function packed(answers: Answers): string {
  const text = gzipSync(JSON.stringify(answers)).toString("base64");
  if (text.length <= MOST_PACKED) return text;
  throw new Error(`the answers have ${text.length} characters, and SSM keeps ${MOST_PACKED} of them: ask for less`);
}

/**
 * Unpacks the answers that `observe.ps1` printed before its verdict.
 * @param output all that the command printed
 * @returns undefined where there are none, or they were cut
 */
export function answersIn(output: string): Answers | undefined {
  const [line] = output.trimEnd().split(/\r?\n/).slice(-2);
  const [, text] = /^answers ([A-Za-z0-9+/=]+)$/.exec(line ?? "") ?? [];
  if (text === undefined) return undefined;
  try {
    return JSON.parse(gunzipSync(Buffer.from(text, "base64")).toString("utf8"));
  } catch {
    return undefined;
  }
}
