import { Duration } from "aws-cdk-lib";
import { EventField, type IRuleTarget, Rule, RuleTargetInput, Schedule } from "aws-cdk-lib/aws-events";
import { LambdaFunction, SnsTopic, type TargetBaseProps } from "aws-cdk-lib/aws-events-targets";
import { Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import type { IKey } from "aws-cdk-lib/aws-kms";
import type { IFunction } from "aws-cdk-lib/aws-lambda";
import type { ITopic } from "aws-cdk-lib/aws-sns";
import { Queue } from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";
import { ruleName } from "../../lambdas/capabilities/schedules.ts";
import { type EventRule, type RuleTarget, rulesOf } from "../event-rules.ts";
import type { ResourceStatement, Statement } from "../statement.ts";
import { deadLetterQueue } from "./dead-letters.ts";
import { permissionsPolicy, resourceStatement } from "./permissions-policy.ts";

/** EventBridge drops an older event: the waiting workflow has polled in the meantime. */
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

/** The cluster of the rules, and the targets that the rules call. */
export interface EventRulesProps {
  readonly cluster: string;
  readonly cloudEvents: IFunction;
  readonly topic: ITopic;
  /** The customer's key, if one is configured. */
  readonly key: IKey | undefined;
}

/** Rules that wake the event handler or notify people, with a queue for the events that EventBridge cannot deliver. */
export class EventRules extends Construct {
  readonly undelivered: Queue;
  /** Role with which rules publish to the topic: a topic policy cannot restrict EventBridge to one rule or account. */
  readonly publisher: Role;
  /** Rules that run on a schedule. */
  readonly schedules: readonly { readonly name: string; readonly rule: Rule }[];

  constructor(scope: Construct, id: string, { cluster, cloudEvents, topic, key }: EventRulesProps) {
    super(scope, id);
    this.undelivered = deadLetterQueue(this, "Undelivered", key);
    this.publisher = new Role(this, "Publisher", { assumedBy: new ServicePrincipal("events.amazonaws.com") });
    const delivery: TargetBaseProps = {
      // Referred to by its ARN, so that the target adds nothing to its policy, which comes from the reviewed list.
      deadLetterQueue: Queue.fromQueueArn(this, "UndeliveredByArn", this.undelivered.queueArn),
      maxEventAge: MAXIMUM_EVENT_AGE,
      retryAttempts: 4,
    };
    const targets: Readonly<Record<RuleTarget, IRuleTarget>> = {
      "cloud-events": new LambdaFunction(cloudEvents, delivery),
      "human-topic": new SnsTopic(topic, {
        ...delivery,
        message: RuleTargetInput.fromText(EventField.fromPath("$.detail.message")),
        role: this.publisher.withoutPolicyUpdates(),
      }),
    };
    const made = rulesOf(cluster).map((each) => {
      // The handler tells schedules apart by the rule's name.
      const named = { ruleName: ruleName(cluster, each.name) };
      const rule = new Rule(this, each.name, { ...named, ...trigger(each), targets: [targets[each.target]] });
      return { name: each.name, rule, schedule: each.schedule };
    });
    this.schedules = made.filter(({ schedule }) => schedule !== undefined);
  }

  /** Grants the publisher its permissions, and gives the queue of undelivered events its policy. */
  permit(publisher: readonly Statement[], undelivered: readonly ResourceStatement[]): void {
    permissionsPolicy(this, this.publisher, publisher);
    for (const statement of undelivered) this.undelivered.addToResourcePolicy(resourceStatement(statement));
  }
}
