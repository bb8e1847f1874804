import { createHash } from "node:crypto";
import { expect } from "vitest";
import type { Action } from "../../lambdas/desired/plan.ts";
import type { Machine } from "./windows.ts";

/** One thing that a machine is asked to do, and what must come of it: under PowerShell and on the simulated machine. */
export interface MachineCase {
  readonly name: string;
  readonly script: "apply" | "guard" | "reboot";
  /** Beside what a fresh machine has. */
  readonly before?: Partial<Machine>;
  /** Text by path; folders are made for them. */
  readonly files?: Readonly<Record<string, string>>;
  readonly folders?: readonly string[];
  /** Folders that are links to another place. */
  readonly links?: readonly string[];
  /** Programs that a process holds. */
  readonly held?: readonly string[];
  /** Another of our commands runs on the machine. */
  readonly busy?: boolean;
  /** No record can be written: the disk is full. */
  readonly full?: boolean;
  /** Request that the script is sent; the guard is sent none. @param now Unix seconds */
  readonly request?: (now: number) => object;
  /** Named arguments of the guard beside its record's. */
  readonly arguments?: Readonly<Record<string, number>>;
  readonly exitCode: number;
  /** Object that its last line must match; numbers of processes are written as N. */
  readonly result?: object;
  /** State that the machine must match afterwards, in the form of `before`. */
  readonly after?: object;
  /** Text by path, null for none; a pattern where the text holds a time. */
  readonly left?: Readonly<Record<string, string | RegExp | null>>;
  /** Events that were written, in their order. */
  readonly events?: readonly { readonly id: number; readonly text: string | RegExp }[];
  /** Further check of the machine afterwards. */
  readonly check?: (machine: Machine) => void;
  /** Sent once more, it must find everything unchanged. */
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

/** A file whose content travels in the plan. */
export const inline = (path: string, text: string, access: "system" | "inherited" = "inherited"): Action => ({
  do: "file",
  path,
  source: { from: "inline", base64: base64(text) },
  sha256: sha256(text),
  access,
});

/** The arguments of a scheduled task that runs one of our scripts. */
export const taskArguments = (script: string, ...words: readonly string[]): string =>
  ["-NoProfile -NonInteractive -ExecutionPolicy Bypass -File", script, ...words].join(" ");

/** Everything went well, and this was changed. */
export const changed = (...words: readonly string[]): object => ({
  script: "apply",
  ok: true,
  failed: null,
  changed: words,
});

/** It stopped at this action. */
export const failed = (action: string, error: unknown): object => ({
  script: "apply",
  ok: false,
  failed: { action, error },
});

/** A text that matches. */
export const text = (pattern: RegExp): unknown => expect.stringMatching(pattern);
