import { METRICS, metricLine } from "../metrics.ts";
import type { World } from "./world.ts";

/** Past Node's console, which would put a date and an id before the line. */
const standardOutput = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

/** CloudWatch metrics of our own, which alarms watch. */
export const metrics = ({ settings, now, log = standardOutput }: World) => ({
  /** Writes for how many more days the cluster credential is valid. */
  credentialDays: (days: number): void => log(metricLine(settings.cluster, METRICS.credentialDays, days, now())),
});
