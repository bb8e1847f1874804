import type { RebootReason } from "../../machine/questions.ts";
import type { RebootDue } from "../../machine/seen-machine.ts";
import { between } from "../slack/age.ts";

const words: Readonly<Record<RebootReason, string>> = {
  servicing: "a Windows feature or update",
  "windows-update": "Windows Update",
  "file-renames": "files to be replaced at the next boot",
  "computer-name": "a new computer name",
};

/** Short words for the column of the list. */
const short: Readonly<Record<RebootReason, string>> = {
  servicing: "servicing",
  "windows-update": "update",
  "file-renames": "files",
  "computer-name": "name",
};

/** Reasons for which Windows waits for a reboot, in words. */
export const reasonWords = (reasons: readonly RebootReason[]): string =>
  reasons.map((reason) => words[reason]).join(", ");

/** kubectl's word for what is not known. */
const UNKNOWN = "<unknown>";

/** Cell of the column: the reasons' short words, nothing where no reboot is due, `<unknown>` where that is not known. */
export function dueCell(due: RebootDue | undefined): string {
  if (due?.state === "due") return due.reasons.map((reason) => short[reason]).join(",");
  return due?.state === "not-due" ? "" : UNKNOWN;
}

/** Has a node something that the column would show? A node that no look has seen yet has nothing. */
export const isShown = (due: RebootDue | undefined): boolean =>
  due?.state === "due" || (due?.state === "unknown" && due.seenAt !== null);

/**
 * Says whether a reboot is due, why and since when, as one fact of a node.
 * @param now ISO 8601
 */
export function dueFact(due: RebootDue | undefined, now: string): string {
  if (due === undefined || due.state === "unknown")
    return due?.seenAt ? `not checked since ${between(due.seenAt, now)}` : "not checked";
  const seen = `checked ${between(due.seenAt, now)} ago`;
  return due.state === "due" ? `${reasonWords(due.reasons)}; since ${between(due.since, now)}, ${seen}` : `no, ${seen}`;
}
