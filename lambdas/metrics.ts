/** Namespace, dimensions and names of Casement's metrics in CloudWatch. */
export const METRICS = {
  namespace: "Casement",
  cluster: "Cluster",
  account: "Account",
  credentialHours: "CredentialHoursLeft",
  /** 1 when the front door answered an hourly question, 0 when it did not. */
  frontDoorAnswers: "FrontDoorAnswers",
  /** 1 for each operation that ended, by outcome and by the stage that failed. */
  operationsEnded: "OperationsEnded",
  outcome: "Outcome",
  stage: "Stage",
  /** Minutes since the oldest operation that has not ended was requested; 0 without one. */
  oldestOperation: "OldestOperationMinutes",
  /** Minutes that the longest of the operations that wait for a person has waited; 0 without one. */
  oldestWaiting: "OldestWaitingMinutes",
  /** 1 for each call that Slack throttled, denied or could not serve. */
  slackRefusals: "SlackRefusals",
  kind: "Kind",
} as const;

/**
 * One value of a metric as a log line that CloudWatch reads as such (User Guide, "Embedded metric format"): publishing it
 * needs no call and no permission.
 * @param dimensions of the metric; each carries the cluster
 * @param name one of METRICS
 * @param now milliseconds since the epoch
 */
export const metricLine = (
  dimensions: Readonly<Record<string, string>>,
  name: string,
  value: number,
  now: number,
): string =>
  JSON.stringify({
    _aws: {
      Timestamp: now,
      CloudWatchMetrics: [
        {
          Namespace: METRICS.namespace,
          Dimensions: [Object.keys(dimensions)],
          Metrics: [{ Name: name, Unit: "None" }],
        },
      ],
    },
    ...dimensions,
    [name]: value,
  });
