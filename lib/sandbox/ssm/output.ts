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

/** Part of a step's errors that is kept. */
export const stderrOf = ({ stderr }: StepResult): string => stderr.slice(0, STDERR_CHARACTERS);
