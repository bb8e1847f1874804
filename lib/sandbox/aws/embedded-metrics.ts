import { z } from "zod";
import type { Simulation } from "../core/simulation.ts";
import type { Collection } from "../core/store.ts";

/** A value of a metric. */
export interface Datapoint {
  readonly namespace: string;
  readonly name: string;
  readonly dimensions: Readonly<Record<string, string>>;
  readonly value: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** The part of CloudWatch that reads functions' logs. */
export interface EmbeddedMetrics {
  /** Reads a line of a function's log: CloudWatch makes metrics of lines in its format and ignores all others. */
  readonly log: (line: string) => void;
  /** Oldest first. */
  datapoints(): Datapoint[];
}

/** CloudWatch User Guide, "Specification: Embedded metric format"; a line with an unknown unit makes no metric. */
const shape = z
  .object({
    _aws: z.object({
      Timestamp: z.number().int(),
      CloudWatchMetrics: z.array(
        z.object({
          Namespace: z.string().min(1).max(1_024),
          Dimensions: z.array(z.array(z.string().min(1).max(250)).max(30)),
          Metrics: z
            .array(z.object({ Name: z.string().min(1).max(1_024), Unit: z.enum(["None", "Count"]).optional() }))
            .max(100),
        }),
      ),
    }),
  })
  .loose();

type Line = z.infer<typeof shape>;

const jsonOf = (line: string): unknown => {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
};

/** Reads the datapoints of a line; a dimension or value that the line names but lacks makes none. */
function datapointsOf({ _aws, ...fields }: Line): Datapoint[] {
  const at = _aws.Timestamp;
  return _aws.CloudWatchMetrics.flatMap(({ Namespace: namespace, Dimensions, Metrics }) =>
    Dimensions.flatMap((keys) => {
      const dimensions = Object.fromEntries(keys.map((key) => [key, fields[key]]));
      if (Object.values(dimensions).some((value) => typeof value !== "string")) return [];
      return Metrics.flatMap(({ Name: name }) => {
        const value = fields[name];
        return typeof value === "number"
          ? [{ namespace, name, dimensions: dimensions as Record<string, string>, value, at }]
          : [];
      });
    }),
  );
}

/** Builds the reader of logs. */
export function embeddedMetrics({ store, random }: Simulation): EmbeddedMetrics {
  const kept: Collection<Datapoint> = store.collection("cloudwatch-datapoints");
  return {
    log: (line) => {
      const read = shape.safeParse(jsonOf(line));
      for (const datapoint of read.success ? datapointsOf(read.data) : []) kept.set(random.uuid(), datapoint);
    },
    datapoints: () => kept.values(),
  };
}
