import { describe, expect, it } from "vitest";
import { METRICS, metricLine } from "../../../lambdas/metrics.ts";
import { embeddedMetrics } from "../../../lib/sandbox/aws/embedded-metrics.ts";
import { manualClock } from "../manual-clock.ts";
import { simulationFor } from "./fixture.ts";

const read = (line: string) => {
  const metrics = embeddedMetrics(simulationFor(manualClock()));
  metrics.log(line);
  return metrics.datapoints();
};

const good = metricLine({ Cluster: "prod-west", Account: "look" }, METRICS.credentialHours, 13.5, 1_000);

describe("a line of a function's log", () => {
  it("becomes a datapoint when it is in the format that CloudWatch reads", () => {
    expect(read(good)).toEqual([
      {
        namespace: "Casement",
        name: "CredentialHoursLeft",
        dimensions: { Cluster: "prod-west", Account: "look" },
        value: 13.5,
        at: 1_000,
      },
    ]);
  });

  it.each([
    ["is behind a date, as Node's console writes it", `2026-11-21T08:00:00Z INFO ${good}`],
    ["names a figure that it does not hold", good.replace(":13.5", ":null")],
    ["names a dimension that it does not hold", good.replace('"Cluster":"prod-west"', '"Custer":"prod-west"')],
    ["has a unit that CloudWatch does not know", good.replace('"None"', '"Days"')],
    ["is about something else", '{"level":"INFO"}'],
  ])("becomes none when it %s", (_, line) => {
    expect(read(line)).toEqual([]);
  });
});
