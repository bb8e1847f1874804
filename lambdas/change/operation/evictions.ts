import { type AuditedTask, auditNode } from "./audit.ts";
import { workRecord } from "./work-record.ts";

/** Reads how many evictions of a node's work the API server has accepted; undefined before the first. Belongs into a step or a poll. */
export const evictedBy = async (task: AuditedTask): Promise<number | undefined> =>
  (await workRecord(task.steps, task))?.evicted;

/**
 * Writes into the audit how many pods were evicted. Belongs into a step.
 * @param otherwise number for a drain of the last release, which does not count; without it, nothing is written for none
 */
export async function auditEviction(task: AuditedTask, otherwise?: number): Promise<void> {
  const pods = (await evictedBy(task)) ?? otherwise;
  if (pods !== undefined) await auditNode(task, "evicted", { what: "evicted", detail: { pods } });
}
