import type { AuditEntry } from "../../lambdas/audit/entry.ts";
import {
  type MeasureName,
  type Measures,
  type measuredWorkflows,
  measureNames,
} from "../../lib/calibration/measures.ts";
import type { Scene } from "./scene.ts";

const stageOf = ({ what, detail }: AuditEntry): string | undefined =>
  what === "started" && typeof detail?.stage === "string" ? detail.stage : undefined;

/**
 * Computes the times of the stages of one node from the entries of its audit.
 * @param end ISO 8601: end of the last stage
 */
export function stageTimes(
  workflow: (typeof measuredWorkflows)[number],
  entries: readonly AuditEntry[],
  end: string,
): Measures {
  const begun = entries
    .flatMap((entry) => ({ at: entry.at, stage: stageOf(entry) }))
    .filter(({ stage }) => stage !== undefined)
    .toSorted((one, other) => one.at.localeCompare(other.at));
  const times = new Map<MeasureName, number>();
  for (const [place, { at, stage }] of begun.entries()) {
    const name = measureNames.find((one) => one === `${workflow}.${stage}`);
    const seconds = (Date.parse(begun[place + 1]?.at ?? end) - Date.parse(at)) / 1_000;
    if (name) times.set(name, Math.round(((times.get(name) ?? 0) + seconds) * 10) / 10);
  }
  return Object.fromEntries(times);
}

/** Reads the stages' times of an ended operation on one node. */
export async function readStageTimes(
  { audit, ledger }: Scene,
  workflow: (typeof measuredWorkflows)[number],
  operation: string,
): Promise<Measures> {
  const [own, ofNode, nodes, record] = await Promise.all([
    audit.entries({ operation }),
    audit.entries({ operation, index: 0 }),
    ledger.nodes(operation),
    ledger.operation(operation),
  ]);
  return stageTimes(workflow, [...own, ...ofNode], nodes[0]?.endedAt ?? record?.endedAt ?? "");
}
