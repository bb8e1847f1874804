/** Namespace, dimension and names of our own metrics in CloudWatch; each metric carries the cluster as its dimension. */
export const METRICS = { namespace: "Casement", dimension: "Cluster", credentialDays: "CredentialDaysLeft" } as const;

/**
 * One value of a metric as a log line that CloudWatch reads as such (User Guide, "Embedded metric format"): publishing it
 * needs no call and no permission.
 * @param name one of METRICS
 * @param now milliseconds since the epoch
 */
export const metricLine = (cluster: string, name: string, value: number, now: number): string =>
  JSON.stringify({
    _aws: {
      Timestamp: now,
      CloudWatchMetrics: [
        { Namespace: METRICS.namespace, Dimensions: [[METRICS.dimension]], Metrics: [{ Name: name, Unit: "None" }] },
      ],
    },
    [METRICS.dimension]: cluster,
    [name]: value,
  });
