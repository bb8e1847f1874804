import { Duration } from "aws-cdk-lib";
import { type IMetric, MathExpression, Metric } from "aws-cdk-lib/aws-cloudwatch";
import type { Account } from "../../lambdas/cluster/accounts.ts";
import { METRICS } from "../../lambdas/metrics.ts";

const FIVE_MINUTES = Duration.minutes(5);

/** A count that Lambda reports for one function. */
export const lambdaCount = (metricName: string, FunctionName: string, label: string): Metric =>
  new Metric({
    namespace: "AWS/Lambda",
    metricName,
    dimensionsMap: { FunctionName },
    label,
    statistic: "Sum",
    period: FIVE_MINUTES,
  });

/** Number of times that a rule called its target. */
export const ruleInvocations = (RuleName: string, period: Duration): Metric =>
  new Metric({
    namespace: "AWS/Events",
    metricName: "Invocations",
    dimensionsMap: { RuleName },
    statistic: "Sum",
    period,
  });

/** Time that the slowest of a hundred requests to the front door took (p99), in milliseconds. */
export const doorLatency = (FunctionName: string): Metric =>
  new Metric({
    namespace: "AWS/Lambda",
    metricName: "UrlRequestLatency",
    dimensionsMap: { FunctionName },
    statistic: "p99",
    period: FIVE_MINUTES,
    label: "p99",
  });

/**
 * 1 while the front door refuses most requests, and at least a few: either the requests do not come from Slack, or the
 * signing secret is wrong.
 */
export function mostlyRefused(functionName: string, period: Duration): MathExpression {
  const count = (name: string) => lambdaCount(name, functionName, name).with({ period });
  return new MathExpression({
    label: "mostly refused",
    expression: "IF(FILL(refused, 0) >= 3 AND FILL(refused, 0) / asked > 0.5, 1, 0)",
    usingMetrics: { refused: count("Url4xxCount"), asked: count("UrlRequestCount") },
    period,
  });
}

/** Growth of a sum within five minutes. */
export const growth = (label: string, metrics: readonly IMetric[]): MathExpression => {
  const sum = total(label, metrics);
  return new MathExpression({
    label,
    expression: `DIFF(${sum.expression})`,
    usingMetrics: sum.usingMetrics,
    period: FIVE_MINUTES,
  });
};

/** 1 if the front door answered every hourly check of the period; 0 if it missed one. */
export const frontDoorAnswers = (cluster: string, period: Duration): Metric =>
  new Metric({
    namespace: METRICS.namespace,
    metricName: METRICS.frontDoorAnswers,
    dimensionsMap: { [METRICS.cluster]: cluster },
    statistic: "Minimum",
    period,
  });

/** Minutes for which the execution of an operation has worked, of the longest one, as the sweep logs them. */
export const oldestOperation = (cluster: string, period: Duration): Metric =>
  new Metric({
    namespace: METRICS.namespace,
    metricName: METRICS.oldestOperation,
    dimensionsMap: { [METRICS.cluster]: cluster },
    statistic: "Maximum",
    period,
  });

/** Longest time in minutes that an operation has waited for a person, as the sweep logs it. */
export const oldestWaiting = (cluster: string, period: Duration): Metric =>
  new Metric({
    namespace: METRICS.namespace,
    metricName: METRICS.oldestWaiting,
    dimensionsMap: { [METRICS.cluster]: cluster },
    statistic: "Maximum",
    period,
  });

/** Number of operations that ended, one line for each outcome and failed stage. */
export const operationsEnded = (cluster: string, period: Duration): MathExpression =>
  new MathExpression({
    expression: `SEARCH('{${METRICS.namespace},${METRICS.cluster},${METRICS.outcome},${METRICS.stage}} ${METRICS.cluster}="${cluster}" MetricName="${METRICS.operationsEnded}"', 'Sum', ${period.toSeconds()})`,
    label: "",
    period,
  });

/**
 * Number of calls that Slack refused for one reason.
 * @param kind "throttled", "denied" or "unavailable", as the functions log it
 */
export const slackRefusals = (cluster: string, kind: string, period: Duration): Metric =>
  new Metric({
    namespace: METRICS.namespace,
    metricName: METRICS.slackRefusals,
    dimensionsMap: { [METRICS.cluster]: cluster, [METRICS.kind]: kind },
    statistic: "Sum",
    label: kind,
    period,
  });

/** Number of calls that Slack denied: an invalid token, a missing scope, a channel without the app. */
export const slackDenials = (cluster: string): Metric =>
  new Metric({
    namespace: METRICS.namespace,
    metricName: METRICS.slackRefusals,
    dimensionsMap: { [METRICS.cluster]: cluster, [METRICS.kind]: "denied" },
    statistic: "Sum",
    period: FIVE_MINUTES,
  });

/** Hours for which an account's credential in the cluster is still valid, as the check of all credentials logs them. */
export const credentialHours = (cluster: string, account: Account, period: Duration): Metric =>
  new Metric({
    namespace: METRICS.namespace,
    metricName: METRICS.credentialHours,
    dimensionsMap: { [METRICS.cluster]: cluster, [METRICS.account]: account },
    statistic: "Minimum",
    period,
  });

/** Sum of metrics; a metric without data is 0. */
export const total = (label: string, metrics: readonly IMetric[]): MathExpression =>
  new MathExpression({
    label,
    // A sum with "+" has no value until each of its parts was reported once; SUM over a list has one.
    expression: `SUM([${metrics.map((_, at) => `FILL(m${at}, 0)`).join(", ")}])`,
    usingMetrics: Object.fromEntries(metrics.map((metric, at) => [`m${at}`, metric])),
    period: FIVE_MINUTES,
  });
