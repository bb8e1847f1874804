import { Duration } from "aws-cdk-lib";
import {
  type Alarm,
  ComparisonOperator,
  type IMetric,
  TreatMissingData,
  Alarm as Watch,
} from "aws-cdk-lib/aws-cloudwatch";
import { SnsAction } from "aws-cdk-lib/aws-cloudwatch-actions";
import type { ITopic } from "aws-cdk-lib/aws-sns";
import { Construct } from "constructs";
import type { EventRules } from "./event-rules.ts";
import type { HandlerFunction } from "./handler-function.ts";
import { lambdaCount, ruleInvocations, total } from "./metrics.ts";

/** What is watched. */
export interface AlarmsProps {
  readonly topic: ITopic;
  readonly frontDoor: HandlerFunction;
  readonly cloudEvents: HandlerFunction;
  /** Name → durable function. */
  readonly workflows: Readonly<Record<string, HandlerFunction>>;
  readonly rules: EventRules;
}

interface Trouble {
  readonly id: string;
  /** One sentence for whoever is woken at night. */
  readonly what: string;
  /** Heading of docs/runbook.md, as an anchor. */
  readonly runbook: string;
  readonly metric: IMetric;
}

/** Every alarm; none of them needs Slack, the bot itself or the cluster to work. */
export class Alarms extends Construct {
  readonly all: readonly Alarm[];

  constructor(scope: Construct, id: string, props: AlarmsProps) {
    super(scope, id);
    const counted = troubles(props).map((trouble) => this.#above(trouble));
    const silent = props.rules.schedules.map(({ name, rule }) => this.#silent(name, rule.ruleName));
    this.all = [...counted, ...silent];
    for (const alarm of this.all) alarm.addAlarmAction(new SnsAction(props.topic));
  }

  /** One is too many. */
  #above({ id, what, runbook, metric }: Trouble): Alarm {
    return new Watch(this, id, {
      metric,
      alarmDescription: `${what} See docs/runbook.md#${runbook}`,
      threshold: 1,
      evaluationPeriods: 1,
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      treatMissingData: TreatMissingData.NOT_BREACHING,
    });
  }

  /** A schedule that is not heard of for an hour has stopped: no data is the alarm. */
  #silent(name: string, ruleName: string): Alarm {
    return new Watch(this, `${name} has not run`, {
      metric: ruleInvocations(ruleName, Duration.hours(1)),
      alarmDescription: `The schedule ${name} has not run for an hour. See docs/runbook.md#a-schedule-has-not-run`,
      threshold: 1,
      evaluationPeriods: 1,
      comparisonOperator: ComparisonOperator.LESS_THAN_THRESHOLD,
      treatMissingData: TreatMissingData.BREACHING,
    });
  }
}

function troubles({ frontDoor, cloudEvents, workflows, rules }: AlarmsProps): Trouble[] {
  const functions = { "front-door": frontDoor, "cloud-events": cloudEvents, ...workflows };
  const each = (metric: string, of: Readonly<Record<string, HandlerFunction>>): IMetric[] =>
    Object.entries(of).map(([name, { lambda }]) => lambdaCount(metric, lambda.functionName, name));
  const queues = Object.values(functions).flatMap(({ deadLetters }) => deadLetters ?? []);
  const letters = [...queues, rules.undelivered].map((queue) => queue.metricApproximateNumberOfMessagesVisible());
  return [
    {
      id: "Failed executions",
      what: "A workflow ended by a bug: its operation may have left a node or a machine half done.",
      runbook: "failed-executions",
      metric: total("failed", each("DurableExecutionFailed", workflows)),
    },
    {
      id: "Timed-out executions",
      what: "A workflow ran out of time: nothing was put back, the sweep will find what it held.",
      runbook: "timed-out-executions",
      metric: total("timed out", each("DurableExecutionTimedOut", workflows)),
    },
    {
      id: "Dead letters",
      what: "An event could not be handled and waits in a dead-letter queue.",
      runbook: "dead-letters",
      metric: total("dead letters", letters),
    },
    {
      id: "Front door errors",
      what: "Slack got a server error: people's commands may have been lost.",
      runbook: "front-door-errors",
      metric: lambdaCount("Url5xxCount", frontDoor.lambda.functionName, "5xx"),
    },
    {
      id: "Event errors",
      what: "Events of AWS could not be handled: waiting executions fall back on slow polls.",
      runbook: "event-errors",
      metric: lambdaCount("Errors", cloudEvents.lambda.functionName, "errors"),
    },
    {
      id: "Throttles",
      what: "Lambda refused invocations: a burst of requests, or too little concurrency.",
      runbook: "throttles",
      metric: total("throttles", each("Throttles", functions)),
    },
  ];
}
