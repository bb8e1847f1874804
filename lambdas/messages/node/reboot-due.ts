import type { RebootReason } from "../../machine/questions.ts";
import type { ChronicReasons, RebootDue } from "../../machine/reboot-due.ts";
import { between } from "../slack/age.ts";
import { code } from "../slack/text.ts";

const words: Readonly<Record<RebootReason, string>> = {
  servicing: "a Windows feature or update",
  "windows-update": "Windows Update",
  "file-renames": "files to be replaced at the next boot",
  "computer-name": "a new computer name",
  proxy: "the proxy, written but not in force",
};

/** Short words for the column of the list. */
const short: Readonly<Record<RebootReason, string>> = {
  servicing: "servicing",
  "windows-update": "update",
  "file-renames": "files",
  "computer-name": "name",
  proxy: "proxy",
};

/** Reasons why Windows waits for a reboot, in words. */
export const reasonWords = (reasons: readonly RebootReason[]): string =>
  reasons.map((reason) => words[reason]).join(", ");

/** Sentences on reasons that the last reboot did not end. @param now ISO 8601 */
export function chronicWords({ reasons, rebootedAt, file }: ChronicReasons, now: string): string {
  const when = rebootedAt === null ? "The last reboot" : `The reboot ${between(rebootedAt, now)} ago`;
  const first = file !== null && reasons.includes("file-renames") ? ` The first file is ${code(file)}.` : "";
  return `${when} did not end this (${reasonWords(reasons)}): a program asks for it again, and another reboot is no cure.${first} Next: find that program and update or remove it.`;
}

/** kubectl's spelling of an unknown value. */
const UNKNOWN = "<unknown>";

/**
 * Cell of the column: the reasons in short words, empty if no reboot is due, `<unknown>` if the machine was not
 * checked.
 */
export function dueCell(due: RebootDue | undefined): string {
  if (due?.state === "due")
    return due.reasons.map((one) => `${short[one]}${due.chronic?.reasons.includes(one) ? " (again)" : ""}`).join(",");
  return due?.state === "not-due" ? "" : UNKNOWN;
}

/** Is there something to show in the column? Not for a node that was never checked. */
export const isShown = (due: RebootDue | undefined): boolean =>
  due?.state === "due" || (due?.state === "unknown" && due.seenAt !== null);

/**
 * One fact of a node: is a reboot due, why and since when.
 * @param now ISO 8601
 */
export function dueFact(due: RebootDue | undefined, now: string): string {
  if (due === undefined || due.state === "unknown")
    return due?.seenAt ? `not checked since ${between(due.seenAt, now)}` : "not checked";
  const seen = `checked ${between(due.seenAt, now)} ago`;
  if (due.state === "not-due") return `no, ${seen}`;
  const again = due.chronic ? `; not ended by the last reboot: ${reasonWords(due.chronic.reasons)}` : "";
  return `${reasonWords(due.reasons)}; since ${between(due.since, now)}, ${seen}${again}`;
}
