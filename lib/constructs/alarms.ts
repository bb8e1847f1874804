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
import { credentialDays, lambdaCount, ruleInvocations, total } from "./metrics.ts";

/** What is watched. */
export interface AlarmsProps {
  readonly cluster: string;
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

/** The schedule looks each hour; two looks may fail. */
const LOOKED_AT_WITHIN = Duration.hours(3);

interface Ending {
  readonly id: string;
  readonly what: string;
  readonly days: number;
  readonly silence: TreatMissingData;
}

/** An alarm speaks once: a second one for whoever has forgotten the first. */
const endings: readonly Ending[] = [
  {
    id: "Cluster credential ends",
    what: "The cluster credential counts for less than 14 days, is refused, or nobody could look at it for three hours.",
    days: 14,
    silence: TreatMissingData.BREACHING,
  },
  {
    id: "Cluster credential ends soon",
    what: "The cluster credential counts for less than 3 days, or is refused: after that nothing that touches the cluster works.",
    days: 3,
    silence: TreatMissingData.NOT_BREACHING,
  },
];

/** Every alarm; none of them needs Slack, the bot itself or the cluster to work. */
export class Alarms extends Construct {
  readonly all: readonly Alarm[];

  constructor(scope: Construct, id: string, props: AlarmsProps) {
    super(scope, id);
    const counted = troubles(props).map((trouble) => this.#above(trouble));
    const silent = props.rules.schedules.map(({ name, rule }) => this.#silent(name, rule.ruleName));
    const ending = endings.map((one) => this.#ending(one, props.cluster));
    this.all = [...counted, ...silent, ...ending];
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

  /** Too few days left, or, unless another alarm says so already, nobody who could tell. */
  #ending({ id, what, days, silence }: Ending, cluster: string): Alarm {
    return new Watch(this, id, {
      metric: credentialDays(cluster, LOOKED_AT_WITHIN),
      alarmDescription: `${what} See docs/runbook.md#cluster-credential`,
      threshold: days,
      evaluationPeriods: 1,
      comparisonOperator: ComparisonOperator.LESS_THAN_THRESHOLD,
      treatMissingData: silence,
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
