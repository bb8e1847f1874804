import { scheduledEventLine } from "../health/scheduled-events.ts";
import { sign } from "../slack/signs.ts";
import { code, some } from "../slack/text.ts";
import type { InstanceSeen, NodePlan } from "./plan.ts";

/**
 * Can a reboot through EC2 not be proven, because the agent has no credentials before and after it? A machine whose agent
 * answers without a profile has them from Systems Manager's default host management.
 */
export const lacksProfile = ({
  throughEc2,
  instance,
}: Pick<NodePlan, "throughEc2"> & { readonly instance?: Pick<InstanceSeen, "hasProfile"> }): boolean =>
  throughEc2 !== undefined && instance?.hasProfile === false;

/** Most nodes that a line names. */
const MOST = 12;

/** Line on a reboot that cannot be proven for want of an instance profile. @param nodes named in it; none for the plan's only node */
export function noProfileLine(nodes: readonly string[] = []): string {
  const whose = nodes.length === 0 ? "" : ` of ${some(nodes.map(code), MOST)}`;
  const words =
    nodes.length > 1
      ? `instances${whose} have no instance profile: after the reboot their SSM agents stay silent`
      : `instance${whose} has no instance profile: after the reboot its SSM agent stays silent`;
  return `${sign.blocked} The ${words}, and the proof cannot pass. Next: attach the pool's profile in the EC2 console (*Actions*, *Security*, *Modify IAM role*).`;
}

/** Lines on what EC2 itself says about the machine: status checks that fail, and scheduled events. */
export function instanceLines(plan: NodePlan): string[] {
  const { instance: seen } = plan;
  if (!seen) return [];
  return [
    ...(lacksProfile(plan) ? [noProfileLine()] : []),
    ...(seen.system === "impaired"
      ? [
          `${sign.warning} EC2's status check of the host fails. A reboot keeps the machine on this host; a stop and a start in the EC2 console move it to another one.`,
        ]
      : []),
    ...(seen.volumes === "impaired"
      ? [
          `${sign.warning} EC2's check of the attached volumes fails: one of its volumes does not answer, the root volume or a pod's. A reboot may not end while it does not.`,
        ]
      : []),
    ...(seen.instance === "impaired"
      ? [`${sign.warning} EC2's status check of the instance fails: Windows does not answer.`]
      : []),
    ...seen.events.map((event) => scheduledEventLine(plan, event)),
  ];
}
