/** Namespace, dimensions and names of Casement's metrics in CloudWatch. */
export const METRICS = {
  namespace: "Casement",
  cluster: "Cluster",
  account: "Account",
  credentialHours: "CredentialHoursLeft",
  /** 1 if the front door answered an hourly check, otherwise 0. */
  frontDoorAnswers: "FrontDoorAnswers",
  /** 1 for each operation that ended, by outcome and by failed stage. */
  operationsEnded: "OperationsEnded",
  outcome: "Outcome",
  stage: "Stage",
  /** Minutes for which an operation has worked without a pause, of the longest one; 0 if none works. */
  oldestOperation: "OldestOperationMinutes",
  /** Longest time in minutes that an operation has waited for a person; 0 if none waits. */
  oldestWaiting: "OldestWaitingMinutes",
  /** 1 for each call that Slack throttled, denied or failed to serve. */
  slackRefusals: "SlackRefusals",
  kind: "Kind",
} as const;

/**
 * Formats a metric's value as a log line from which CloudWatch extracts it (User Guide, "Embedded metric format"), so
 * that publishing it needs no call and no permission.
 * @param dimensions of the metric; the cluster is one of them
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
