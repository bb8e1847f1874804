import type { ScheduledEvent } from "../../health/facts.ts";
import { typeThis } from "../command/syntax.ts";
import { localTime } from "../slack/age.ts";
import { code } from "../slack/text.ts";
import type { NodePlan } from "./plan.ts";

/** Events that end the machine on its host; a reboot does not prevent them (EC2 user guide, "Scheduled events"). */
const ENDS: ReadonlySet<string> = new Set(["instance-retirement", "instance-stop"]);

function eventLine({ node, pool }: NodePlan, { code: event, notBefore }: ScheduledEvent): string {
  const when = notBefore === null ? "" : ` for ${localTime(notBefore)}`;
  const next = ENDS.has(event)
    ? ` A reboot does not prevent it. Next: ${pool === null ? "" : `${typeThis("add", pool)}, then `}${typeThis("remove", node)}.`
    : "";
  return `⚠️ EC2 has scheduled ${code(event)} of the machine${when}.${next}`;
}

/** Lines on what EC2 itself says about the machine: status checks that fail, and scheduled events. */
export function instanceLines(plan: NodePlan): string[] {
  const { instance: seen } = plan;
  if (!seen) return [];
  return [
    ...(seen.system === "impaired"
      ? [
          "⚠️ EC2's status check of the host fails. A reboot keeps the machine on this host; a stop and a start in the EC2 console move it to another one.",
        ]
      : []),
    ...(seen.instance === "impaired" ? ["⚠️ EC2's status check of the instance fails: Windows does not answer."] : []),
    ...seen.events.map((event) => eventLine(plan, event)),
  ];
}
