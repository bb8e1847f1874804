import { Duration } from "aws-cdk-lib";
import { EventField, type IRuleTarget, Rule, RuleTargetInput, Schedule } from "aws-cdk-lib/aws-events";
import { LambdaFunction, SnsTopic, type TargetBaseProps } from "aws-cdk-lib/aws-events-targets";
import { type IRole, Policy, PolicyStatement, Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import type { IFunction } from "aws-cdk-lib/aws-lambda";
import type { ITopic } from "aws-cdk-lib/aws-sns";
import type { Queue } from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";
import { type EventRule, type RuleTarget, rulesOf } from "../event-rules.ts";
import { deadLetterQueue } from "./dead-letters.ts";

/** A hint that is older than this hints at nothing: whoever waits has looked for himself. */
const MAXIMUM_EVENT_AGE = Duration.minutes(15);

const trigger = ({ schedule, pattern }: EventRule) => ({
  ...(schedule ? { schedule: Schedule.expression(schedule) } : {}),
  ...(pattern
    ? {
        eventPattern: {
          source: [...pattern.source],
          detailType: [...pattern["detail-type"]],
          ...(pattern.detail ? { detail: pattern.detail } : {}),
        },
      }
    : {}),
});

/** Whose rules, and what they call. */
export interface EventRulesProps {
  readonly cluster: string;
  readonly cloudEvents: IFunction;
  readonly topic: ITopic;
}

/** What wakes the second door and what reaches people, and where events go that could not be delivered. */
export class EventRules extends Construct {
  readonly undelivered: Queue;
  /** Rules that must fire by the clock. */
  readonly schedules: readonly { readonly name: string; readonly rule: Rule }[];

  constructor(scope: Construct, id: string, { cluster, cloudEvents, topic }: EventRulesProps) {
    super(scope, id);
    this.undelivered = deadLetterQueue(this, "Undelivered");
    const delivery: TargetBaseProps = {
      deadLetterQueue: this.undelivered,
      maxEventAge: MAXIMUM_EVENT_AGE,
      retryAttempts: 4,
    };
    const targets: Readonly<Record<RuleTarget, IRuleTarget>> = {
      "cloud-events": new LambdaFunction(cloudEvents, delivery),
      "human-topic": new SnsTopic(topic, {
        ...delivery,
        message: RuleTargetInput.fromText(EventField.fromPath("$.detail.message")),
        role: this.#publisher(topic),
      }),
    };
    const made = rulesOf(cluster).map((each) => {
      // The handler tells schedules apart by the end of the rule's name.
      const ruleName = `casement-${cluster}-${each.name}`;
      const rule = new Rule(this, each.name, { ruleName, ...trigger(each), targets: [targets[each.target]] });
      return { name: each.name, rule, schedule: each.schedule };
    });
    this.schedules = made.filter(({ schedule }) => schedule !== undefined);
  }

  /** A role of our account's: in a topic's policy EventBridge could be held to no rule, so to no account either. */
  #publisher(topic: ITopic): IRole {
    const role = new Role(this, "Publisher", { assumedBy: new ServicePrincipal("events.amazonaws.com") });
    const publish = new PolicyStatement({
      sid: "PublishToPeople",
      actions: ["sns:Publish"],
      resources: [topic.topicArn],
    });
    new Policy(this, "Publish", { statements: [publish], roles: [role] });
    return role.withoutPolicyUpdates();
  }
}
