import { createHash } from "node:crypto";
import { expect } from "vitest";
import type { Action } from "../../lambdas/machine/plan.ts";
import type { Answers } from "../../lambdas/machine/questions.ts";
import type { FailureCode } from "../../lambdas/records/failures.ts";
import type { Renewal } from "./renewal.ts";
import type { Machine } from "./windows.ts";

/** One request to a machine with its expected result, under PowerShell and on the simulated machine. */
export interface MachineCase {
  readonly name: string;
  readonly script: "apply" | "guard" | "observe" | "reboot" | "registries" | "route";
  /** In addition to a fresh machine's state. */
  readonly before?: Partial<Machine>;
  /** Text by path; their folders are created. */
  readonly files?: Readonly<Record<string, string>>;
  readonly folders?: readonly string[];
  /** Versions of secrets by name, oldest first; the machine's role may read them. */
  readonly secrets?: Readonly<Record<string, readonly { readonly version: string; readonly text: string }[]>>;
  /** Folders that are links. */
  readonly links?: readonly string[];
  /** Programs that a process holds. */
  readonly held?: readonly string[];
  /** Another command of Casement is running on the machine. */
  readonly busy?: boolean;
  /** No record can be written: the disk is full. */
  readonly full?: boolean;
  /** Wishes of plans to the task that renews passwords of ECR. */
  readonly renewal?: Renewal;
  /** ECR's answer when it is asked for a password. */
  readonly registryRefusal?: { readonly code: string; readonly message: string };
  /** Request for the script; tasks get none. @param now Unix seconds */
  readonly request?: (now: number) => object;
  /** Named arguments of a task, beside its record's path. */
  readonly arguments?: Readonly<Record<string, number>>;
  readonly exitCode: number;
  /** Expected object in the last line; process ids are written as N. */
  readonly result?: object;
  /** Expected answers of observe.ps1 in the line before the last, by group; null for no such line. */
  readonly answers?: Answers | null;
  /** Expected state of the machine, in the form of `before`. */
  readonly after?: object;
  /** Expected text by path, null for none; a pattern where the text contains a time. */
  readonly left?: Readonly<Record<string, string | RegExp | null>>;
  /** Expected events, in order. */
  readonly events?: readonly { readonly id: number; readonly text: string | RegExp }[];
  /** Further check of the machine afterwards. */
  readonly check?: (machine: Machine) => void;
  /** A second request must find everything unchanged. */
  readonly settles?: boolean;
}

export const GUARD = "C:\\Casement\\guard.ps1";
export const GUARD_RECORD = "C:\\Casement\\guard.json";
export const MARKER = "C:\\Casement\\reboot.json";

export const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");
export const base64 = (text: string): string => Buffer.from(text).toString("base64");

/** A plan of these actions, in time. */
export const planOf =
  (...actions: readonly object[]) =>
  (now: number): object => ({ plan: { format: 2, operation: "add-1", notAfter: now + 600, madeAt: now, actions } });

/** A file with its content in the plan. */
export const inline = (path: string, text: string, access: "system" | "inherited" = "inherited"): Action => ({
  do: "file",
  path,
  source: { from: "inline", base64: base64(text) },
  sha256: sha256(text),
  access,
});

/** The arguments of a scheduled task that runs a script of Casement. */
export const taskArguments = (script: string, ...words: readonly string[]): string =>
  ["-NoProfile -NonInteractive -ExecutionPolicy Bypass -File", script, ...words].join(" ");

/** The result of a success with these changes. */
export const changed = (...words: readonly string[]): object => ({
  script: "apply",
  ok: true,
  failed: null,
  changed: words,
});

/** The result of a failure at this action. */
export const failed = (action: string, error: unknown, code?: FailureCode): object => ({
  script: "apply",
  ok: false,
  failed: { action, error, ...(code === undefined ? {} : { code }) },
});

/** A text that matches. */
export const text = (pattern: RegExp): unknown => expect.stringMatching(pattern);
