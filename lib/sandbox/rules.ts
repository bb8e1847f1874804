/** EventBridge rules that the sandbox starts with: the same events wake the same function in the stack. */
export const rules = [
  {
    name: "ssm-command-finished",
    pattern: {
      source: ["aws.ssm"],
      "detail-type": ["EC2 Command Invocation Status-change Notification"],
      detail: { "document-name": [{ prefix: "casement-" }] },
    },
    target: "cloud-events",
  },
  {
    name: "ec2-state-changed",
    pattern: { source: ["aws.ec2"], "detail-type": ["EC2 Instance State-change Notification"] },
    target: "cloud-events",
  },
  { name: "sweep", schedule: "rate(15 minutes)", target: "cloud-events" },
] as const;
