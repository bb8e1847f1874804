import type { StepResult } from "../machine/ssm-backend.ts";

/** API reference: GetCommandInvocation shows the first 24,000 characters of output and 8,000 of errors. */
const STDOUT_CHARACTERS = 24_000;
const STDERR_CHARACTERS = 8_000;
/**
 * Marker that the agent writes where it cuts output (amazon-ssm-agent, iohandler's DefaultOutputConfig and
 * StringPrefix).
 */
const CUT = "--output truncated--";

/** Part of a step's output that is kept. */
export const stdoutOf = ({ stdout }: StepResult): string =>
  stdout.length <= STDOUT_CHARACTERS ? stdout : `${stdout.slice(0, STDOUT_CHARACTERS - CUT.length)}${CUT}`;

/** Characters of a step that a list shows: output and errors together (iohandler, MaximumPluginOutputSize). */
const LIST_CHARACTERS = 2_500;
const ERRORS = "\n----------ERROR-------\n";
const CUT_OUTPUT = "\n---Output truncated---";
const CUT_ERRORS = "\n---Error truncated----";

/** Output and errors of a step as a list shows them, cut as the agent cuts them (iohandler, TruncateOutput). */
export function listOutputOf({ stdout, stderr }: StepResult): string {
  const title = stderr === "" ? "" : ERRORS;
  const room = LIST_CHARACTERS - title.length;
  if (stdout.length + stderr.length < room) return stdout + title + stderr;
  if (stdout.length > room / 2 && stderr.length > room / 2) {
    const half = Math.floor((room - CUT_ERRORS.length - CUT_OUTPUT.length) / 2);
    return stdout.slice(0, half) + CUT_OUTPUT + title + stderr.slice(0, half) + CUT_ERRORS;
  }
  if (stdout.length < room / 2)
    return stdout + title + stderr.slice(0, room - CUT_ERRORS.length - stdout.length) + CUT_ERRORS;
  return stdout.slice(0, room - CUT_OUTPUT.length - stderr.length) + CUT_OUTPUT + title + stderr;
}

/** Part of a step's errors that is kept. */
export const stderrOf = ({ stderr }: StepResult): string => stderr.slice(0, STDERR_CHARACTERS);
