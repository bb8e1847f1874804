import { registriesTask } from "./machine-paths.ts";
import type { Answers, TaskQuestion } from "./questions.ts";

/** Fault of the task that renews a machine's passwords of ECR. */
export interface RenewalFault {
  readonly kind: "failed" | "disabled" | "missing";
  /** Error of the task's last run; empty without one. */
  readonly why: string;
}

/** Question by which a machine is asked for the task. */
export const renewalQuestions: readonly TaskQuestion[] = [registriesTask];

/** Most characters of an error: the faults of fifty machines are one result of an execution. */
const MOST_WORDS = 300;

/**
 * Judges a machine's answer about its task.
 * @returns null for a task whose last run succeeded; undefined if the answer does not say so, as while the task runs
 */
export function renewalFaultIn({ tasks = [] }: Answers): RenewalFault | null | undefined {
  const task = tasks.find(({ name }) => name === registriesTask.name);
  if (!task) return undefined;
  if (task.enabled === null) return { kind: "missing", why: "" };
  if (!task.enabled) return { kind: "disabled", why: "" };
  if (task.lastResult === null) return undefined;
  return task.lastResult === 0 ? null : { kind: "failed", why: task.error.slice(0, MOST_WORDS) };
}
