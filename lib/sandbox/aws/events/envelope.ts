import type { Fact } from "../../core/bus.ts";
import type { Random } from "../../core/random.ts";
import type { Event } from "./pattern.ts";

/** Account and region from which events come. */
export interface Origin {
  readonly account: string;
  readonly region: string;
}

/** The fields that differ between events. */
export type Content = Pick<Event, "detail-type" | "source" | "resources" | "detail">;

/** Puts the envelope around an event (User Guide, "Event structure"). */
export const enveloped = (content: Content, origin: Origin, random: Random, now: number): Event => ({
  version: "0",
  id: random.uuid(),
  "detail-type": content["detail-type"],
  source: content.source,
  account: origin.account,
  time: `${new Date(now).toISOString().slice(0, 19)}Z`,
  region: origin.region,
  resources: content.resources,
  detail: content.detail,
});

const instanceArn = (origin: Origin, id: string): string =>
  `arn:aws:ec2:${origin.region}:${origin.account}:instance/${id}`;

type Of<Kind extends Fact["kind"]> = Extract<Fact, { kind: Kind }>;

/** EC2 User Guide, "State change events": only id and state, no tags. */
const stateChange = (fact: Of<"instance-state">, origin: Origin): Content => ({
  source: "aws.ec2",
  "detail-type": "EC2 Instance State-change Notification",
  resources: [instanceArn(origin, fact.instanceId)],
  detail: { "instance-id": fact.instanceId, state: fact.state },
});

/** Systems Manager User Guide, "Event examples: Run Command". */
const invocationChange = (fact: Of<"command-invocation">, origin: Origin): Content => ({
  source: "aws.ssm",
  "detail-type": "EC2 Command Invocation Status-change Notification",
  resources: [instanceArn(origin, fact.instanceId)],
  detail: {
    "command-id": fact.commandId,
    "document-name": fact.documentName,
    "instance-id": fact.instanceId,
    "requested-date-time": fact.requestedAt,
    status: fact.status,
  },
});

/** The same page; of its fields those that a simulated command has. A command's parameters are among the real ones. */
const commandChange = ({ commandId, documentName, requestedAt, status }: Of<"command">): Content => ({
  source: "aws.ssm",
  "detail-type": "EC2 Command Status-change Notification",
  resources: [],
  detail: {
    "command-id": commandId,
    "document-name": documentName,
    "requested-date-time": requestedAt,
    status,
  },
});

/** Lambda Developer Guide, "Monitoring durable functions"; without its two timestamps: no fact carries them. */
function executionChange(fact: Of<"execution">): Content {
  const [functionArn = "", name] = fact.arn.split("/durable-execution/");
  return {
    source: "aws.lambda",
    "detail-type": "Durable Execution Status Change",
    resources: [fact.arn],
    detail: {
      durableExecutionArn: fact.arn,
      durableExecutionName: name?.split("/")[0] ?? "",
      functionArn,
      status: fact.status,
    },
  };
}

/**
 * Finds the event that AWS sends about a fact of the simulator.
 * @returns undefined where AWS sends none: a reboot changes no state (EC2 User Guide, "Instance state changes")
 */
export function eventOf(fact: Fact, origin: Origin): Content | undefined {
  if (fact.kind === "instance-state") return stateChange(fact, origin);
  if (fact.kind === "command-invocation") return invocationChange(fact, origin);
  if (fact.kind === "command") return commandChange(fact);
  return fact.kind === "execution" ? executionChange(fact) : undefined;
}

/** The event of a schedule (User Guide, "Scheduled events"). */
export const scheduledEvent = (rule: string, origin: Origin): Content => ({
  source: "aws.events",
  "detail-type": "Scheduled Event",
  resources: [`arn:aws:events:${origin.region}:${origin.account}:rule/${rule}`],
  detail: {},
});
