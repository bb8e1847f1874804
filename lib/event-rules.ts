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
  readonly target: "cloud-events";
}

const target = "cloud-events";

/** What wakes the second door: the stack makes these rules, and the sandbox starts with them. */
export const rules: readonly EventRule[] = [
  {
    name: "ssm-command-finished",
    pattern: {
      source: ["aws.ssm"],
      "detail-type": ["EC2 Command Invocation Status-change Notification"],
      detail: { "document-name": [{ prefix: "casement-" }] },
    },
    target,
  },
  {
    name: "ec2-state-changed",
    pattern: { source: ["aws.ec2"], "detail-type": ["EC2 Instance State-change Notification"] },
    target,
  },
  {
    name: "spot-notice",
    pattern: {
      source: ["aws.ec2"],
      "detail-type": ["EC2 Spot Instance Interruption Warning", "EC2 Instance Rebalance Recommendation"],
    },
    target,
  },
  {
    name: "health-event",
    pattern: { source: ["aws.health"], "detail-type": ["AWS Health Event"], detail: { service: ["EC2"] } },
    target,
  },
  { name: "people", schedule: "rate(5 minutes)", target },
  { name: "sweep", schedule: "rate(15 minutes)", target },
];
