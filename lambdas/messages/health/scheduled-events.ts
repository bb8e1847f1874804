import type { ScheduledEvent } from "../../health/facts.ts";
import { typeThis } from "../command/syntax.ts";
import { localTime } from "../slack/age.ts";
import { sign } from "../slack/signs.ts";
import { code } from "../slack/text.ts";

/** Events that end the machine on its host; a reboot does not prevent them (EC2 user guide, "Scheduled events"). */
const ENDS: ReadonlySet<string> = new Set(["instance-retirement", "instance-stop"]);

/** Node for which EC2 has scheduled an event. */
export interface ScheduledFor {
  readonly node: string;
  /** Null if its pool is not known. */
  readonly pool: string | null;
}

/** Tells an event that EC2 has scheduled, with its time and what to do before it. */
export function scheduledEventLine({ node, pool }: ScheduledFor, { code: event, notBefore }: ScheduledEvent): string {
  const when = notBefore === null ? "" : ` for ${localTime(notBefore)}`;
  const next = ENDS.has(event)
    ? ` A reboot does not prevent it. Next: ${pool === null ? "" : `${typeThis("add", pool)}, then `}${typeThis("remove", node)}.`
    : "";
  return `${sign.warning} EC2 has scheduled ${code(event)} of the machine${when}.${next}`;
}
