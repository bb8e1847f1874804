import { Duration } from "aws-cdk-lib";
import { Rule, Schedule } from "aws-cdk-lib/aws-events";
import { LambdaFunction } from "aws-cdk-lib/aws-events-targets";
import type { IFunction } from "aws-cdk-lib/aws-lambda";
import type { Queue } from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";
import type { EventRule } from "../event-rules.ts";
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

/** What wakes the second door, and where events go that could not be delivered to it. */
export class EventRules extends Construct {
  readonly undelivered: Queue;
  /** Rules that must fire by the clock. */
  readonly schedules: readonly { readonly name: string; readonly rule: Rule }[];

  constructor(scope: Construct, id: string, cluster: string, rules: readonly EventRule[], target: IFunction) {
    super(scope, id);
    this.undelivered = deadLetterQueue(this, "Undelivered");
    const made = rules.map((each) => {
      const rule = new Rule(this, each.name, {
        // The handler tells schedules apart by the end of the rule's name.
        ruleName: `casement-${cluster}-${each.name}`,
        ...trigger(each),
        targets: [
          new LambdaFunction(target, {
            deadLetterQueue: this.undelivered,
            maxEventAge: MAXIMUM_EVENT_AGE,
            retryAttempts: 4,
          }),
        ],
      });
      return { name: each.name, rule, schedule: each.schedule };
    });
    this.schedules = made.filter(({ schedule }) => schedule !== undefined);
  }
}
