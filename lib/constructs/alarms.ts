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
import { APPEND_AUDIT } from "../../lambdas/audit/appenders.ts";
import { type Account, accounts } from "../../lambdas/cluster/accounts.ts";
import type { EventRules } from "./event-rules.ts";
import type { HandlerFunction } from "./handler-function.ts";
import {
  credentialHours,
  doorLatency,
  frontDoorAnswers,
  growth,
  lambdaCount,
  mostlyRefused,
  oldestOperation,
  ruleInvocations,
  slackDenials,
  total,
} from "./metrics.ts";

/** Resources to monitor, and the topic that their alarms publish to. */
export interface AlarmsProps {
  readonly cluster: string;
  readonly topic: ITopic;
  readonly frontDoor: HandlerFunction;
  readonly cloudEvents: HandlerFunction;
  readonly appendAudit: HandlerFunction;
  /** Name → durable function. */
  readonly workflows: Readonly<Record<string, HandlerFunction>>;
  readonly rules: EventRules;
}

interface Condition {
  readonly id: string;
  /** One sentence for the person on call. */
  readonly what: string;
  /** Heading of docs/runbook.md, as an anchor. */
  readonly runbook: string;
  readonly metric: IMetric;
}

/** The schedule checks each hour; two checks may fail. */
const CHECKED_WITHIN = Duration.hours(3);

/** A credential is renewed when about eleven hours are left. With fewer than this, about ten renewals have failed. */
const TOO_FEW_HOURS = 6;

/** The twelve hours of the longest execution (lib/functions.ts), and two for the sweep. */
const TOO_OLD_MINUTES = 14 * 60;

/** All alarms. None of them depends on Slack, the bot or the cluster. */
export class Alarms extends Construct {
  readonly all: readonly Alarm[];

  constructor(scope: Construct, id: string, props: AlarmsProps) {
    super(scope, id);
    const counted = conditions(props).map((condition) => this.#above(condition));
    const silent = props.rules.schedules.map(({ name, rule }) => this.#silent(name, rule.ruleName));
    const ending = accounts.map((account) => this.#ending(account, props.cluster));
    this.all = [
      ...counted,
      ...silent,
      ...ending,
      this.#slow(props),
      this.#unanswered(props.cluster),
      this.#stuck(props.cluster),
    ];
    for (const alarm of this.all) alarm.addAlarmAction(new SnsAction(props.topic));
  }

  /** An alarm on the first occurrence. */
  #above({ id, what, runbook, metric }: Condition): Alarm {
    return new Watch(this, id, {
      metric,
      alarmDescription: `${what} See docs/runbook.md#${runbook}`,
      threshold: 1,
      evaluationPeriods: 1,
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      treatMissingData: TreatMissingData.NOT_BREACHING,
    });
  }

  /** An alarm near Slack's timeout of three seconds. A single slow start does not raise it. */
  #slow({ frontDoor }: AlarmsProps): Alarm {
    return new Watch(this, "Front door is slow", {
      metric: doorLatency(frontDoor.lambda.functionName),
      alarmDescription:
        "The front door takes longer than 2.5 seconds: commands fail with operation_timeout. See docs/runbook.md#front-door-is-slow",
      threshold: 2_500,
      evaluationPeriods: 3,
      datapointsToAlarm: 2,
      comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
      treatMissingData: TreatMissingData.NOT_BREACHING,
    });
  }

  /** An alarm on the hourly check of the front door. A missing check raises it as a missing answer does. */
  #unanswered(cluster: string): Alarm {
    return new Watch(this, "Front door does not answer", {
      metric: frontDoorAnswers(cluster, CHECKED_WITHIN),
      alarmDescription:
        "The front door did not answer a signed request, or has not been checked for three hours. See docs/runbook.md#front-door-does-not-answer",
      threshold: 1,
      evaluationPeriods: 1,
      comparisonOperator: ComparisonOperator.LESS_THAN_THRESHOLD,
      treatMissingData: TreatMissingData.BREACHING,
    });
  }

  /** An execution ends after twelve hours at most, and then the sweep closes its operation. An older one needs a person. */
  #stuck(cluster: string): Alarm {
    return new Watch(this, "An operation does not end", {
      metric: oldestOperation(cluster, Duration.hours(1)),
      alarmDescription: `An operation has worked for more than ${TOO_OLD_MINUTES / 60} hours and has not ended. See docs/runbook.md#an-operation-does-not-end`,
      threshold: TOO_OLD_MINUTES,
      evaluationPeriods: 1,
      comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
      treatMissingData: TreatMissingData.NOT_BREACHING,
    });
  }

  /** An alarm on a credential with too few hours left, or without a measurement. */
  #ending(account: Account, cluster: string): Alarm {
    return new Watch(this, `Cluster credential ${account} ends`, {
      metric: credentialHours(cluster, account, CHECKED_WITHIN),
      alarmDescription: `The cluster credential of the account ${account} expires within ${TOO_FEW_HOURS} hours, is rejected, or has not been checked for three hours. See docs/runbook.md#cluster-credential`,
      threshold: TOO_FEW_HOURS,
      evaluationPeriods: 1,
      comparisonOperator: ComparisonOperator.LESS_THAN_THRESHOLD,
      treatMissingData: TreatMissingData.BREACHING,
    });
  }

  /** An alarm on missing data: a schedule that has not run for an hour has stopped. */
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

/** Largest number of metrics in an alarm on a math expression (CloudWatch User Guide, "CloudWatch alarms"). */
const METRICS_PER_ALARM = 10;

/** Splits a condition into one alarm for each ten metrics: the first has the plain name, the others a number. */
function inTens(
  metrics: readonly IMetric[],
  combine: (label: string, some: readonly IMetric[]) => IMetric,
  { id, ...words }: Omit<Condition, "metric">,
): Condition[] {
  const parts = Math.ceil(metrics.length / METRICS_PER_ALARM);
  return Array.from({ length: parts }, (_, at) => ({
    ...words,
    id: at === 0 ? id : `${id} ${at + 1}`,
    metric: combine(id.toLowerCase(), metrics.slice(at * METRICS_PER_ALARM, (at + 1) * METRICS_PER_ALARM)),
  }));
}

/** Errors of the functions that are not durable. */
const errorConditions = (cloudEvents: HandlerFunction, appendAudit: HandlerFunction): Condition[] => [
  {
    id: "Event errors",
    what: "AWS events could not be processed: executions fall back to slow polling.",
    runbook: "event-errors",
    metric: lambdaCount("Errors", cloudEvents.lambda.functionName, "errors"),
  },
  {
    id: "Audit errors",
    what: "Entries of the audit could not be appended: changes stop until they can be.",
    runbook: "audit-errors",
    metric: lambdaCount("Errors", appendAudit.lambda.functionName, "errors"),
  },
];

function conditions({ cluster, frontDoor, cloudEvents, appendAudit, workflows, rules }: AlarmsProps): Condition[] {
  const functions = {
    "front-door": frontDoor,
    "cloud-events": cloudEvents,
    [APPEND_AUDIT]: appendAudit,
    ...workflows,
  };
  const each = (metric: string, of: Readonly<Record<string, HandlerFunction>>): IMetric[] =>
    Object.entries(of).map(([name, { lambda }]) => lambdaCount(metric, lambda.functionName, name));
  const queues = Object.values(functions).flatMap(({ deadLetters }) => deadLetters ?? []);
  const letters = [...queues, rules.undelivered].map((queue) => queue.metricApproximateNumberOfMessagesVisible());
  return [
    ...inTens(each("DurableExecutionFailed", workflows), total, {
      id: "Failed executions",
      what: "A workflow failed with an unexpected error and may have left a node or an instance unfinished.",
      runbook: "failed-executions",
    }),
    ...inTens(each("DurableExecutionTimedOut", workflows), total, {
      id: "Timed-out executions",
      what: "A workflow exceeded its execution timeout and was not rolled back. The sweep releases its leases.",
      runbook: "timed-out-executions",
    }),
    ...inTens(letters, total, {
      id: "Dead letters",
      what: "An event could not be processed and is in a dead-letter queue.",
      runbook: "dead-letters",
    }),
    // The alarms above stay on until the queues are empty, so they do not report letters that arrive meanwhile.
    ...inTens(letters, growth, {
      id: "More dead letters",
      what: "Another event could not be processed.",
      runbook: "dead-letters",
    }),
    {
      id: "Refused requests",
      what: "The front door rejects most requests: the signing secret does not match Slack's, or the requests do not come from Slack.",
      runbook: "refused-requests",
      metric: mostlyRefused(frontDoor.lambda.functionName, Duration.minutes(15)),
    },
    {
      id: "Front door errors",
      what: "The front door returned server errors to Slack: commands may have been lost.",
      runbook: "front-door-errors",
      metric: lambdaCount("Url5xxCount", frontDoor.lambda.functionName, "5xx"),
    },
    {
      id: "Slack denies calls",
      what: "Slack denied a call because of the token, a scope or the channel. People do not get messages.",
      runbook: "slack-denies-calls",
      metric: slackDenials(cluster),
    },
    ...errorConditions(cloudEvents, appendAudit),
    ...inTens(each("Throttles", functions), total, {
      id: "Throttles",
      what: "Lambda throttled invocations: a burst of requests, or too little concurrency.",
      runbook: "throttles",
    }),
  ];
}
