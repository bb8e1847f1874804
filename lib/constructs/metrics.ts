import { Duration } from "aws-cdk-lib";
import { type IMetric, MathExpression, Metric } from "aws-cdk-lib/aws-cloudwatch";
import type { Account } from "../../lambdas/cluster/accounts.ts";
import { METRICS } from "../../lambdas/metrics.ts";

const FIVE_MINUTES = Duration.minutes(5);

/** A count of Lambda's for one function. */
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

/** Time that the slowest of a hundred requests to the front door took, in milliseconds. */
export const doorLatency = (FunctionName: string): Metric =>
  new Metric({
    namespace: "AWS/Lambda",
    metricName: "UrlRequestLatency",
    dimensionsMap: { FunctionName },
    statistic: "p99",
    period: FIVE_MINUTES,
    label: "p99",
  });

/** 1 while the front door refuses most of what it is asked, a few requests at least: the request is not Slack's, or the secret is not. */
export function mostlyRefused(functionName: string, period: Duration): MathExpression {
  const count = (name: string) => lambdaCount(name, functionName, name).with({ period });
  return new MathExpression({
    label: "mostly refused",
    expression: "IF(FILL(refused, 0) >= 3 AND FILL(refused, 0) / asked > 0.5, 1, 0)",
    usingMetrics: { refused: count("Url4xxCount"), asked: count("UrlRequestCount") },
    period,
  });
}

/** By how much a sum has grown since five minutes before. */
export const growth = (label: string, metrics: readonly IMetric[]): MathExpression => {
  const sum = total(label, metrics);
  return new MathExpression({
    label,
    expression: `DIFF(${sum.expression})`,
    usingMetrics: sum.usingMetrics,
    period: FIVE_MINUTES,
  });
};

/** Whether the front door answered the hourly question; 0 when it did not once. */
export const frontDoorAnswers = (cluster: string, period: Duration): Metric =>
  new Metric({
    namespace: METRICS.namespace,
    metricName: METRICS.frontDoorAnswers,
    dimensionsMap: { [METRICS.cluster]: cluster },
    statistic: "Minimum",
    period,
  });

/** Minutes since the oldest operation that has not ended was requested, as the sweep logs them. */
export const oldestOperation = (cluster: string, period: Duration): Metric =>
  new Metric({
    namespace: METRICS.namespace,
    metricName: METRICS.oldestOperation,
    dimensionsMap: { [METRICS.cluster]: cluster },
    statistic: "Maximum",
    period,
  });

/** Minutes that the longest of the operations that wait for a person has waited, as the sweep logs them. */
export const oldestWaiting = (cluster: string, period: Duration): Metric =>
  new Metric({
    namespace: METRICS.namespace,
    metricName: METRICS.oldestWaiting,
    dimensionsMap: { [METRICS.cluster]: cluster },
    statistic: "Maximum",
    period,
  });

/** Operations that ended, a line for each outcome and failed stage that there was. */
export const operationsEnded = (cluster: string, period: Duration): MathExpression =>
  new MathExpression({
    expression: `SEARCH('{${METRICS.namespace},${METRICS.cluster},${METRICS.outcome},${METRICS.stage}} ${METRICS.cluster}="${cluster}" MetricName="${METRICS.operationsEnded}"', 'Sum', ${period.toSeconds()})`,
    label: "",
    period,
  });

/**
 * Calls that Slack refused for one reason.
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

/** Calls that Slack denied: a token that holds no more, a missing scope, a channel without the app. */
export const slackDenials = (cluster: string): Metric =>
  new Metric({
    namespace: METRICS.namespace,
    metricName: METRICS.slackRefusals,
    dimensionsMap: { [METRICS.cluster]: cluster, [METRICS.kind]: "denied" },
    statistic: "Sum",
    period: FIVE_MINUTES,
  });

/** Hours for which an account's credential in the cluster is still good, as the watch over all credentials logs them. */
export const credentialHours = (cluster: string, account: Account, period: Duration): Metric =>
  new Metric({
    namespace: METRICS.namespace,
    metricName: METRICS.credentialHours,
    dimensionsMap: { [METRICS.cluster]: cluster, [METRICS.account]: account },
    statistic: "Minimum",
    period,
  });

/** All of them together; what reports nothing counts as none. */
export const total = (label: string, metrics: readonly IMetric[]): MathExpression =>
  new MathExpression({
    label,
    // A sum with "+" has no value while one of its parts was never reported; that of a list has.
    expression: `SUM([${metrics.map((_, at) => `FILL(m${at}, 0)`).join(", ")}])`,
    usingMetrics: Object.fromEntries(metrics.map((metric, at) => [`m${at}`, metric])),
    period: FIVE_MINUTES,
  });
