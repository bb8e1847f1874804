import { lambda, logStreams, queue, topic } from "./arns.ts";
import type { Statement } from "./statement.ts";

/** Lambda's runtime writes a function's log with the function's own role. */
export const writeOwnLog = (name: string): Statement => ({
  sid: "WriteOwnLog",
  actions: ["logs:CreateLogStream", "logs:PutLogEvents"],
  resources: [logStreams(name)],
  why: "Lambda names the streams of the function's one log group.",
});

/** Lambda sends an event that a function failed on to the dead-letter queue, with the function's own role. */
export const keepFailedEvents = (name: string): Statement => ({
  sid: "KeepFailedEvents",
  actions: ["sqs:SendMessage"],
  resources: [queue(name)],
});

/** Actions that change network interfaces: the Lambda service needs them to place a function in a VPC. */
const CHANGE_INTERFACES = [
  "ec2:CreateNetworkInterface",
  "ec2:DeleteNetworkInterface",
  "ec2:AssignPrivateIpAddresses",
  "ec2:UnassignPrivateIpAddresses",
];

/** Lambda developer guide, "Giving Lambda functions access to resources in an Amazon VPC", required permissions. */
export const plugIntoVpc: Statement = {
  sid: "PlugIntoVpc",
  actions: [...CHANGE_INTERFACES, "ec2:DescribeNetworkInterfaces", "ec2:DescribeSubnets"],
  resources: ["*"],
  why: "EC2 gives these actions no resources that are known before; the function's own code is denied the changes.",
};

/**
 * Denies a function's code all changes of network interfaces, as the same page recommends: only the Lambda service
 * needs them. Reading is not denied, because an explicit deny overrides every allow and some code must read subnets.
 */
export const leaveNetworkToLambda = (name: string): Statement => ({
  sid: "LeaveNetworkToLambda",
  effect: "Deny",
  actions: CHANGE_INTERFACES,
  resources: ["*"],
  conditions: { ArnEquals: { "lambda:SourceFunctionArn": lambda(name) } },
});

/** EventBridge publishes to the topic that notifies people, with a role of the stack. */
export const publishToPeople: Statement = { sid: "PublishToPeople", actions: ["sns:Publish"], resources: [topic] };
