import { Duration } from "aws-cdk-lib";
import { type IMetric, MathExpression, Metric } from "aws-cdk-lib/aws-cloudwatch";

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

/** How often a rule called its target. */
export const ruleInvocations = (RuleName: string, period: Duration): Metric =>
  new Metric({
    namespace: "AWS/Events",
    metricName: "Invocations",
    dimensionsMap: { RuleName },
    statistic: "Sum",
    period,
  });

/** All of them together; what reports nothing counts as none. */
export const total = (label: string, metrics: readonly IMetric[]): MathExpression =>
  new MathExpression({
    label,
    expression: metrics.map((_, at) => `FILL(m${at}, 0)`).join(" + "),
    usingMetrics: Object.fromEntries(metrics.map((metric, at) => [`m${at}`, metric])),
    period: FIVE_MINUTES,
  });
