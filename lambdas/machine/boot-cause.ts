import type { BootEvent } from "./questions.ts";

/** Cause of a boot, as far as EC2 and Windows' event log tell. */
export type BootCause =
  /** EC2 stopped the instance and started it again. */
  | { readonly kind: "ec2-start" }
  /** It was not shut down before: a crash, a reset or a loss of power. */
  | { readonly kind: "unclean" }
  | { readonly kind: "windows-update" }
  /** The request for the restart, in Windows' words. */
  | { readonly kind: "asked"; readonly text: string }
  /** The event log says nothing about it. */
  | { readonly kind: "untold" }
  /** The event log was not read. */
  | { readonly kind: "unread"; readonly why: string };

/** Events of Windows that mean that the machine was not shut down before it started: a crash, or a loss of power. */
const UNCLEAN = new Set([41, 6008]);

/** A program or a person asked for the shutdown. */
const ASKED = 1074;

/** Events about a boot are written at most this long before or after it; updates take half an hour of it. */
const AROUND_MS = 45 * 60_000;

/**
 * Reason codes of shutdowns (Microsoft, "System Shutdown Reason Codes"): the operating system as the major reason; a service pack,
 * hotfix or security fix as the minor one. The code is the same in every language of Windows.
 */
const MAJOR_MASK = 0x00ff0000;
const OPERATING_SYSTEM = 0x00020000;
const MINOR_MASK = 0x0000ffff;
const UPDATES: ReadonlySet<number> = new Set([0x10, 0x11, 0x12]);

/** Processes of Windows Update that restart a machine. */
const UPDATERS = /\\(?:MoUsoCoreWorker|UsoClient|MusNotification\w*|wuauclt|TrustedInstaller)\.exe/i;

function isByUpdates(text: string): boolean {
  if (UPDATERS.test(text)) return true;
  return [...text.matchAll(/0x([0-9a-f]{5,8})\b/gi)].some(([, hex = ""]) => {
    const code = Number.parseInt(hex, 16);
    return (code & MAJOR_MASK) === OPERATING_SYSTEM && UPDATES.has(code & MINOR_MASK);
  });
}

/**
 * Finds the cause of a boot by Windows' own log: the newest event of an unclean start, else the request that came before.
 * @param booted milliseconds since the epoch, by the machine's clock
 */
export function bootCause(events: readonly BootEvent[], booted: number): BootCause {
  const near = events.filter(({ at }) => Math.abs(Date.parse(at) - booted) <= AROUND_MS);
  if (near.some(({ id, at }) => UNCLEAN.has(id) && Date.parse(at) >= booted)) return { kind: "unclean" };
  const asked = near.find(({ id, at }) => id === ASKED && Date.parse(at) <= booted);
  if (!asked) return { kind: "untold" };
  return isByUpdates(asked.text) ? { kind: "windows-update" } : { kind: "asked", text: asked.text };
}
