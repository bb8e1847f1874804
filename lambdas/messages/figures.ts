/** Where our own figures stand in CloudWatch; each carries the cluster as its dimension. */
export const FIGURES = { namespace: "Casement", dimension: "Cluster", credentialDays: "CredentialDaysLeft" } as const;

/**
 * A figure as a line of a log that CloudWatch makes a metric of (User Guide, "Embedded metric format"): it needs no call
 * and no permission, and the line keeps it readable.
 * @param now milliseconds since the epoch
 */
export const figureLine = (cluster: string, name: string, value: number, now: number): string =>
  JSON.stringify({
    _aws: {
      Timestamp: now,
      CloudWatchMetrics: [
        { Namespace: FIGURES.namespace, Dimensions: [[FIGURES.dimension]], Metrics: [{ Name: name, Unit: "None" }] },
      ],
    },
    [FIGURES.dimension]: cluster,
    [name]: value,
  });
