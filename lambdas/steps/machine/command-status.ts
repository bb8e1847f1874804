import type { FailureCode } from "../../records/failures.ts";

const UNFINISHED = new Set(["Pending", "InProgress", "Delayed", "Cancelling"]);

/**
 * Does a command still run after this SSM status? Events write blanks into statuses. An unknown status means that it
 * has ended.
 */
export const isUnderWay = (status: string): boolean => UNFINISHED.has(status.replaceAll(" ", ""));

/** End of a command on one machine, as SSM's lists and its single answers show it. */
interface CommandEnd {
  /** SSM's detailed status; its single answers write blanks into it. */
  readonly status: string;
  readonly exitCode: number | undefined;
  /** Error output of the script, or of the agent in its place. */
  readonly errors: string;
}

/** Statuses of a command that no agent took (SSM user guide, "Understanding command statuses"). */
const UNDELIVERED: ReadonlySet<string> = new Set(["DeliveryTimedOut", "Undeliverable"]);

/** Exit code of a script that PowerShell runs with half of its language (scripts/shared/session.ps1). */
const RESTRICTED = 90;

/** Type of the error with which PowerShell refuses to load a script by a policy; unlike its words it is never translated. */
const NOT_LOADED = "PSSecurityException";

/**
 * Words that the SSM agent writes where a command's output belongs, as the worker that ran the command crashed. The agent has no
 * code for it and speaks English on every machine (amazon-ssm-agent, agent/framework/processor/executer/outofproc/executer.go).
 */
const WORKER_CRASHED = "document process failed unexpectedly";

/** Names the end of a command that did not give its result. */
export function codeOfCommand({ status, exitCode, errors }: CommandEnd): FailureCode {
  if (UNDELIVERED.has(status.replaceAll(" ", ""))) return "command-undelivered";
  if (exitCode === RESTRICTED || errors.includes(NOT_LOADED)) return "powershell-restricted";
  if (errors.includes(WORKER_CRASHED)) return "agent-broken";
  return status === "Success" ? "result-missing" : "command-failed";
}

/** Codes of ends after which the machine may have run the script. */
const LOST: ReadonlySet<FailureCode> = new Set<FailureCode>(["command-undelivered", "result-missing"]);

/** May the machine have run a script that ended so? SSM loses answers of agents (aws/amazon-ssm-agent, issue 316). */
export const mayHaveRun = (code: FailureCode): boolean => LOST.has(code);

/** Has no agent taken the command by this status, as far as SSM knows (SSM user guide, "Understanding command statuses")? */
export const isUntaken = (status: string): boolean => status === "Pending" || status === "Delayed";
