import { schedules } from "../lambdas/capabilities/schedules.ts";
import { HUMAN_ACTION_REQUIRED, sourceOf } from "../lambdas/messages/operation/escalations.ts";
import { documentScripts } from "../lambdas/scripts/documents.ts";

/** Targets of a rule: the event handler, or the topic that notifies people without Slack. */
export type RuleTarget = "cloud-events" | "human-topic";

/** A rule of EventBridge's default bus, by pattern or by schedule. */
export interface EventRule {
  readonly name: string;
  readonly pattern?: {
    readonly source: readonly string[];
    readonly "detail-type": readonly string[];
    readonly detail?: Readonly<Record<string, readonly (string | Readonly<Record<string, string>>)[]>>;
  };
  /** rate(…) or cron(…) in UTC. */
  readonly schedule?: string;
  readonly target: RuleTarget;
}

const target = "cloud-events";

// One prefix for each script: "casement-west-" would also match the documents of the cluster "west-2".
const ofOurScripts = (cluster: string) =>
  documentScripts.map((script) => ({ prefix: `casement-${cluster}-${script}-` }));

/**
 * Statuses of a command that ended on all its machines (SSM user guide, "Understanding command statuses"), as events spell
 * them.
 */
const COMMAND_ENDS = ["Success", "Failed", "Cancelled", "TimedOut", "Timed Out", "Delivery Timed Out", "Incomplete"];

/**
 * Rules that wake the event handler or notify people: the stack creates them, and the sandbox starts with them.
 * @param cluster the rules' cluster: several clusters may share an account and so its bus
 */
export const rulesOf = (cluster: string): readonly EventRule[] => [
  {
    name: "ssm-command-finished",
    pattern: {
      source: ["aws.ssm"],
      "detail-type": ["EC2 Command Invocation Status-change Notification"],
      detail: { "document-name": ofOurScripts(cluster) },
    },
    target,
  },
  {
    name: "ssm-fleet-finished",
    pattern: {
      source: ["aws.ssm"],
      "detail-type": ["EC2 Command Status-change Notification"],
      detail: { "document-name": ofOurScripts(cluster), status: COMMAND_ENDS },
    },
    target,
  },
  {
    name: "ec2-state-changed",
    pattern: { source: ["aws.ec2"], "detail-type": ["EC2 Instance State-change Notification"] },
    target,
  },
  {
    name: "needs-a-human",
    pattern: { source: [sourceOf(cluster)], "detail-type": [HUMAN_ACTION_REQUIRED] },
    target: "human-topic",
  },
  ...schedules.map(({ name, every }): EventRule => ({ name, schedule: `rate(${every})`, target })),
];
