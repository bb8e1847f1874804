import { Duration } from "aws-cdk-lib";
import { type IMetric, MathExpression, Metric } from "aws-cdk-lib/aws-cloudwatch";
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

/** How often a rule called its target. */
export const ruleInvocations = (RuleName: string, period: Duration): Metric =>
  new Metric({
    namespace: "AWS/Events",
    metricName: "Invocations",
    dimensionsMap: { RuleName },
    statistic: "Sum",
    period,
  });

/** How many days the cluster credential still counts, as the function that may read it says in its log. */
export const credentialDays = (cluster: string, period: Duration): Metric =>
  new Metric({
    namespace: METRICS.namespace,
    metricName: METRICS.credentialDays,
    dimensionsMap: { [METRICS.dimension]: cluster },
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
