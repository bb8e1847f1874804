import type { BootEvent } from "./questions.ts";

/** Cause of a boot, according to EC2 and Windows' event log. */
export type BootCause =
  /** EC2 stopped the instance and started it again. */
  | { readonly kind: "ec2-start" }
  /** The machine was not shut down before: a crash, a reset or a loss of power. */
  | { readonly kind: "unclean" }
  | { readonly kind: "windows-update" }
  /** A person or a program requested the restart; `text` is Windows' message. */
  | { readonly kind: "asked"; readonly text: string }
  /** The event log has no event about the boot. */
  | { readonly kind: "untold" }
  /** The event log was not read. */
  | { readonly kind: "unread"; readonly why: string };

/**
 * Ids of Windows events which mean that the machine was not shut down before it started: a crash, or a loss of power.
 */
const UNCLEAN = new Set([41, 6008]);

/** Id of the event that a program or a person requested the shutdown. */
const ASKED = 1074;

/** Largest distance in milliseconds between a boot and its events; updates can take half an hour of it. */
const AROUND_MS = 45 * 60_000;

/**
 * Reason codes of shutdowns (Microsoft, "System Shutdown Reason Codes"): the operating system is the major reason; a
 * service pack, hotfix or security fix is the minor one. The codes are the same in every language of Windows.
 */
const MAJOR_MASK = 0x00ff0000;
const OPERATING_SYSTEM = 0x00020000;
const MINOR_MASK = 0x0000ffff;
const UPDATES: ReadonlySet<number> = new Set([0x10, 0x11, 0x12]);

/** Matches the processes of Windows Update that restart a machine. */
const UPDATERS = /\\(?:MoUsoCoreWorker|UsoClient|MusNotification\w*|wuauclt|TrustedInstaller)\.exe/i;

function isByUpdates(text: string): boolean {
  if (UPDATERS.test(text)) return true;
  return [...text.matchAll(/0x([0-9a-f]{5,8})\b/gi)].some(([, hex = ""]) => {
    const code = Number.parseInt(hex, 16);
    return (code & MAJOR_MASK) === OPERATING_SYSTEM && UPDATES.has(code & MINOR_MASK);
  });
}

/**
 * Finds the cause of a boot in Windows' log: an event of an unclean start after the boot, else a request before it.
 * @param booted milliseconds since the epoch, by the machine's clock
 */
export function bootCause(events: readonly BootEvent[], booted: number): BootCause {
  const near = events.filter(({ at }) => Math.abs(Date.parse(at) - booted) <= AROUND_MS);
  if (near.some(({ id, at }) => UNCLEAN.has(id) && Date.parse(at) >= booted)) return { kind: "unclean" };
  const asked = near.find(({ id, at }) => id === ASKED && Date.parse(at) <= booted);
  if (!asked) return { kind: "untold" };
  return isByUpdates(asked.text) ? { kind: "windows-update" } : { kind: "asked", text: asked.text };
}
