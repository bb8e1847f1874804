import type { AgentCount } from "./facts.ts";

/** Last report of an SSM agent, as Systems Manager has it. */
export interface AgentReport {
  readonly online: boolean;
  /** ISO 8601; null for an agent that never reported. */
  readonly lastPingAt: string | null;
}

/**
 * Milliseconds after which two reports of an agent are missing: it reports every five minutes (amazon-ssm-agent,
 * DefaultSsmHealthFrequencyMinutes). SSM's own "online" may be half an hour old.
 */
const SILENT_AFTER_MS = 11 * 60_000;

/**
 * Judges whether an agent has stopped reporting, so that no command reaches its machine.
 * @param report undefined for an agent that never registered
 * @param now milliseconds since the epoch
 */
export const isReportOverdue = (report: AgentReport | undefined, now: number): boolean =>
  !report?.online || report.lastPingAt === null || now - Date.parse(report.lastPingAt) > SILENT_AFTER_MS;

/** Counts the silent agents of machines. @param now milliseconds since the epoch */
export const agentCount = (
  instanceIds: readonly string[],
  reports: ReadonlyMap<string, AgentReport>,
  now: number,
): AgentCount => ({
  silent: instanceIds.filter((id) => isReportOverdue(reports.get(id), now)).length,
  of: instanceIds.length,
});
